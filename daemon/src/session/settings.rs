//! What the configuration says about sessions.

use crate::tape::settings::Replay;
use std::path::PathBuf;
use std::time::Duration;

/// Limits of sessions, and defaults for what a request leaves open. Fields carry the names of the configuration's keys;
/// `None` means no limit.
#[derive(Debug, Clone)]
pub(crate) struct SessionSettings {
    /// Live sessions.
    pub(crate) max_sessions: Option<usize>,
    pub(crate) max_rows: u16,
    pub(crate) max_cols: u16,
    pub(crate) session_timeout: Option<Duration>,
    pub(crate) max_session_runtime: Option<Duration>,
    /// Bytes of one session's log.
    pub(crate) max_output_size: Option<u64>,
    /// Lines of one session in memory.
    pub(crate) output_limit: usize,
    pub(crate) default_timeout: Duration,
    /// The configuration file sets `default_timeout`, which then precedes the time-out of a program configuration.
    pub(crate) has_default_timeout: bool,
    /// Bytes of one log file.
    pub(crate) log_rotation_size: u64,
    /// Where named pipes are made, if that folder is safe.
    pub(crate) pipe_dir: PathBuf,
    pub(crate) replay: Replay,
}
