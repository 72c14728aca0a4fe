//! The real program in place of a tape without an answer: it is brought to the tape's position and goes on.

use super::finished_tape::tape_exit;
use super::proxied::{KeptLive, ProxiedProgram};
use super::session_tape::{RecordingStart, SessionTape};
use crate::live::error::SessionError;
use crate::live::input::{InputError, TerminalInput};
use crate::live::run::OneShot;
use crate::live::session::Session;
use crate::output::Piece;
use crate::peer::Peer;
use ccd_protocol::session::{InputVerdict, SessionCreateParams};
use ccd_protocol::tape::{FallbackMode, RecordMode, TapeExit};
use ccd_tape::TapeError;
use ccd_tape::key::{PromptTracker, prompt_signature};
use ccd_tape::play::{InputModes, Playback, PlaybackStep, Player};
use ccd_tape::record::Recording;
use ccd_tape::settings::TapeSettings;
use ccd_text::hidden::asks_for_secret;
use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

const PIECE_BYTES: usize = 64 << 10;

/// How long the program may take to reach each of its prompts if its timeout is 0.
const MIN_PATIENCE: Duration = Duration::from_secs(5);

/// How long a program that waits at another prompt than the tape's must be silent.
const SETTLED: Duration = Duration::from_millis(250);

pub(super) const LOOK: Duration = Duration::from_millis(10);

/// How long to wait for the program of an earlier process.
pub(super) const ADOPTION: Duration = Duration::from_secs(4);

/// Returns the parameters for a session's real program; `None` if only tapes may answer.
pub(super) fn proxy_params(
    settings: &TapeSettings,
    params: &SessionCreateParams,
) -> Option<Box<SessionCreateParams>> {
    (settings.fallback == FallbackMode::Proxy).then(|| {
        Box::new(SessionCreateParams {
            tape: None,
            name: None,
            id: None,
            reuse: false,
            stream: false,
            ..params.clone()
        })
    })
}

pub(super) fn plays(settings: &TapeSettings) -> bool {
    match settings.record {
        RecordMode::Disabled => true,
        RecordMode::New => settings.fallback == FallbackMode::Proxy,
        RecordMode::Overwrite => false,
    }
}

/// Returns how many inputs are completed by one input: a line that is typed key by key is one.
fn inputs_in(bytes: &[u8]) -> u64 {
    let is_end = |byte: &u8| matches!(byte, b'\r' | b'\n' | 0x04);
    let pairs = bytes.windows(2).filter(|pair| pair == b"\r\n").count();
    (bytes.iter().filter(|byte| is_end(byte)).count() - pairs) as u64
}

impl SessionTape {
    /// Counts input of a program that runs because no tape starts like this session; true if there was any.
    pub(crate) fn note_live(&self, bytes: &[u8]) -> bool {
        if !plays(&self.settings) {
            return false;
        }
        let inputs = inputs_in(bytes);
        self.proxied.fetch_add(inputs, Ordering::Relaxed);
        inputs > 0
    }

    /// Types into the program that has taken over; records the input if the session records what is on no tape.
    pub(super) async fn type_live(
        &self,
        live: &ProxiedProgram,
        terminal_input: TerminalInput<'_>,
    ) -> Result<(), InputError> {
        let session = live.session();
        session.note_write(terminal_input.bytes);
        let keys = session.input.keys_of(terminal_input.bytes);
        let keys = match &keys {
            Cow::Owned(keys) => terminal_input.with_bytes(keys),
            Cow::Borrowed(_) => terminal_input,
        };
        let typing = self.recording().map(Recording::typing);
        let hides = session.input.hides_more();
        let written = Box::pin(session.write_input(keys)).await?;
        if let Some(player) = &self.player {
            player.note_proxied(inputs_in(terminal_input.bytes));
        }
        if let Some(typing) = typing {
            let offset = live.kept.outer_start + (written.offset - live.kept.inner_start);
            // As in `SessionInput`, a missing echo says nothing about secrecy where there never is one.
            let unseen = if self.never_echoes() {
                hides || session.input.hides_more()
            } else {
                written.hidden
            };
            typing.typed(terminal_input.typed(offset, unseen, written.canonical));
        }
        Ok(())
    }

    /// Starts the program, types all input that tapes have answered so far, and shows the output from then on.
    pub(super) async fn take_over(&self, player: &Player) -> Result<&ProxiedProgram, InputError> {
        let failed = |error: SessionError| InputError::Tape(TapeError::Proxy(error.to_string()));
        let (Some(params), Some(sessions)) = (&self.proxy_params, self.sessions.upgrade()) else {
            return Err(InputError::CLOSED);
        };
        let gone = CancellationToken::new();
        let mut params = SessionCreateParams::clone(params);
        if let Some(outer) = sessions.all.get(&self.id) {
            let (rows, cols) = outer.size();
            (params.rows, params.cols) = (Some(rows.into()), Some(cols.into()));
        }
        let peer = Peer::daemon(gone.clone());
        let shot = Box::pin(OneShot::start(&sessions, &peer, params));
        let shot = shot.await.map_err(failed)?;
        let place = player.place();
        catch_up(&shot.session, &place.typed, &place.prompt)
            .await
            .map_err(|reason| InputError::Tape(TapeError::Proxy(reason)))?;
        if self.settings.record == RecordMode::New {
            let asked = place.typed.iter();
            let asked = asked.filter(|(prompt, _)| asks_for_secret(prompt));
            let secrets = asked.map(|(_, typed)| String::from_utf8_lossy(typed).into_owned());
            let place = RecordingStart {
                offset: place.queued_upto,
                secrets: secrets.collect(),
                state: place.state,
                is_start: false,
            };
            let recorded = self
                .record(sessions.services.folders.session(&self.id), place)
                .await;
            recorded.map_err(InputError::Tape)?;
        }
        let kept = KeptLive {
            session: shot.session.id().to_string(),
            inner_start: shot.session.output.end(),
            outer_start: place.queued_upto,
        };
        tracing::info!(target: "tape", session = %self.id, program = %shot.session.id(), "the real program takes over where the tape ended");
        Ok(self.show_live(shot, gone, kept, player.playback(), 0))
    }

    fn show_live(
        &self,
        shot: OneShot,
        gone: CancellationToken,
        kept: KeptLive,
        show: Arc<Playback>,
        shown: u64,
    ) -> &ProxiedProgram {
        let inner = Arc::clone(&shot.session);
        let from = kept.inner_start + shown;
        let tracker = inner.services.tracker.clone();
        tracker.spawn(relay(inner, from, show, gone.clone()));
        self.live
            .get_or_init(|| ProxiedProgram { shot, gone, kept })
    }

    /// Continues with a program that an earlier process started; `shown` bytes of the output were shown.
    pub(super) async fn resume_live(&self, kept: KeptLive, shown: u64) {
        let (Some(player), Some(sessions)) = (&self.player, self.sessions.upgrade()) else {
            return;
        };
        let end = Instant::now() + ADOPTION;
        let inner = loop {
            match sessions.find_listed(&kept.session) {
                Ok(inner) => break inner,
                Err(_) if Instant::now() < end => tokio::time::sleep(LOOK).await,
                Err(error) => {
                    tracing::error!(%error, "the program that took over from a tape is lost");
                    let exit = TapeExit {
                        code: None,
                        signal: Some(1),
                    };
                    return player.playback().add([PlaybackStep::End(exit)]);
                }
            }
        };
        let gone = CancellationToken::new();
        inner.claim(&Peer::daemon(gone.clone()));
        let shot = OneShot::new(&sessions, inner);
        let shown = shown.saturating_sub(kept.outer_start);
        self.show_live(shot, gone, kept, player.playback(), shown);
    }
}

/// Types the input that tapes have answered into the program, each line at its prompt.
async fn catch_up(
    session: &Arc<Session>,
    typed: &[(String, Vec<u8>)],
    prompt: &str,
) -> Result<(), String> {
    let mut seen = CatchUp::default();
    for (prompt, input) in typed {
        seen.await_prompt(session, prompt).await?;
        session.note_write(input);
        let keys = session.input.keys_of(input);
        let written = session.write(&keys, false).await;
        written
            .map_err(|_| String::from("it read no input while the inputs so far were repeated"))?;
        session.touch();
        seen.is_answered = false;
    }
    seen.await_prompt(session, prompt).await
}

#[derive(Default)]
struct CatchUp {
    prompt: PromptTracker,
    upto: u64,
    is_answered: bool,
}

impl CatchUp {
    async fn await_prompt(&mut self, session: &Arc<Session>, wanted: &str) -> Result<(), String> {
        let wanted = prompt_signature(wanted);
        let patience = session.facts.timeout.max(MIN_PATIENCE);
        let end = Instant::now() + patience;
        loop {
            self.take(session).await?;
            let is_there = prompt_signature(&self.prompt.prompt()) == wanted;
            if is_there && self.is_answered && !wanted.is_empty() {
                return Ok(());
            }
            let look = session.waiting_for_input().await;
            let waits = look.is_some_and(|look| look.verdict != InputVerdict::No);
            self.take(session).await?;
            // Without a prompt, only silence shows that its answer has come out: it may still be in a pipe.
            let is_at_prompt = is_there && !wanted.is_empty();
            if waits && (is_at_prompt || session.idle() >= SETTLED) {
                return Ok(());
            }
            if !session.is_alive() {
                let how = session.not_alive(None);
                return Err(format!(
                    "it exited while the inputs so far were repeated: {how}"
                ));
            }
            if Instant::now() >= end {
                return Err(format!(
                    "it did not show the prompt {wanted:?} within {} s; its last line is {:?}",
                    patience.as_secs(),
                    self.prompt.prompt()
                ));
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    async fn take(&mut self, session: &Session) -> Result<(), String> {
        loop {
            let piece = session.output.read(self.upto, PIECE_BYTES).await;
            match piece.map_err(|error| error.to_string())? {
                Piece::Bytes(bytes) => {
                    self.upto += bytes.len() as u64;
                    self.prompt.feed(&bytes);
                    self.is_answered = true;
                }
                Piece::Missing { resume } => self.upto = resume,
                Piece::Pending | Piece::End => return Ok(()),
            }
        }
    }
}

/// Shows a program's output from an offset on, until the program has ended or no session shows it.
async fn relay(inner: Arc<Session>, from: u64, show: Arc<Playback>, gone: CancellationToken) {
    let mut upto = from;
    let mut modes = None;
    loop {
        let changed = inner.output.changed();
        let now = inner.input.line().map(|line| InputModes {
            hidden: line.hides_input(),
            keys: !line.canonical,
        });
        if now != modes {
            modes = now;
            show.add(now.map(PlaybackStep::Modes));
        }
        show.room().await;
        match inner.output.read(upto, PIECE_BYTES).await {
            Ok(Piece::Bytes(bytes)) => {
                let parts = inner.parts(upto, &bytes).await.into_iter();
                show.add(parts.map(|(stream, bytes)| PlaybackStep::Print {
                    delay: Duration::ZERO,
                    bytes,
                    stream,
                }));
                upto += bytes.len() as u64;
                continue;
            }
            Ok(Piece::Missing { resume }) => {
                upto = resume;
                continue;
            }
            Ok(Piece::Pending) => {}
            Ok(Piece::End) | Err(_) => {
                let exit = inner.state().exit.or_else(|| inner.output.exit());
                let exit = exit.map(tape_exit).unwrap_or_default();
                return show.add([PlaybackStep::End(exit)]);
            }
        }
        tokio::select! {
            () = changed => {}
            () = gone.cancelled() => return,
        }
    }
}
