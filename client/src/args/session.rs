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
    #[command(after_help = "Examples:
  ccctl session create --name py -- python3 -q
  ccctl session create --shell --cwd /tmp --size 50x120
  ccctl session create --name vi --attach -- vim notes.txt
  ccctl session create --reuse --env DEBUG=1 -- ./server --port 8080
  ccctl session create --name calc --no-echo -- bc -q
  ccctl session create --config db --set host=example.org --set user=me

With any tape option, tapes answer instead of the program and nothing is recorded, unless --record, \
--fallback or the configuration (replay.record, replay.fallback) says otherwise.")]
    Create(Box<CreateArgs>),
    /// List live sessions: what they run, whether they wait for input, which clients are attached
    #[command(
        visible_alias = "ls",
        after_help = "Examples:
  ccctl session list
  ccctl session list --all --json

WAITS is yes if the program waits for input, hidden if it waits with echo off, as for a password, no \
otherwise, or ? if this cannot be determined. IDLE is the time since the last input or output. ATTACHED lists \
the attached clients, read-only ones in brackets.

On a terminal, the table is fitted to the terminal's width. Otherwise there is no header, nothing is \
truncated, and every column except the last is one word.

--all also lists ended programs of run, chain, parallel and watch, and programs that could not be \
started. session history shows their history."
    )]
    List {
        /// Include ended sessions
        #[arg(short, long)]
        all: bool,
    },
    /// Show the details of a session
    #[command(
        visible_alias = "show",
        after_help = "Examples:
  ccctl session show py
  ccctl session get py --json"
    )]
    Get(SessionArgs),
    /// Type into a session; with --expect, wait for the answer
    #[command(
        override_usage = "ccctl session send [OPTIONS] <SESSION> <TEXT|--keys <KEY>|--file <FILE>|--stdin|--eof>",
        after_help = "Examples:
  ccctl session send py 'print(6 * 7)' --expect 42
  ccctl session send py --keys C-c
  ccctl session send db --secret -- \"$PASSWORD\"
  ccctl session send py --file script.py --paste"
    )]
    Send(SendArgs),
    /// Wait until a pattern matches the output, and print the output up to the end of the match
    #[command(after_help = "Examples:
  ccctl session expect py '>>> '
  ccctl session expect build 'error' 'finished' --timeout 120
  ccctl session expect build --eof --timeout none

The search starts at the session's read position: the end of the last match of session expect or \
session send --expect, at first the start of the output.")]
    Expect(ExpectArgs),
    /// Wait until the program exits, goes silent, shows a prompt or waits for input
    #[command(
        override_usage = "ccctl session wait [OPTIONS] <SESSION> <--exit|--idle <MS>|--prompt|--input>",
        after_help = "Examples:
  ccctl session wait build --exit --timeout 600
  ccctl session wait py --input
  ccctl session wait py --idle 500"
    )]
    Wait(WaitArgs),
    /// Print output, by default all that is in memory; reading never consumes it
    #[command(after_help = "Examples:
  ccctl session read py
  ccctl session read py --lines 20
  ccctl session read py --since 4096 --raw > output.bin")]
    Read(ReadArgs),
    /// Print or draw the current screen, or the last one of an ended session
    #[command(after_help = "Examples:
  ccctl session screen vi
  ccctl session screen vi --cursor
  ccctl session screen vi --svg vi.svg
  ccctl session screen vi --png vi.png
  ccctl session screen vi --json | jq '.cells[0]'

Colours are printed on a terminal; --json includes styles and the cursor.")]
    Screen(ScreenArgs),
    /// Attach this terminal to a session; a key sequence detaches, and the session keeps running
    #[command(after_help = "Examples:
  ccctl session attach py
  ccctl session attach build --read-only
  ccctl session attach vi --detach-keys 'C-p C-q'

Ctrl-\\ then d detaches; Ctrl-\\ twice types one Ctrl-\\. --detach-keys changes the keys.

If the terminal is smaller than the session, Ctrl-\\ then an arrow key moves the part that it shows, and Ctrl-\\ \
then f gives the session the size of this terminal. With --read-only, these keys work without Ctrl-\\, and f lets the \
part follow the cursor again.")]
    Attach(AttachArgs),
    /// Run a command in a session's shell, print its output and exit with its status
    #[command(after_help = "Examples:
  ccctl session run sh 'make test'
  ccctl session run sh 'cd /tmp && ls' --timeout 5

The session must show the prompt of a POSIX shell or fish, which can also be one reached through \
ssh or sudo. With session create --shell, in bash, zsh and fish, the command looks as if you had \
typed it. After a timeout the command keeps running; the next session run waits for it, and fails if \
it has not ended within its own timeout.

Exit status: the command's; 124 after a timeout, 5 if the shell is busy.")]
    Run(SessionRunArgs),
    /// Print the last lines of output; with -f, keep printing new output
    #[command(after_help = "Examples:
  ccctl session tail build
  ccctl session tail build -f
  ccctl session tail build -f --since 0 --raw | tee build.log")]
    Tail(TailArgs),
    /// Print output as it arrives (same as session tail -f)
    #[command(
        mut_arg("follow", |follow| follow.hide(true)),
        after_help = "Examples:
  ccctl session subscribe build --json"
    )]
    Subscribe(TailArgs),
    /// Send a signal to the program in the foreground
    #[command(after_help = "Examples:
  ccctl session signal py INT
  ccctl session signal server HUP")]
    Signal {
        /// Id, name, or unique prefix of an id
        session: String,
        /// Signal, such as INT, SIGINT or 2
        signal: String,
    },
    /// Change the terminal size of a session
    #[command(after_help = "Examples:
  ccctl session resize vi 50x120")]
    Resize {
        /// Id, name, or unique prefix of an id
        session: String,
        /// Terminal size
        #[arg(value_parser = size, value_name = "ROWSxCOLS")]
        size: Size,
    },
    /// Turn the terminal's echo on or off, or print whether it is on
    #[command(after_help = "Examples:
  ccctl session echo db off
  ccctl session echo db

While the echo is off, input appears as <hidden> in the history if the program reads whole lines. A program \
can change the echo itself; a shell with a line editor does so for each line.")]
    Echo {
        /// Id, name, or unique prefix of an id
        session: String,
        /// New state [default: print the current one]
        state: Option<Switch>,
    },
    /// End a session: ask the program to exit, and kill whatever is still running after a grace period
    ///
    /// Processes that cannot be killed, such as those of another user, are listed; the exit status is 0 all the same.
    #[command(after_help = "Examples:
  ccctl session close py
  ccctl session close server --grace 10")]
    Close(CloseArgs),
    /// Open a named pipe that streams the events of a session, and print its path
    #[command(after_help = "Examples:
  cat \"$(ccctl session pipe build)\"
  grep --line-buffered ERR \"$(ccctl session pipe build)\"
  cat \"$(ccctl session pipe build --raw)\" > build.log
  ccctl session pipe build --close

The pipe carries one event per line: [SECONDS][TYPE] text. SECONDS is the Unix time, such as \
1767225600.123. TYPE is OUT (output), ERR (output that looks like an error), \"IN \" (input, with a \
space) or MTX (session events, such as session_id at the start and session_closed at the end). \
Use one reader: of several, each gets only part of the events. The session never waits for a reader: \
unread events are kept in memory up to a limit, then dropped and counted. The pipe is removed with \
the session; a reader still gets the remaining events, unless it reads nothing for a second.")]
    Pipe(PipeArgs),
    /// Show the history: what was typed, printed and matched, and by which client
    #[command(after_help = "Examples:
  ccctl session history py
  ccctl session list --all         # shows the ids of runs, steps of chains, and failed starts
  ccctl session history py --limit 1000 --json")]
    History(HistoryArgs),
    /// Remove ended sessions
    #[command(
        visible_alias = "clean",
        after_help = "Examples:
  ccctl session clean
  ccctl session clean --age 60
  ccctl session clean --force --yes"
    )]
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
