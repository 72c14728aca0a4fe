//! What tapes have to do with a session: it is recorded, or played, or first played and then live.

use super::far_side::TerminalFarSide;
use super::finished_tape::finish;
use super::kept::{Left, PastTape};
use super::proxy::{Live, plays, proxy_params};
use crate::session::error::SessionError;
use crate::session::input::{InputError, Stroke};
use crate::session::live::Session;
use crate::session::registry::Sessions;
use crate::session::start::Plan;
use ccd_protocol::SessionId;
use ccd_protocol::session::{EndReason, SessionCreateParams};
use ccd_protocol::tape::{FallbackMode, TapeExit, TapeOptions, TapeUse};
use ccd_tape::advice::record_with;
use ccd_tape::decorate::RunFilter;
use ccd_tape::format::Meta;
use ccd_tape::key::{Invocation, StateHash, program_name};
use ccd_tape::play::{Cue, Pace, PlayError, Player};
use ccd_tape::record::{Begin, EndEntry, Finished, Heard, Recording};
use ccd_tape::root::Root;
use ccd_tape::settings::Settings;
use ccd_tape::tools::{Removed, redact_meta};
use ccd_tape::{TapeError, record};
use ccd_terminal::piped;
use ccd_text::hidden::HiddenTexts;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use tokio_util::sync::CancellationToken;

/// A session's part in tapes.
pub struct SessionTape {
    pub settings: Settings,
    pub(super) options: TapeOptions,
    pub(super) meta: Meta,
    pub root: Arc<Root>,
    pub(super) player: Option<Player>,
    pub(super) recording: OnceLock<Recording>,
    /// The session's secrets.
    pub hidden: Arc<HiddenTexts>,
    /// What the real program is started with where no tape answers; `None` where only tapes may answer.
    pub(super) proxy_params: Option<Box<SessionCreateParams>>,
    /// The real program, once it has taken over from the tapes.
    pub(super) live: OnceLock<Live>,
    /// What an earlier process has left to be shown.
    pub(super) left: Mutex<Option<Left>>,
    /// Cancelled when what an earlier process has left goes on; nothing is typed before.
    pub(super) ready: CancellationToken,
    /// Inputs of a program that ran from the start because no tape begins so.
    pub(super) proxied: AtomicU64,
    pub(super) sessions: Weak<Sessions>,
    pub(super) id: SessionId,
    outcome: Mutex<TapeOutcome>,
}

/// What came of it in the end.
#[derive(Debug, Default)]
struct TapeOutcome {
    finished: Option<Finished>,
    unused: Option<Vec<String>>,
}

/// Where in a conversation a recording begins.
pub(super) struct RecordingStart {
    /// Of the session's output.
    pub(super) offset: u64,
    pub(super) state: StateHash,
    pub(super) is_start: bool,
}

/// What a session starts as.
pub enum Beginning {
    /// The program runs.
    Live(Option<Arc<SessionTape>>),
    /// A tape stands in for it.
    Replay(Arc<SessionTape>),
}

impl Beginning {
    pub fn tape(&self) -> Option<Arc<SessionTape>> {
        match self {
            Self::Live(tape) => tape.clone(),
            Self::Replay(tape) => Some(Arc::clone(tape)),
        }
    }
}

impl SessionTape {
    /// What it asks of its tapes.
    pub(super) fn cue(&self) -> Cue {
        let meta = &self.meta;
        let named = (!self.settings.is_default_root).then_some(&*self.root.path);
        Cue {
            root: Arc::clone(&self.root),
            record_with: record_with(meta, named),
            rules: self.settings.rules.clone(),
            invocation: Invocation::of(meta),
            pace: Pace {
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

    /// True where the terminal never shows what is typed, so that this says nothing of it.
    pub fn never_echoes(&self) -> bool {
        self.meta.plain || self.is_piped()
    }

    /// True when the session is between pipes.
    fn is_piped(&self) -> bool {
        self.meta.pty.is_none()
    }

    /// True when a tape stands in for the program, or did until the program took over.
    pub fn is_replay(&self) -> bool {
        self.player.is_some()
    }

    /// The recording of a program that is typed into directly.
    pub fn recording(&self) -> Option<&Recording> {
        self.recording.get()
    }

    /// Has tapes answer what was typed, and where none does and it may, the real program.
    ///
    /// The next process knows of it before anything of the answer is shown.
    ///
    /// # Errors
    ///
    /// No tape has it.
    pub async fn typed(&self, stroke: Stroke<'_>) -> Result<(), InputError> {
        let Some(player) = &self.player else {
            return Ok(());
        };
        self.ready.cancelled().await;
        if let Some(live) = self.live.get() {
            let typed = live.typed(self, stroke).await;
            self.keep();
            return typed;
        }
        let on_tape = stroke.on_tape();
        let typed = player.typed(on_tape).await;
        self.keep();
        player.show().begin();
        match typed {
            Ok(()) => Ok(()),
            Err(PlayError::Miss { input, .. })
                if self.settings.fallback == FallbackMode::Proxy && self.proxy_params.is_some() =>
            {
                let live = Box::pin(self.take_over(player)).await?;
                // What is left of earlier sends goes with it.
                let typed = match input == on_tape {
                    true => live.typed(self, stroke).await,
                    false => live.typed(self, stroke.of(&input)).await,
                };
                self.keep();
                typed
            }
            Err(PlayError::Ended) => Err(InputError::Closed { written_bytes: 0 }),
            Err(error) => Err(InputError::Tape(TapeError::from(error))),
        }
    }

    /// Has the holder keep where it is.
    pub(super) fn keep(&self) {
        let sessions = self.sessions.upgrade();
        if let Some(session) = sessions.and_then(|sessions| sessions.find(self.id.as_str()).ok()) {
            session.keep();
        }
    }

    /// Begins to record; the journal is there when this returns, and in the session's folder the note of it.
    pub(super) async fn record(
        &self,
        folder: PathBuf,
        place: RecordingStart,
    ) -> Result<(), TapeError> {
        let (mut meta, mut options) = (self.meta.clone(), self.recorded_options());
        let removed = match self.settings.redact {
            true => redact_meta(&mut meta),
            false => Removed::default(),
        };
        options.tag.clone_from(&meta.tag);
        let begin = Begin {
            session: self.id.to_string(),
            options,
            meta,
            removed: removed.count,
            at_us: record::now_us(),
            offset: place.offset,
            state: place.state,
            is_start: place.is_start,
        };
        let root = Arc::clone(&self.root);
        let is_plain = self.never_echoes();
        let hidden = self.recorded_secrets();
        hidden.recognise(&removed.texts);
        let begun = tokio::task::spawn_blocking(move || {
            root.make_folder()?;
            let journal = record::Journal::path_of(&root.path, &begin.session);
            // The note comes first: a journal that nobody knows of would stay.
            let note = record::Note {
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

    /// The secrets that a recording goes by: where the terminal never echoes, the session takes all that is typed for
    /// hidden.
    pub(super) fn recorded_secrets(&self) -> Arc<HiddenTexts> {
        match self.never_echoes() {
            true => Arc::default(),
            false => Arc::clone(&self.hidden),
        }
    }

    /// The options with all that was not said, as the recording is finished by them.
    fn recorded_options(&self) -> TapeOptions {
        TapeOptions {
            record: Some(self.settings.record),
            redact: Some(self.settings.redact),
            matching: Some(self.settings.matching.clone()),
            ..self.options.clone()
        }
    }

    /// For the session's record.
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
        let outcome = self.outcome();
        if let Some(finished) = &outcome.finished {
            uses.recorded = finished.recorded;
            uses.known = finished.known;
            uses.written.clone_from(&finished.written);
            if finished.problem.is_some() {
                uses.problem.clone_from(&finished.problem);
            }
        }
        uses.unused.clone_from(&outcome.unused);
        uses
    }

    /// For the record of the session, now and when it has ended.
    pub fn past(&self) -> PastTape {
        PastTape {
            is_replay: self.is_replay(),
            uses: self.uses(),
        }
    }

    fn outcome(&self) -> MutexGuard<'_, TapeOutcome> {
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for SessionTape {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("SessionTape")
    }
}

impl Session {
    /// Has the tape of a session play, if one does.
    ///
    /// # Errors
    ///
    /// The terminal cannot be opened.
    pub fn play(self: &Arc<Self>) -> Result<(), SessionError> {
        let player = self.tape().and_then(|tape| tape.player.as_ref());
        let (Some(player), Some(master)) = (player, self.input.master()) else {
            return Ok(());
        };
        let tape = self.tape().map(Arc::clone);
        let left = tape.as_ref().and_then(|tape| tape.take_left());
        let stage =
            TerminalFarSide::open(master, left.is_none()).map_err(SessionError::Terminal)?;
        let (show, session) = (player.show(), Arc::clone(self));
        self.services.tracker.spawn(async move {
            let played = async {
                let mut printed = 0;
                if let (Some(tape), Some(left)) = (&tape, left) {
                    printed = tape.go_on(&session, left).await;
                }
                let stage = match session.facts.pipes {
                    true => stage.marking(&session.output.dir().join(piped::MARKS), printed)?,
                    false => stage,
                };
                if let Some(tape) = &tape {
                    tape.ready.cancel();
                }
                show.run(stage).await
            };
            tokio::select! {
                () = session.wait_dead() => {}
                played = played => if let Err(error) = played {
                    tracing::debug!(session = %session.id(), %error, "the terminal closed before the tape was played");
                },
            }
            if let Some(tape) = &tape {
                tape.ready.cancel();
            }
        });
        Ok(())
    }
}

impl Sessions {
    /// Decides whether a program runs or a tape plays, and begins the recording or the play.
    ///
    /// # Errors
    ///
    /// The options are wrong, the root cannot be used, or no tape begins so.
    pub async fn begin_tape(
        self: &Arc<Self>,
        params: &SessionCreateParams,
        plan: &Plan,
        id: &SessionId,
    ) -> Result<Beginning, SessionError> {
        let Some(options) = &params.tape else {
            return Ok(Beginning::Live(None));
        };
        let mut tape = self.tape_of(options, plan.meta(params), id).await?;
        if plays(&tape.settings) {
            let player = Player::new(tape.cue());
            match player.start().await {
                Ok(()) => {
                    tape.player = Some(player);
                    tape.proxy_params = proxy_params(&tape.settings, params);
                    return Ok(Beginning::Replay(Arc::new(tape)));
                }
                Err(PlayError::Miss { .. }) if tape.settings.fallback == FallbackMode::Proxy => {}
                Err(error) => return Err(TapeError::from(error).into()),
            }
        }
        Ok(Beginning::Live(Some(Arc::new(tape))))
    }

    /// The tapes that the options speak of. `meta` has the whole environment still.
    pub(super) async fn tape_of(
        self: &Arc<Self>,
        options: &TapeOptions,
        mut meta: Meta,
        id: &SessionId,
    ) -> Result<SessionTape, SessionError> {
        let settings = Settings::over(
            options,
            &self.services.settings().replay,
            &self.services.folders.base,
        );
        let settings =
            settings.map_err(|error| SessionError::InvalidArgument(error.to_string()))?;
        meta.env = settings.rules.record_env(&meta.env);
        meta.tag.clone_from(&settings.tag);
        meta.redact = settings.redact;
        let root = self.services.roots.open(&settings.root).await;
        let root = root.map_err(TapeError::from)?;
        Ok(SessionTape {
            settings,
            options: options.clone(),
            meta,
            root,
            player: None,
            recording: OnceLock::new(),
            hidden: Arc::default(),
            proxy_params: None,
            live: OnceLock::new(),
            left: Mutex::default(),
            ready: CancellationToken::new(),
            proxied: AtomicU64::new(0),
            sessions: Arc::downgrade(self),
            id: id.clone(),
            outcome: Mutex::default(),
        })
    }

    /// Nothing was started, and so nothing is recorded.
    pub async fn drop_tape(&self, tape: Option<&Arc<SessionTape>>) {
        let Some(tape) = tape else { return };
        if let Some(recording) = tape.recording() {
            let (journal, folder) = (
                recording.journal().to_owned(),
                self.services.folders.session(&tape.id),
            );
            let gone = tokio::task::spawn_blocking(move || {
                let _ = std::fs::remove_file(journal);
                record::Note::remove(&folder);
            });
            let _ = gone.await;
        }
    }
}

impl Session {
    /// Makes the tape of the session, whose program has ended; `filters` run the programs that change it.
    pub async fn finish_tape(
        &self,
        reason: EndReason,
        filters: impl FnOnce() -> Box<RunFilter<'static>>,
    ) {
        let Some(tape) = self.tape() else { return };
        if let Some(live) = tape.live.get() {
            live.end();
        }
        if let Some(recording) = tape.recording() {
            let is_own = matches!(reason, EndReason::Exited | EndReason::Signalled);
            let exit = self.output.exit().filter(|_| is_own);
            let unwritten = recording.end(EndEntry {
                exit: exit.map(|exit| TapeExit {
                    code: exit.code,
                    signal: exit.signal,
                }),
                reason: crate::session::error::reason_text(reason).into(),
                offset: self.output.published(),
            });
            let journal = recording.journal();
            let heard = Heard {
                hidden: recording.hidden().lines(),
                recognised: recording.hidden().recognised(),
                unwritten,
            };
            let root = &tape.root;
            let finished = finish(root, journal, &self.output, heard, Some(filters())).await;
            if finished.problem.is_some() {
                // The tape that could not be written has given room back.
                recording.flush();
            }
            if let Some(problem) = &finished.problem {
                tracing::error!(session = %self.id(), problem, "the tape is incomplete");
            }
            tape.outcome().finished = Some(finished);
        }
        if tape.settings.summary {
            let mut outcome = tape.outcome();
            let written = outcome.finished.as_ref();
            let written = written.map_or(&[][..], |finished| &finished.written);
            // What was recorded a moment ago could not be played yet.
            let index = tape.root.index();
            let own = program_name(&tape.meta.program);
            let is_own = |id: &Arc<str>| {
                let of_root = index.tape(id);
                of_root.is_some_and(|of_root| of_root.invocation.program == own)
            };
            let unused = tape.root.unused().into_iter().filter(is_own);
            let unused = unused.map(|id| id.to_string());
            let unused = unused.filter(|id| !written.contains(id)).collect();
            outcome.unused = Some(unused);
        }
        if !self.facts.transient {
            let (past, folder) = (tape.past(), self.output.dir().to_owned());
            let written = tokio::task::spawn_blocking(move || past.write(&folder)).await;
            if let Err(error) = written.map_err(io::Error::other).flatten() {
                tracing::warn!(session = %self.id(), %error, "could not note what tapes did for it");
            }
        }
    }

    /// Its part in tapes.
    pub fn tape(&self) -> Option<&Arc<SessionTape>> {
        self.input.tape()
    }

    /// True while a tape answers.
    pub fn is_played(&self) -> bool {
        self.tape()
            .is_some_and(|tape| tape.is_replay() && tape.live.get().is_none())
    }

    /// True when its program ended because its tape options asked for an error.
    pub fn has_injected_end(&self) -> bool {
        self.tape().is_some_and(|tape| tape.has_injected_end())
    }

    /// The session whose program it shows: itself, but where the real program has taken over from a tape.
    pub fn acting(&self) -> &Self {
        let live = self.tape().and_then(|tape| tape.live.get());
        live.map_or(self, |live| live.session())
    }
}
