//! What the daemon's configuration says about runs.

use ccd_tape::settings::ReplayDefaults;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Clone)]
pub struct ExecPaths {
    pub database: PathBuf,
    /// In the runtime directory: files of runs that are in progress.
    pub runtime: PathBuf,
    pub worktrees: PathBuf,
    /// The directory of tapes is in it, unless a request or the configuration names another one.
    pub base: PathBuf,
}

/// The keys `exec.*`.
#[derive(Debug, Clone, PartialEq)]
pub struct ExecSettings {
    /// Name or path of the program.
    pub claude: String,
    pub timeout: Duration,
    pub lock_timeout: Duration,
    pub parallel: usize,
    pub stall: Duration,
    pub grace: Duration,
    pub session_days: u32,
    pub keep_days: u32,
    /// Hooks and filters of the repository run when a fresh work tree is made.
    pub worktree_setup: bool,
    /// The keys `replay.*`.
    pub replay: ReplayDefaults,
}
