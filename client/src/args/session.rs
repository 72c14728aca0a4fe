//! `ccctl session`.

use super::offer::{NameKind, SIGNALS, ValueKind};
use super::session_output::HistoryArgs;
use super::value::{Size, minutes, seconds, size, timeout};
use ccd_protocol::Timeout;
use clap::{Args, Subcommand, ValueEnum};

/// Commands for sessions.
#[derive(Debug, Subcommand)]
pub(crate) enum SessionVerb {
    /// Show the details of a session
    #[command(visible_alias = "show")]
    Get(SessionArgs),
    /// Run a command in a session's shell, print its output and exit with its status
    Run(SessionRunArgs),
    /// Send a signal to the program in the foreground
    Signal {
        /// Id, name, or unique prefix of an id
        #[arg(add = NameKind::LiveSessions)]
        session: String,
        /// Signal, such as INT, SIGINT or 2
        #[arg(add = ValueKind::Words(SIGNALS))]
        signal: String,
    },
    /// Change the terminal size of a session
    Resize {
        /// Id, name, or unique prefix of an id
        #[arg(add = NameKind::LiveSessions)]
        session: String,
        /// Terminal size
        #[arg(value_parser = size, value_name = "COLSxROWS")]
        size: Size,
    },
    /// Give a live session another name
    Rename {
        /// Id, name, or unique prefix of an id
        #[arg(add = NameKind::LiveSessions)]
        session: String,
        /// New name
        name: String,
    },
    /// Turn the terminal's echo on or off, or print whether it is on
    Echo {
        /// Id, name, or unique prefix of an id
        #[arg(add = NameKind::LiveSessions)]
        session: String,
        /// New state [default: print the current one]
        state: Option<Switch>,
    },
    /// Open a named pipe that streams the events of a session, and print its path
    Pipe(PipeArgs),
    /// Show the history: what was typed, printed and matched, and by which client
    History(HistoryArgs),
    /// Remove ended sessions
    #[command(visible_alias = "clean")]
    Cleanup(CleanupArgs),
}

/// The state of something that is turned on and off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    On,
    Off,
}

/// The argument that names a session.
#[derive(Debug, Args)]
pub(crate) struct SessionArgs {
    /// Id, name, or unique prefix of an id
    #[arg(add = NameKind::Sessions)]
    pub(crate) session: String,
}

/// Arguments of `session pipe`.
#[derive(Debug, Args)]
pub(crate) struct PipeArgs {
    /// Id, name, or unique prefix of an id
    #[arg(add = NameKind::LiveSessions)]
    pub(crate) session: String,
    /// Stream the raw bytes of the output instead of events
    ///
    /// If the worker is killed during a write, up to 4096 bytes may appear twice; session show --json lists them
    /// (pipe.repeats).
    #[arg(long, conflicts_with = "close")]
    pub(crate) raw: bool,
    /// Close and remove the pipe
    #[arg(long)]
    pub(crate) close: bool,
}

/// Arguments of `session run`.
#[derive(Debug, Args)]
pub(crate) struct SessionRunArgs {
    /// Id, name, or unique prefix of an id
    #[arg(add = NameKind::LiveSessions)]
    pub(crate) session: String,
    /// Command line for the shell, as one argument
    pub(crate) command: String,
    /// Run on a second terminal, so that output of earlier background jobs is not mixed in
    #[arg(long)]
    pub(crate) isolate: bool,
    /// Wait up to SECONDS; none: no limit [default: the session's timeout]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = timeout)]
    pub(crate) timeout: Option<Timeout>,
}

/// Arguments of `ls`.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Include ended sessions
    #[arg(short, long)]
    pub(crate) all: bool,
}

/// Arguments of `close`.
#[derive(Debug, Args)]
pub(crate) struct CloseArgs {
    /// Sessions, each by its id, its name, or a unique prefix of its id
    #[arg(add = NameKind::LiveSessions, value_name = "SESSION", required = true)]
    pub(crate) sessions: Vec<String>,
    /// Kill whatever is still running after SECONDS [default: 2]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = seconds)]
    pub(crate) grace: Option<f64>,
}

/// Arguments of `session cleanup`.
#[derive(Debug, Args)]
pub(crate) struct CleanupArgs {
    /// Also close live sessions that have been idle for MIN minutes, except attached and persistent ones
    #[arg(long, value_name = "MIN", allow_negative_numbers = true, value_parser = minutes)]
    pub(crate) age: Option<f64>,
    /// Also close all live sessions
    #[arg(long)]
    pub(crate) force: bool,
    /// Do not ask for confirmation
    #[arg(short, long)]
    pub(crate) yes: bool,
}
