//! A command that the next worker follows on: what is kept of it, and how it is found again by its marks.

use super::running::{Follower, RunningCommand};
use super::typing::RunTyping;
use crate::live::error::SessionError;
use crate::live::session::Session;
use crate::live::temporary_file::TemporaryFile;
use crate::output::Piece;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Bytes of output before the command that are searched for the prompt.
const PROMPT_BYTES: u64 = 4096;

/// A command as the holder keeps it for the next worker.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct KeptCommand {
    typing: RunTyping,
    command: String,
    run_id: Option<String>,
    age_ms: u64,
    has_ended: bool,
}

impl Session {
    /// Returns the last command for the next worker, if it can be followed by its marks.
    pub(crate) fn kept_command(&self) -> Option<KeptCommand> {
        let running = self.runs.last().filter(|running| !running.is_isolated)?;
        Some(KeptCommand {
            typing: running.typing.clone(),
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
        let running = Arc::new(RunningCommand {
            run_id: kept.run_id,
            command: kept.command,
            started: now.checked_sub(age).unwrap_or(now),
            run: Mutex::new(run),
            end: watch::Sender::new(None),
            typing: typing.clone(),
            is_isolated: false,
        });
        self.runs.set_last(&running);
        let follower = Follower {
            session: Arc::clone(self),
            running,
            second: None,
            file: typing.file.map(TemporaryFile),
            turn,
            at: typing.offset,
            is_over: kept.has_ended,
            interrupts: self.half_line.interrupts(),
        };
        self.services.tracker.spawn(follower.follow());
        Ok(())
    }
}
