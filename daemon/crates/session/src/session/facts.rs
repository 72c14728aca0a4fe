//! What is decided when a session starts.

use super::start::Origin;
use ccd_protocol::SessionId;
use std::sync::Arc;
use std::time::Duration;

/// The files of a log that drops its oldest are no shorter than this.
const MIN_ROTATION_BYTES: u64 = 64 << 10;

/// What is decided when a session starts and never changes.
#[derive(Debug, Clone)]
pub struct Facts {
    pub id: SessionId,
    pub name: Option<SessionId>,
    pub program: String,
    pub args: Vec<String>,
    pub cwd: String,
    pub created_at: String,
    pub persist: bool,
    pub encoding: &'static encoding_rs::Encoding,
    /// Default time-out of expect, wait and run.
    pub timeout: Duration,
    /// Ends the session after so long without input or output; zero: no limit.
    pub idle_limit: Duration,
    /// Ends the session after so long; zero: no limit.
    pub runtime_limit: Duration,
    /// Bytes of log that end the session, or in a `persist` one make the oldest go; 0: no limit.
    pub log_limit_bytes: u64,
    pub shell: bool,
    pub transient: bool,
    /// The terminal neither echoes nor changes output.
    pub plain: bool,
    /// The program is between pipes, and its terminal is our process's: see [`ccd_terminal::piped`].
    pub pipes: bool,
    pub pid: i32,
    /// Place in the holder; `None` for sessions of an earlier daemon.
    pub slot: Option<usize>,
    pub tty_device: u64,
    /// The holder that runs has started it, also where that was for an earlier worker.
    pub is_of_this_holder: bool,
    /// Bytes that are kept in memory at most.
    pub output_limit: u64,
    /// What `reuse` compares.
    pub reuse_hash: [u8; 32],
    /// The program configuration it was started with.
    pub origin: Option<Arc<Origin>>,
    /// Secrets are taken out of its interaction log. What was typed hidden is in no case there.
    pub redacts_log: bool,
}

impl Facts {
    /// True when nobody draws what is printed, because it is a result: of `run.once`, of a step of a job.
    pub(super) fn is_for_its_output(&self) -> bool {
        // Only a job's sessions are both: their oldest output goes, instead of the session.
        self.plain || (self.transient && self.persist)
    }

    /// Length of a file of the session's log. Only whole files are dropped, so that a limit is kept to a quarter of it.
    pub(super) fn rotation_bytes(&self, log_rotation_size: u64) -> u64 {
        if self.persist && self.log_limit_bytes > 0 {
            let quarter = (self.log_limit_bytes / 4).max(MIN_ROTATION_BYTES);
            quarter.min(log_rotation_size)
        } else {
            log_rotation_size
        }
    }
}
