//! One copy of a program that runs.

use super::exit::Exit;
use super::reply::{Reply, Settled};
use super::target::{Target, is_shell};
use super::terminal::Terminal;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ccd_protocol::session::{EndReason, SessionSendParams};
use ccd_session::peer::Peer;
use ccd_session::{OneShot, Session, SessionError, wait_for_published};
use ccd_text::canonical::LINE_LEN;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::time::Instant;

const MAX_ANSWER_BYTES: usize = 1 << 20;

/// A program that prints more than this without waiting for input floods the terminal.
const FLOOD_BYTES: u64 = 8 << 20;

/// How much a line editor may print in addition for each byte that it reads: the row of the terminal again.
const REDRAWN_BYTES: u64 = 512;

/// Silence before the first check of the program, and the longest time between two checks.
const FIRST_LOOK: Duration = Duration::from_millis(3);
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// How long a program must be quiet that waits for input and other events at the same time.
const PATIENCE: Duration = Duration::from_millis(40);

/// How long a key may take to its effect on a busy machine.
const HANDED_OVER: Duration = Duration::from_millis(500);

/// A program that printed something this short before the end of its time limit was still printing.
const RECENT: Duration = Duration::from_millis(200);

pub type SessionResult<T> = Result<T, SessionError>;

/// A copy of a program; it ends when this is dropped.
pub struct Running {
    shot: OneShot,
    peer: Peer,
    /// Longest wait for an answer.
    limit: Duration,
    /// The prompt after the last answer.
    prompt: Option<String>,
    /// How much of the output may be the last input, drawn again and again.
    redrawn_bytes: u64,
    /// Goes away with the copy.
    _folder: Option<TempDir>,
}

impl Running {
    pub(super) fn new(shot: OneShot, peer: Peer, limit: Duration) -> Self {
        Self {
            shot,
            peer,
            limit,
            prompt: None,
            redrawn_bytes: 0,
            _folder: None,
        }
    }

    pub(super) fn in_folder(self, folder: TempDir) -> Self {
        Self {
            _folder: Some(folder),
            ..self
        }
    }

    pub fn session(&self) -> &Arc<Session> {
        &self.shot.session
    }

    pub fn set_limit(&mut self, limit: Duration) {
        self.limit = limit;
    }

    /// Waits until the program, which has just been started, waits for input.
    pub async fn first(&mut self, limit: Duration) -> SessionResult<Reply> {
        self.settle("", 0, limit).await
    }

    /// Does the same, and returns how many milliseconds after this call it first printed something; none if it printed
    /// nothing.
    pub async fn first_and_output(
        &mut self,
        limit: Duration,
    ) -> SessionResult<(Reply, Option<u64>)> {
        let (began, session) = (Instant::now(), Arc::clone(self.session()));
        let printed = || {
            let has_printed = session.output.end() > 0;
            has_printed.then(|| began.elapsed().as_millis() as u64)
        };
        let output = async {
            while session.output.end() == 0 {
                let changed = session.output.changed();
                if session.output.end() > 0 || session.is_dead() {
                    break;
                }
                changed.await;
            }
            printed()
        };
        let first = self.first(limit);
        tokio::pin!(first, output);
        tokio::select! {
            biased;
            printed = &mut output => Ok((first.await?, printed)),
            // What was printed at the end may not have been announced.
            reply = &mut first => Ok((reply?, printed())),
        }
    }

    /// Waits longer for a program that has not answered.
    pub async fn go_on(&mut self, limit: Duration) -> SessionResult<Reply> {
        let from = self.session().output.end();
        self.settle("", from, limit).await
    }

    /// Types a line and waits until the program wants the next; that it ends is not an error.
    pub async fn ask(&mut self, line: &str) -> SessionResult<Reply> {
        self.ask_lines(&[line.as_bytes()]).await
    }

    /// Types several lines at once and waits until the program has taken all of them and wants the next.
    /// Of a line that the terminal would refuse because it is too long, the part is typed that it keeps.
    pub async fn ask_lines(&mut self, lines: &[&[u8]]) -> SessionResult<Reply> {
        let terminal = self.terminal();
        let is_canonical = terminal.is_some_and(|terminal| terminal.is_canonical());
        let mut data = Vec::new();
        for line in lines {
            data.extend_from_slice(if is_canonical { kept(line) } else { line });
            data.push(b'\r');
        }
        self.redrawn_bytes = if is_canonical {
            0
        } else {
            data.len() as u64 * REDRAWN_BYTES
        };
        let params = SessionSendParams {
            data_b64: Some(STANDARD.encode(data)),
            ..SessionSendParams::default()
        };
        let last = lines.last().copied().unwrap_or_default();
        self.send(params, &String::from_utf8_lossy(last)).await
    }

    /// Presses a key, named as in tmux, and waits as [`Self::ask`] does. Until the kernel has handed the key over, a program that
    /// it ends waits as before.
    pub async fn press(&mut self, key: &str) -> SessionResult<Reply> {
        self.redrawn_bytes = 0;
        let params = SessionSendParams {
            keys: Some(vec![key.to_owned()]),
            ..SessionSendParams::default()
        };
        let from = self.session().output.end();
        let reply = self.send(params, "").await?;
        match self.ended_within(HANDED_OVER).await {
            Some(exit) if reply.exit().is_none() => {
                self.reply("", from, Settled::Ended(exit)).await
            }
            _ => Ok(reply),
        }
    }

    async fn send(&mut self, params: SessionSendParams, typed: &str) -> SessionResult<Reply> {
        let from = self.session().output.end();
        let params = SessionSendParams {
            session: self.session().id().to_string(),
            ..params
        };
        let session = Arc::clone(self.session());
        match session.send(&self.peer, params).await {
            Ok(_) | Err(SessionError::NotAlive { .. }) => {}
            // It did not read for 5 s.
            Err(SessionError::InputFull { .. }) => {
                let settled = self.late().await;
                return self.reply(typed, from, settled).await;
            }
            Err(error) => return Err(error),
        }
        self.settle(typed, from, self.limit).await
    }

    async fn settle(&mut self, typed: &str, from: u64, limit: Duration) -> SessionResult<Reply> {
        let began = Instant::now();
        let session = Arc::clone(self.session());
        let waiting = tokio::time::timeout(limit, wait(&session, from + self.redrawn_bytes)).await;
        let settled = match waiting {
            Ok(Waiting::Input { hidden }) => Settled::Waits { hidden },
            Ok(Waiting::Exit) => Settled::Ended(self.exit()),
            Ok(Waiting::TooMuch) => Settled::Floods,
            Err(_) => self.late().await,
        };
        let mut reply = self.reply(typed, from, settled).await?;
        reply.took = began.elapsed();
        Ok(reply)
    }

    /// Waits for the end of the program, without typing anything; none if it does not end.
    pub async fn ended_within(&self, limit: Duration) -> Option<Exit> {
        let session = self.session();
        let end = async {
            while !session.is_dead() {
                let _ = tokio::time::timeout(LONGEST_PAUSE, session.output.changed()).await;
            }
        };
        let ended = tokio::time::timeout(limit, end).await;
        ended.is_ok().then(|| self.exit())
    }

    /// Decides what a program does that was not seen to wait for input in time. On a busy machine it may have come to
    /// that unseen.
    async fn late(&self) -> Settled {
        let session = self.session();
        let before = session.output.end();
        tokio::time::sleep(RECENT).await;
        if session.output.end() > before {
            return Settled::Floods;
        }
        match session.waits_after(RECENT, PATIENCE).await {
            Some(waiting) => Settled::Waits {
                hidden: waiting.hidden,
            },
            None if session.is_dead() => Settled::Ended(self.exit()),
            None => Settled::Hangs,
        }
    }

    fn exit(&self) -> Exit {
        let exit = self.session().state().exit;
        exit.map_or_else(Exit::default, |exit| Exit {
            code: exit.code,
            signal: exit.signal,
        })
    }

    async fn reply(&mut self, typed: &str, from: u64, settled: Settled) -> SessionResult<Reply> {
        let end = wait_for_published(self.session()).await;
        let raw = self.shot.output(from, MAX_ANSWER_BYTES).await?;
        let line = match settled {
            Settled::Waits { .. } => self.session().line_before_cursor().await,
            _ => String::new(),
        };
        // What was printed without a line end is no part of the prompt.
        let line = match &self.prompt {
            Some(prompt) if line.trim_end().ends_with(prompt.as_str()) => prompt.clone(),
            _ => line,
        };
        let mut reply = Reply::new(typed, raw, &line, settled);
        reply.printed_bytes = end.saturating_sub(from + self.redrawn_bytes);
        self.prompt.clone_from(&reply.prompt);
        Ok(reply)
    }

    /// Returns the terminal, which can be looked at even after the program has ended.
    pub fn terminal(&self) -> Option<Terminal> {
        self.session().input.master().map(Terminal::new)
    }

    /// Returns all living processes of the program, those included that have left its terminal.
    pub async fn processes(&self) -> Vec<i32> {
        let session = self.session();
        let table = session.services.processes.current().await;
        let processes = table.processes_of(&session.traces());
        processes.into_iter().map(|process| process.pid).collect()
    }

    pub fn is_full_screen(&self) -> bool {
        self.session().modes().alternate_screen
    }

    /// Returns whether a shell reads the terminal now, which may be one that the target has started. The shell that runs
    /// a script of the target is none.
    pub async fn is_read_by_shell(&self, target: &Target) -> bool {
        let Some(probe) = self.session().probe().await else {
            return false;
        };
        let name = std::fs::read_to_string(format!("/proc/{}/comm", probe.foreground));
        name.is_ok_and(|name| is_shell(name.trim())) && target.script().is_empty()
    }

    /// Ends the program and all that it has started, and removes its folder.
    pub async fn end(self) {
        self.shot.end(EndReason::Closed).await;
        if let Err(error) = self.shot.collect().await {
            tracing::warn!(%error, "could not clean up after a program that was asked");
        }
    }

    /// Does the same as [`Self::end`], and returns the tape that was recorded.
    pub async fn end_with_tape(self) -> Option<String> {
        let session = Arc::clone(self.session());
        self.end().await;
        let tape = session.record(None).tape?;
        tape.written.first().cloned()
    }
}

/// Returns the part of a line that a terminal passes on to a program that reads lines, cut at a character.
pub(crate) fn kept(line: &[u8]) -> &[u8] {
    if line.len() <= LINE_LEN {
        return line;
    }
    match std::str::from_utf8(line) {
        Ok(text) => &line[..text.floor_char_boundary(LINE_LEN)],
        Err(_) => &line[..LINE_LEN],
    }
}

enum Waiting {
    Input {
        hidden: bool,
    },
    Exit,
    /// It has printed more than [`FLOOD_BYTES`].
    TooMuch,
}

/// Waits until the program waits for input, has ended, or has printed too much since `from`.
async fn wait(session: &Session, from: u64) -> Waiting {
    let mut pause = FIRST_LOOK;
    let mut seen = session.output.end();
    let mut quiet_since = Instant::now();
    loop {
        if session.is_dead() {
            return Waiting::Exit;
        }
        let end = session.output.end();
        if end.saturating_sub(from) > FLOOD_BYTES {
            return Waiting::TooMuch;
        }
        if end != seen {
            (seen, quiet_since, pause) = (end, Instant::now(), FIRST_LOOK);
        }
        let quiet = quiet_since.elapsed();
        if quiet >= FIRST_LOOK {
            if let Some(waiting) = session.waits_after(quiet, PATIENCE).await {
                return Waiting::Input {
                    hidden: waiting.hidden,
                };
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
        let _ = tokio::time::timeout(pause, session.output.changed()).await;
    }
}
