//! The properties of a session that are set at its start.

use super::start::Origin;
use ccd_protocol::SessionId;
use std::sync::Arc;
use std::time::Duration;

/// Minimum length of a log file in a session that drops its oldest log files.
const MIN_ROTATION_BYTES: u64 = 64 << 10;

/// The properties of a session that are set at its start and never change.
#[derive(Debug, Clone)]
pub struct SessionFacts {
    pub id: SessionId,
    /// The name at the start: see [`Session::name`](super::session::Session::name).
    pub name: Option<SessionId>,
    pub program: String,
    pub args: Vec<String>,
    pub cwd: String,
    pub created_at: String,
    pub persist: bool,
    pub encoding: &'static encoding_rs::Encoding,
    /// Default timeout of expect, wait and run.
    pub timeout: Duration,
    /// Time without input or output after which the session is ended; zero: no limit.
    pub idle_limit: Duration,
    /// Time after which the session is ended; zero: no limit.
    pub runtime_limit: Duration,
    /// Bytes of log after which the session is ended or, if it is `persist`, its oldest log is dropped; 0: no limit.
    pub log_limit_bytes: u64,
    pub shell: bool,
    pub transient: bool,
    /// The method that runs its program to its end. A transient session has a history only with it.
    pub started_by: Option<String>,
    /// Why its program could not be started: then it was never alive.
    pub start_error: Option<String>,
    pub created_by: Option<String>,
    /// The terminal neither echoes nor changes output.
    pub plain: bool,
    /// The program runs over pipes, and its terminal belongs to a process of ccd: see [`ccd_terminal::piped`].
    pub pipes: bool,
    pub pid: i32,
    /// Slot in the holder; `None` for sessions of an earlier daemon.
    pub slot: Option<usize>,
    pub tty_device: u64,
    /// The running holder started it, perhaps for an earlier worker.
    pub is_of_this_holder: bool,
    /// Most bytes that are kept in memory.
    pub output_limit: u64,
    /// Hash that `reuse` compares.
    pub reuse_hash: [u8; 32],
    pub origin: Option<Arc<Origin>>,
    /// Secrets are redacted in its history. Hidden input is never in the history, even without this.
    pub redacts_log: bool,
}

impl SessionFacts {
    /// True if it has a row and a history. Programs that the daemon runs for its own purposes have none.
    pub(super) fn is_logged(&self) -> bool {
        !self.transient || self.started_by.is_some()
    }

    /// True if nobody views the output on a screen because it is a result: of `run.once` or of a step of a job.
    pub(super) fn is_for_its_output(&self) -> bool {
        // Only sessions of jobs are both: they drop their oldest output instead of ending.
        self.plain || (self.transient && self.persist)
    }

    /// Returns the length of one file of the session's log. Only whole files are dropped, so files of a quarter of a
    /// limit keep the log within a quarter of it.
    pub(super) fn rotation_bytes(&self, log_rotation_size: u64) -> u64 {
        if self.persist && self.log_limit_bytes > 0 {
            let quarter = (self.log_limit_bytes / 4).max(MIN_ROTATION_BYTES);
            quarter.min(log_rotation_size)
        } else {
            log_rotation_size
        }
    }
}
