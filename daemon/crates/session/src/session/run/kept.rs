//! A command that the next worker follows on: what is kept of it, and how it is found again by its marks.

use super::command::untypeable;
use super::running::{Follower, Running, Shell};
use crate::output::Piece;
use crate::session::error::SessionError;
use crate::session::live::Session;
use crate::session::shell::{
    CommandFile, Nonce, Printer, Prompt, ShellRun, Start, Way, takes_commands,
};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Bytes of output before the command that are searched for the prompt.
const PROMPT_BYTES: u64 = 4096;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Typing {
    pub(super) nonce: Nonce,
    pub(super) printer: Printer,
    pub(super) shell: Shell,
    #[serde(default)]
    pub(super) pid: i32,
    /// The shell's line editor takes the command.
    pub(super) has_editor: bool,
    /// The file that a shell on this machine reads; without one the command itself is typed.
    pub(super) file: Option<PathBuf>,
    pub(super) line_editing: bool,
    pub(super) is_on_tape: bool,
    /// The end of the output before it was typed.
    pub(super) offset: u64,
}

/// A command as the holder keeps it for the next worker.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct KeptCommand {
    typing: Typing,
    command: String,
    run_id: Option<String>,
    age_ms: u64,
    has_ended: bool,
}

impl Session {
    /// Returns the last command for the next worker, if it can be followed by its marks.
    pub(crate) fn kept_command(&self) -> Option<KeptCommand> {
        let running = self.runs.last()?;
        Some(KeptCommand {
            typing: running.typing.clone()?,
            command: running.command.clone(),
            run_id: running.run_id.clone(),
            age_ms: u64::try_from(running.started.elapsed().as_millis()).unwrap_or(u64::MAX),
            has_ended: running.end.borrow().is_some(),
        })
    }

    /// Follows the command that an earlier worker typed, or was about to type.
    pub(crate) async fn resume_command(
        self: &Arc<Self>,
        kept: KeptCommand,
    ) -> Result<(), SessionError> {
        let typing = kept.typing;
        let from = typing.offset.saturating_sub(PROMPT_BYTES);
        let before = self.output.read(from, (typing.offset - from) as usize);
        let prompt = match before.await {
            Ok(Piece::Bytes(bytes)) => bytes,
            _ => Vec::new(),
        };
        let run = typing.start(&prompt, &kept.command, None, true)?;
        let Some(turn) = self.runs.turn_now() else {
            return Ok(());
        };
        let now = Instant::now();
        let age = Duration::from_millis(kept.age_ms);
        let running = Arc::new(Running {
            run_id: kept.run_id,
            command: kept.command,
            started: now.checked_sub(age).unwrap_or(now),
            run: Mutex::new(run),
            end: watch::Sender::new(None),
            typing: Some(typing.clone()),
        });
        self.runs.set_last(&running);
        let follower = Follower {
            session: Arc::clone(self),
            running,
            second: None,
            file: typing.file.map(|path| CommandFile { path }),
            turn,
            shell: typing.shell,
            pid: typing.pid,
            at: typing.offset,
            is_over: kept.has_ended,
            interrupts: self.half_line.interrupts(),
        };
        self.services.tracker.spawn(follower.follow());
        Ok(())
    }
}

impl Typing {
    /// Returns the run of `command` at the prompt that ends `shown`.
    pub(super) fn start(
        &self,
        shown: &[u8],
        command: &str,
        isolate: Option<&Path>,
        is_resumed: bool,
    ) -> Result<ShellRun, SessionError> {
        let path = self.file.as_deref();
        ShellRun::new(Start {
            nonce: self.nonce.clone(),
            printer: self.printer,
            way: match path {
                // A tape needs no file: it answers the command itself.
                _ if self.has_editor => Way::Editor(path.unwrap_or(Path::new("/"))),
                Some(path) => Way::File(path),
                None => Way::Inline(command.as_bytes()),
            },
            prompt: Prompt::at_end_of(shown, self.line_editing),
            isolate,
            command: command.as_bytes(),
            may_retype: !self.is_on_tape,
            is_marked: self.is_on_tape || takes_commands(shown),
            is_resumed,
        })
        .map_err(untypeable)
    }
}
