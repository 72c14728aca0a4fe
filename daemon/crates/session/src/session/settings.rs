//! The part of the configuration that concerns sessions.

use ccd_tape::settings::Replay;
use std::path::PathBuf;
use std::time::Duration;

/// Limits of sessions and defaults for requests, named like the configuration keys; `None` means no limit.
#[derive(Debug, Clone)]
pub struct SessionSettings {
    /// Live sessions.
    pub max_sessions: Option<usize>,
    /// Ended sessions.
    pub ended_session_limit: Option<usize>,
    pub max_rows: u16,
    pub max_cols: u16,
    pub session_timeout: Option<Duration>,
    pub max_session_runtime: Option<Duration>,
    /// Bytes of one session's log.
    pub max_output_size: Option<u64>,
    /// Lines of one session in memory.
    pub output_limit: usize,
    pub default_timeout: Duration,
    /// The configuration file sets `default_timeout`, which then overrides the timeout of a program configuration.
    pub has_default_timeout: bool,
    /// Bytes of one log file.
    pub log_rotation_size: u64,
    /// Directory for named pipes, if it is safe.
    pub pipe_dir: PathBuf,
    pub replay: Replay,
}
