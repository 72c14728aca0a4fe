//! `ccctl daemon`.

use super::offer::{LEVELS, ValueKind};
use super::value::switch;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Commands for the daemon.
#[derive(Debug, Subcommand)]
pub(crate) enum DaemonVerb {
    /// Start the daemon if none is running
    Start,
    /// End all sessions and stop the daemon
    Stop(StopArgs),
    /// Restart the worker process, which serves clients; sessions are kept, running jobs end
    Restart,
    /// Switch to another build of ccd; sessions are kept, running jobs end
    Upgrade(UpgradeArgs),
    /// Show the daemon's state, limits, paths and resource use
    Status,
    /// Reload the configuration
    Reload,
    /// Print the daemon's log
    Logs(LogsArgs),
    /// Show which level the daemon logs, or change it until its next start
    LogLevel(LogLevelArgs),
    /// Check the database, and delete expired sessions, logs, history and jobs
    Check,
    /// Check that the daemon responds, and how fast
    Ping,
}

/// Arguments of `daemon stop`.
#[derive(Debug, Args)]
pub(crate) struct StopArgs {
    /// Do not ask for confirmation if there are live sessions
    #[arg(short, long)]
    pub(crate) force: bool,
}

/// Arguments of `daemon upgrade`.
#[derive(Debug, Args)]
pub(crate) struct UpgradeArgs {
    /// The ccd binary to switch to [default: the ccd in ccctl's directory, or on PATH]
    pub(crate) binary: Option<PathBuf>,
}

/// Arguments of `daemon logs`.
#[derive(Debug, Args)]
pub(crate) struct LogsArgs {
    /// Keep printing new lines
    #[arg(short, long)]
    pub(crate) follow: bool,
    /// Print the last N lines
    #[arg(
        short = 'n',
        long,
        value_name = "N",
        allow_negative_numbers = true,
        default_value_t = 20
    )]
    pub(crate) lines: usize,
}

/// Arguments of `daemon log-level`.
#[derive(Debug, Args)]
pub(crate) struct LogLevelArgs {
    /// Log this level and above: error, warn, info, debug or trace [default: print the current one]
    #[arg(add = ValueKind::Words(LEVELS))]
    pub(crate) level: Option<String>,
    /// The level, as daemon log took it
    #[arg(long = "level", hide = true, conflicts_with = "level")]
    pub(crate) level_option: Option<String>,
    /// Log each decision of pattern matching and tape replay: on or off
    #[arg(long, value_name = "on|off", value_parser = switch)]
    #[arg(add = ValueKind::Words(&["on", "off"]))]
    pub(crate) debug: Option<bool>,
}
