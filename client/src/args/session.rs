//! `ccctl session`.

use super::session_create::CreateArgs;
use super::session_input::SendArgs;
use super::session_output::{AttachArgs, HistoryArgs, ReadArgs, ScreenArgs, TailArgs};
use super::session_wait::{ExpectArgs, WaitArgs};
use super::value::{Size, minutes, seconds, size, timeout};
use ccd_protocol::Timeout;
use clap::{Args, Subcommand, ValueEnum};

/// Commands for sessions.
#[derive(Debug, Subcommand)]
pub(crate) enum SessionVerb {
    /// Start a program and print the session's id
    Create(Box<CreateArgs>),
    /// List live sessions: what they run, whether they wait for input, which clients are attached
    #[command(visible_alias = "ls")]
    List {
        /// Include ended sessions
        #[arg(short, long)]
        all: bool,
    },
    /// Show the details of a session
    #[command(visible_alias = "show")]
    Get(SessionArgs),
    /// Type into a session; with --expect, wait for the answer
    #[command(
        override_usage = "ccctl session send [OPTIONS] <SESSION> <TEXT|--keys <KEY>|--file <FILE>|--stdin|--eof>"
    )]
    Send(SendArgs),
    /// Wait until a pattern matches the output, and print the output up to the end of the match
    Expect(ExpectArgs),
    /// Wait until the program exits, goes silent, shows a prompt or waits for input
    #[command(
        override_usage = "ccctl session wait [OPTIONS] <SESSION> <--exit|--idle <MS>|--prompt|--input>"
    )]
    Wait(WaitArgs),
    /// Print output, by default all that is in memory; reading never consumes it
    Read(ReadArgs),
    /// Print or draw the current screen, or the last one of an ended session
    Screen(ScreenArgs),
    /// Attach this terminal to a session; a key sequence detaches, and the session keeps running
    Attach(AttachArgs),
    /// Run a command in a session's shell, print its output and exit with its status
    Run(SessionRunArgs),
    /// Print the last lines of output; with -f, keep printing new output
    Tail(TailArgs),
    /// Print output as it arrives (same as session tail -f)
    #[command(
        mut_arg("follow", |follow| follow.hide(true))
    )]
    Subscribe(TailArgs),
    /// Send a signal to the program in the foreground
    Signal {
        /// Id, name, or unique prefix of an id
        session: String,
        /// Signal, such as INT, SIGINT or 2
        signal: String,
    },
    /// Change the terminal size of a session
    Resize {
        /// Id, name, or unique prefix of an id
        session: String,
        /// Terminal size
        #[arg(value_parser = size, value_name = "ROWSxCOLS")]
        size: Size,
    },
    /// Turn the terminal's echo on or off, or print whether it is on
    Echo {
        /// Id, name, or unique prefix of an id
        session: String,
        /// New state [default: print the current one]
        state: Option<Switch>,
    },
    /// End a session: ask the program to exit, and kill whatever is still running after a grace period
    ///
    /// Processes that cannot be killed, such as those of another user, are listed; the exit status is 0 all the same.
    Close(CloseArgs),
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
    pub(crate) session: String,
}

/// Arguments of `session pipe`.
#[derive(Debug, Args)]
pub(crate) struct PipeArgs {
    /// Id, name, or unique prefix of an id
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
    pub(crate) session: String,
    /// Command line for the shell, as one argument
    pub(crate) command: String,
    /// Run on a second terminal, so that output of earlier background jobs is not mixed in
    #[arg(long)]
    pub(crate) isolate: bool,
    /// Wait up to S seconds; none: no limit [default: the session's timeout]
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = timeout)]
    pub(crate) timeout: Option<Timeout>,
}

/// Arguments of `session close`.
#[derive(Debug, Args)]
pub(crate) struct CloseArgs {
    /// Id, name, or unique prefix of an id
    pub(crate) session: String,
    /// Kill whatever is still running after S seconds [default: 2]
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = seconds)]
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
