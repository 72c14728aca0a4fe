//! The daemon's command line.

use clap::Parser;
use std::path::PathBuf;

/// Owns terminal sessions and serves them over a Unix socket with JSON-RPC 2.0.
///
/// It stays in the foreground; `ccctl daemon start` starts it in the background.
#[derive(Debug, Parser)]
#[command(
    name = "ccd",
    version,
    after_help = "Examples:\n  ccd                          serve in the foreground\n  ccd --socket /run/user/1000/x.sock\n  ccd --check-config           exit with status 1 if a daemon would not start\n  ccctl daemon status          ask a running daemon"
)]
pub(crate) struct Args {
    /// Listen on this socket instead of the default one.
    #[arg(long, value_name = "PATH")]
    pub(crate) socket: Option<String>,

    /// Read this configuration file instead of the default one.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Serve for the holder that has started this process.
    #[arg(long, hide = true)]
    pub(crate) worker: bool,

    /// Tell what other builds must have in common with this one to take over its sessions.
    #[arg(long, hide = true)]
    pub(crate) formats: bool,

    /// Check the configuration that the daemon would use, print the result, and exit.
    #[arg(long)]
    pub(crate) check_config: bool,

    /// Exit with status 0 if a daemon with this socket or base directory is already running.
    #[arg(long)]
    pub(crate) if_not_running: bool,
}
