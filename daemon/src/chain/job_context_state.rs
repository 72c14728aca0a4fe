//! What a job's commands share: their outputs, how many run, and how long one waits for room.

use serde_json::Value;
use std::time::{Duration, Instant};

/// Time between two looks at whether other commands of the job still run. One that only tries to start seems to run, too.
const WHILE_OTHERS_RUN: Duration = Duration::from_millis(100);

pub(super) struct JobContextState {
    /// When the job was requested, or when its last command so far ended.
    pub(super) idle_since: Instant,
    /// Bytes of output that the job has stored.
    pub(super) output_bytes: usize,
    /// Number of commands that are running, and that are waiting for a session.
    pub(super) running: usize,
    pub(super) waiting: usize,
    pub(super) progress: Value,
}

impl JobContextState {
    pub(super) fn new() -> Self {
        Self {
            idle_since: Instant::now(),
            output_bytes: 0,
            running: 0,
            waiting: 0,
            progress: Value::Null,
        }
    }

    /// Returns how much longer a command waits for room; `None` for ever. While others of the job run, it waits on.
    pub(super) fn patience(&self, limit: Option<Duration>) -> Option<Duration> {
        let limit = limit?;
        Some(match self.running {
            0 => limit.saturating_sub(self.idle_since.elapsed()),
            _ => WHILE_OTHERS_RUN,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_waits_for_room_as_long_as_others_of_its_job_run() {
        let second = Duration::from_secs(1);
        let state = |running, idle: Duration| JobContextState {
            idle_since: Instant::now().checked_sub(idle).unwrap(),
            running,
            ..JobContextState::new()
        };
        assert_eq!(state(0, second).patience(None), None);
        assert_eq!(
            state(0, 3 * second).patience(Some(second)),
            Some(Duration::ZERO)
        );
        assert!(state(0, Duration::ZERO).patience(Some(30 * second)) > Some(29 * second));
        assert_eq!(
            state(1, 3 * second).patience(Some(second)),
            Some(WHILE_OTHERS_RUN)
        );
    }
}
