//! What an investigation may do.

use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Clone)]
pub struct Options {
    /// Dangerous commands are not sent.
    pub safe_mode: bool,
    /// Longest path of commands to a state.
    pub max_depth: u32,
    /// Time for all of it.
    pub timeout: Duration,
    /// Directory of the tapes, if all copies are recorded.
    pub tapes: Option<PathBuf>,
}
