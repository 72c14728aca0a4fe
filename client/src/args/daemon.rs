//! `ccctl daemon`.

use super::value::switch;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// What to do with the daemon.
#[derive(Debug, Subcommand)]
pub(crate) enum DaemonVerb {
    /// Start the daemon if none runs
    #[command(after_help = "Examples:
  ccctl daemon start")]
    Start,
    /// End all sessions and the daemon
    #[command(after_help = "Examples:
  ccctl daemon stop
  ccctl daemon stop --force")]
    Stop(StopArgs),
    /// Go on in another process; all sessions stay
    #[command(after_help = "Examples:
  ccctl daemon restart")]
    Restart,
    /// Go on with another build of ccd; all sessions stay
    #[command(after_help = "Examples:
  ccctl daemon upgrade
  ccctl daemon upgrade ./target/release/ccd")]
    Upgrade(UpgradeArgs),
    /// Show what the daemon holds and uses
    #[command(after_help = "Examples:
  ccctl daemon status
  ccctl daemon status --json")]
    Status,
    /// Read the configuration again
    #[command(after_help = "Examples:
  ccctl daemon reload")]
    Reload,
    /// Print the daemon's log
    #[command(after_help = "Examples:
  ccctl daemon logs -n 100
  ccctl daemon logs -f")]
    Logs(LogsArgs),
    /// Show or change what is logged, until the next start
    #[command(after_help = "Examples:
  ccctl daemon log --level debug
  ccctl daemon log --debug on")]
    Log(LogArgs),
    /// Check databases and session folders
    #[command(after_help = "Examples:
  ccctl daemon check")]
    Check,
    /// Tell whether the daemon answers, and how fast
    #[command(after_help = "Examples:
  ccctl daemon ping --no-start")]
    Ping,
}

/// Arguments of `daemon stop`.
#[derive(Debug, Args)]
pub(crate) struct StopArgs {
    /// Do not ask when sessions are alive
    #[arg(short, long)]
    pub(crate) force: bool,
}

/// Arguments of `daemon upgrade`.
#[derive(Debug, Args)]
pub(crate) struct UpgradeArgs {
    /// The ccd that goes on [default: the one that ccctl starts]
    pub(crate) binary: Option<PathBuf>,
}

/// Arguments of `daemon logs`.
#[derive(Debug, Args)]
pub(crate) struct LogsArgs {
    /// Go on with what comes
    #[arg(short, long)]
    pub(crate) follow: bool,
    /// So many lines
    #[arg(
        short = 'n',
        long,
        value_name = "N",
        allow_negative_numbers = true,
        default_value_t = 20
    )]
    pub(crate) lines: usize,
}

/// Arguments of `daemon log`.
#[derive(Debug, Args)]
pub(crate) struct LogArgs {
    /// error, warn, info, debug or trace
    #[arg(long)]
    pub(crate) level: Option<String>,
    /// Decisions of matching and replay too: on or off
    #[arg(long, value_name = "on|off", value_parser = switch)]
    pub(crate) debug: Option<bool>,
}
