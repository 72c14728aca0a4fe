//! Tapes of a session: it is recorded, replayed, or first replayed and then live.

use super::past::PastTape;
use super::proxied::{LeftState, ProxiedProgram};
use crate::live::input::{InputError, TerminalInput};
use crate::live::registry::Sessions;
use crate::live::session::Session;
use ccd_protocol::SessionId;
use ccd_protocol::session::SessionCreateParams;
use ccd_protocol::tape::{FallbackMode, TapeOptions, TapeUse};
use ccd_tape::advice::record_with;
use ccd_tape::format::Meta;
use ccd_tape::index::TapeId;
use ccd_tape::key::{Invocation, StateHash};
use ccd_tape::play::{Injection, PlayError, Player, ReplayOptions, ReplayPace};
use ccd_tape::record::{Begin, FinishedTapes, Recording};
use ccd_tape::root::Root;
use ccd_tape::settings::TapeSettings;
use ccd_tape::tools::{RemovedSecrets, redact_meta};
use ccd_tape::{TapeError, record};
use ccd_text::hidden::HiddenTexts;
use parking_lot::Mutex;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use tokio_util::sync::CancellationToken;

pub struct SessionTape {
    pub settings: TapeSettings,
    /// The request's, with the values of the configuration.
    pub(super) options: TapeOptions,
    pub(super) meta: Meta,
    pub root: Arc<Root>,
    pub(super) player: Option<Player>,
    pub(super) recording: OnceLock<Recording>,
    pub hidden: Arc<HiddenTexts>,
    /// The parameters of the real program, which is started if no tape answers; `None` if only tapes may answer.
    pub(super) proxy_params: Option<Box<SessionCreateParams>>,
    /// The real program, once it has taken over from the tapes.
    pub(super) live: OnceLock<ProxiedProgram>,
    /// The state that an earlier process left.
    pub(super) left: Mutex<Option<LeftState>>,
    /// Cancelled when the replay has continued from an earlier process; nothing is typed before that.
    pub(super) ready: CancellationToken,
    /// Number of inputs of a program that ran from the start because no tape starts like this session.
    pub(super) proxied: AtomicU64,
    pub(super) sessions: Weak<Sessions>,
    pub(super) id: SessionId,
    pub(super) outcome: Mutex<TapeOutcome>,
}

#[derive(Debug, Default)]
pub(super) struct TapeOutcome {
    pub(super) finished: Option<FinishedTapes>,
    pub(super) unused: Option<Vec<TapeId>>,
}

/// The position in a conversation at which a recording starts.
pub(super) struct RecordingStart {
    pub(super) offset: u64,
    pub(super) state: StateHash,
    pub(super) is_start: bool,
    /// Typed before, at prompts for a secret.
    pub(super) secrets: Vec<String>,
}

impl SessionTape {
    /// Returns the request to the session's tapes.
    pub(super) fn cue(&self) -> ReplayOptions {
        let meta = &self.meta;
        let named = (!self.settings.is_default_root).then_some(&*self.root.path);
        ReplayOptions {
            root: Arc::clone(&self.root),
            record_with: record_with(meta, named),
            rules: self.settings.rules.clone(),
            invocation: Invocation::new(meta),
            pace: ReplayPace {
                latency: self.settings.latency.clone(),
                error_rate: self.settings.error_rate,
                seed: self.settings.seed,
            },
            strict: self.settings.strict,
            may_leave: self.settings.fallback == FallbackMode::Proxy,
            debug: self.settings.debug,
            is_piped: self.is_piped(),
            ignore_stdin: self.settings.matching.ignore_stdin == Some(true),
        }
    }

    /// Returns true if the terminal never echoes, so that a missing echo says nothing about secrecy.
    pub fn never_echoes(&self) -> bool {
        self.meta.plain || self.is_piped()
    }

    fn is_piped(&self) -> bool {
        self.meta.pty.is_none()
    }

    /// Returns true if a tape replays in place of the program, or did until the real program took over.
    pub fn is_replay(&self) -> bool {
        self.player.is_some()
    }

    /// Returns the recording of a program that gets its input directly.
    pub fn recording(&self) -> Option<&Recording> {
        self.recording.get()
    }

    /// Passes input to the tapes, and if none has it and this is allowed, to the real program.
    /// The holder gets the new position before any of the answer is shown, so that the next process knows it.
    pub async fn typed(&self, terminal_input: TerminalInput<'_>) -> Result<(), InputError> {
        let Some(player) = &self.player else {
            return Ok(());
        };
        self.ready.cancelled().await;
        if let Some(live) = self.live.get() {
            let typed = self.type_live(live, terminal_input).await;
            self.keep();
            return typed;
        }
        let on_tape = terminal_input.on_tape();
        let typed = player.typed(on_tape).await;
        self.keep();
        player.playback().begin();
        match typed {
            Ok(()) => Ok(()),
            Err(PlayError::Miss { input, .. })
                if self.settings.fallback == FallbackMode::Proxy && self.proxy_params.is_some() =>
            {
                let live = Box::pin(self.take_over(player)).await?;
                // Includes the unanswered rest of earlier sends.
                let whole = if input == on_tape {
                    terminal_input
                } else {
                    terminal_input.with_bytes(&input)
                };
                let typed = self.type_live(live, whole).await;
                self.keep();
                typed
            }
            Err(PlayError::Ended) => Err(InputError::CLOSED),
            Err(error) => Err(InputError::Tape(TapeError::from(error))),
        }
    }

    /// Has the holder keep the position.
    pub(super) fn keep(&self) {
        let sessions = self.sessions.upgrade();
        if let Some(session) = sessions.and_then(|sessions| sessions.listed(&self.id)) {
            session.keep();
        }
    }

    /// Starts to record; the journal, and a note of it in the session's folder, exist when this returns.
    pub(super) async fn record(
        &self,
        folder: PathBuf,
        place: RecordingStart,
    ) -> Result<(), TapeError> {
        let (mut meta, mut options) = (self.meta.clone(), self.options.clone());
        let removed = if self.settings.redact {
            redact_meta(&mut meta)
        } else {
            RemovedSecrets::default()
        };
        options.tag.clone_from(&meta.tag);
        let begin = Begin {
            session: self.id.to_string(),
            options,
            meta,
            removed: removed.count,
            flags: self.settings.flags(),
            at_us: record::now_us(),
            offset: place.offset,
            state: place.state,
            is_start: place.is_start,
        };
        let root = Arc::clone(&self.root);
        let is_plain = self.never_echoes();
        let hidden = self.recorded_secrets();
        hidden.recognise(&removed.texts);
        hidden.recognise(&place.secrets);
        let begun = tokio::task::spawn_blocking(move || {
            root.make_folder()?;
            let journal = record::Journal::path_of(&root.path, &begin.session);
            // The note is written first: a journal without a note would never be removed.
            let note = record::RecordingNote {
                root: root.path.clone(),
                journal: journal.clone(),
            };
            note.write(&folder).map_err(TapeError::Journal)?;
            Recording::begin(journal, begin, is_plain, hidden).map_err(TapeError::Journal)
        });
        let begun = begun.await.map_err(io::Error::other);
        let recording = begun.map_err(TapeError::Journal)??;
        let _ = self.recording.set(recording);
        Ok(())
    }

    /// Returns the secrets that a recording uses: none of the session's if the terminal never echoes, because the
    /// session then treats all input as hidden.
    pub(super) fn recorded_secrets(&self) -> Arc<HiddenTexts> {
        if self.never_echoes() {
            Arc::default()
        } else {
            Arc::clone(&self.hidden)
        }
    }

    pub fn uses(&self) -> TapeUse {
        let mut uses = self.player.as_ref().map(Player::uses).unwrap_or_default();
        uses.root = self.root.path.to_string_lossy().into_owned();
        uses.record = Some(self.settings.record);
        uses.fallback = Some(self.settings.fallback);
        uses.proxied += self.proxied.load(Ordering::Relaxed);
        if let Some(recording) = self.recording() {
            uses.recorded = recording.exchanges();
            uses.problem = recording.problem();
        }
        let outcome = self.outcome.lock();
        if let Some(finished) = &outcome.finished {
            finished.note_in(&mut uses);
        }
        let unused = outcome.unused.as_ref();
        uses.unused = unused.map(|unused| unused.iter().map(ToString::to_string).collect());
        uses
    }

    /// Returns the use of tapes for the session's record, which is also kept after its end.
    pub fn past(&self) -> PastTape {
        PastTape {
            is_replay: self.is_replay(),
            has_injected_end: matches!(self.injection(), Some(Injection::Exit(_))),
            uses: self.uses(),
        }
    }

    /// Returns true if nothing more is printed until something is typed; `None` if a real program runs.
    pub fn waits(&self) -> Option<bool> {
        let player = self.answering()?;
        Some(self.ready.is_cancelled() && player.is_waiting())
    }

    /// Returns true if this is the next input on the tape.
    pub fn expects(&self, input: &[u8]) -> bool {
        self.player
            .as_ref()
            .is_some_and(|player| player.expects(input))
    }

    /// Returns the rest of an input that was one during the recording, and of which only some lines were typed.
    pub fn awaited(&self) -> Option<Vec<u8>> {
        self.answering()?.awaited()
    }

    /// Returns true if the options asked for an error in the last answer, so that part of it is missing.
    pub(crate) fn has_cut_answer(&self) -> bool {
        matches!(self.injection(), Some(Injection::Truncate(_)))
    }

    fn injection(&self) -> Option<Injection> {
        self.answering()?.injection()
    }

    /// Returns the player, until a real program has taken over.
    fn answering(&self) -> Option<&Player> {
        let player = self.player.as_ref();
        player.filter(|_| self.live.get().is_none())
    }
}

impl std::fmt::Debug for SessionTape {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("SessionTape")
    }
}

impl Session {
    /// Returns the tape state; `None` once the session has ended and its tape, if it was recorded, is made.
    pub fn tape(&self) -> Option<Arc<SessionTape>> {
        self.input.tape()
    }

    /// Uses the recording of its program, if it is recorded.
    pub(crate) fn with_recording(&self, work: impl FnOnce(&Recording)) {
        if let Some(recording) = self.tape().as_ref().and_then(|tape| tape.recording()) {
            work(recording);
        }
    }

    /// Returns true if a tape replays in place of its program, or did until the real program took over.
    pub(crate) fn is_replay(&self) -> bool {
        self.tape().is_some_and(|tape| tape.is_replay())
    }

    pub(crate) fn is_played(&self) -> bool {
        self.tape()
            .is_some_and(|tape| tape.is_replay() && tape.live.get().is_none())
    }

    /// Returns true if the program ended because the tape options asked for an error.
    pub(crate) fn has_injected_end(&self) -> bool {
        self.past_or_present_tape()
            .is_some_and(|tape| tape.has_injected_end)
    }

    /// Returns the session of the real program that has taken over from this session's tape.
    pub(crate) fn taken_over(&self) -> Option<Arc<Self>> {
        let tape = self.tape()?;
        tape.live.get().map(|live| Arc::clone(live.session()))
    }
}
