//! `ccctl session`.

use super::session_create::CreateArgs;
use super::session_input::SendArgs;
use super::session_output::{AttachArgs, HistoryArgs, ReadArgs, ScreenArgs, TailArgs};
use super::session_wait::{ExpectArgs, WaitArgs};
use super::value::{Size, minutes, seconds, size, timeout};
use ccd_protocol::Timeout;
use clap::{Args, Subcommand};

/// What to do with sessions.
#[derive(Debug, Subcommand)]
pub(crate) enum SessionVerb {
    /// Start a program and print the session's id
    #[command(after_help = "Examples:
  ccctl session create --name py -- python3 -q
  ccctl session create --shell --cwd /tmp --size 50x120
  ccctl session create --name vi --attach -- vim notes.txt
  ccctl session create --reuse --env DEBUG=1 -- ./server --port 8080
  ccctl session create --config db --set host=example.org --set user=me")]
    Create(Box<CreateArgs>),
    /// List live sessions: what they run, whether they wait for input, who is attached
    #[command(
        visible_alias = "ls",
        after_help = "Examples:
  ccctl session list
  ccctl session list --all --json

On a terminal the list is as wide as the terminal. WAITS tells whether the program waits for input: yes, hidden (as for
a password), no, or ? where it cannot be seen. IDLE is the time since the last input or output; ATTACHED are the clients
that have the session on a terminal, in brackets those that only look. Elsewhere there is no heading, nothing is cut,
and each column is one word but for the last."
    )]
    List {
        /// Ended ones too
        #[arg(short, long)]
        all: bool,
    },
    /// Show a session's record
    #[command(
        visible_alias = "show",
        after_help = "Examples:
  ccctl session show py
  ccctl session get py --json"
    )]
    Get(SessionArgs),
    /// Type into a session, and wait for the answer with --expect
    #[command(
        override_usage = "ccctl session send [OPTIONS] <SESSION> <TEXT|--keys <KEY>|--file <FILE>|--stdin|--eof>",
        after_help = "Examples:
  ccctl session send py 'print(6 * 7)' --expect 42
  ccctl session send py --keys C-c
  ccctl session send db --secret --no-newline -- \"$PASSWORD\"
  ccctl session send py --file script.py --paste"
    )]
    Send(SendArgs),
    /// Wait until a pattern matches the output, and print the output up to its end
    #[command(after_help = "Examples:
  ccctl session expect py '>>> '
  ccctl session expect build 'error' 'finished' --timeout 120
  ccctl session expect build --eof --timeout none")]
    Expect(ExpectArgs),
    /// Wait for the end, for silence, for a prompt, or until the program reads its terminal
    #[command(
        override_usage = "ccctl session wait [OPTIONS] <SESSION> <--exit|--idle <MS>|--prompt|--input>",
        after_help = "Examples:
  ccctl session wait build --exit --timeout 600
  ccctl session wait py --input
  ccctl session wait py --idle 500"
    )]
    Wait(WaitArgs),
    /// Print output; reading never consumes it
    #[command(after_help = "Examples:
  ccctl session read py
  ccctl session read py --lines 20
  ccctl session read py --since 4096 --raw > output.bin")]
    Read(ReadArgs),
    /// Print or draw the screen as a terminal shows it now, or showed it last
    #[command(
        after_help = "With colours on a terminal; --json has styles and cursor.

Examples:
  ccctl session screen vi
  ccctl session screen vi --cursor
  ccctl session screen vi --svg vi.svg
  ccctl session screen vi --json | jq '.cells[0]'"
    )]
    Screen(ScreenArgs),
    /// Make this terminal the session's; keys leave it, and it goes on
    #[command(after_help = "Examples:
  ccctl session attach py
  ccctl session attach build --read-only
  ccctl session attach vi --detach-keys 'C-p C-q'

Ctrl-\\ then d leaves the session ($CCD_DETACH_KEYS); Ctrl-\\ twice types it once.")]
    Attach(AttachArgs),
    /// Run a command in a session's shell: prints its output and exits with its status
    #[command(after_help = "Examples:
  ccctl session run sh 'make test'
  ccctl session run sh 'cd /tmp && ls' --timeout 5")]
    Run(SessionRunArgs),
    /// Print the last lines of output, and with -f what comes
    #[command(after_help = "Examples:
  ccctl session tail build
  ccctl session tail build -f
  ccctl session tail build -f --since 0 --raw | tee build.log")]
    Tail(TailArgs),
    /// Print output as it comes, the same as tail -f
    #[command(after_help = "Examples:
  ccctl session subscribe build --json")]
    Subscribe(TailArgs),
    /// Send a signal to the program in the foreground
    #[command(after_help = "Examples:
  ccctl session signal py INT
  ccctl session signal server HUP")]
    Signal {
        /// Id, name, or unique prefix of an id
        session: String,
        /// INT, SIGINT or 2
        signal: String,
    },
    /// Change the size of the terminal
    #[command(after_help = "Examples:
  ccctl session resize vi 50x120")]
    Resize {
        /// Id, name, or unique prefix of an id
        session: String,
        /// ROWSxCOLS
        #[arg(value_parser = size, value_name = "ROWSxCOLS")]
        size: Size,
    },
    /// End a session: asks the program first, kills what is left after a grace period
    #[command(after_help = "Examples:
  ccctl session close py
  ccctl session close server --grace 10")]
    Close(CloseArgs),
    /// Open a named pipe that streams what happens, and print its path
    #[command(
        after_help = "One event a line: [unix.mmm][TYPE] text. TYPE is OUT (output), ERR (output that looks like an
error), IN (what was typed) or MTX (facts, such as session_id at the start and session_closed at
the end). Several readers share the lines. The session never waits for them: what nobody reads is
kept as far as memory goes, then left out and counted. The pipe goes with the session: who reads
then gets the rest, unless nothing is read for a second.

Examples:
  cat \"$(ccctl session pipe build)\"
  grep --line-buffered ERR \"$(ccctl session pipe build)\"
  cat \"$(ccctl session pipe build --raw)\" > build.log
  ccctl session pipe build --close"
    )]
    Pipe(PipeArgs),
    /// Show who typed and matched what
    #[command(after_help = "Examples:
  ccctl session history py
  ccctl session history py --limit 1000 --json")]
    History(HistoryArgs),
    /// Collect ended sessions
    #[command(
        visible_alias = "clean",
        after_help = "Examples:
  ccctl session clean
  ccctl session clean --age 60
  ccctl session clean --force --yes"
    )]
    Cleanup(CleanupArgs),
}

/// Names one session.
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
    /// The output's bytes as they are, instead of events
    #[arg(long, conflicts_with = "close")]
    pub(crate) raw: bool,
    /// Close and remove it
    #[arg(long)]
    pub(crate) close: bool,
}

/// Arguments of `session run`.
#[derive(Debug, Args)]
pub(crate) struct SessionRunArgs {
    /// Id, name, or unique prefix of an id
    pub(crate) session: String,
    /// One command for the session's shell
    pub(crate) command: String,
    /// Use a second terminal, so that output of earlier background jobs stays out
    #[arg(long)]
    pub(crate) isolate: bool,
    /// Seconds to wait, or none [default: the session's]
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = timeout)]
    pub(crate) timeout: Option<Timeout>,
}

/// Arguments of `session close`.
#[derive(Debug, Args)]
pub(crate) struct CloseArgs {
    /// Id, name, or unique prefix of an id
    pub(crate) session: String,
    /// Seconds between asking and killing [default: 2]
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = seconds)]
    pub(crate) grace: Option<f64>,
}

/// Arguments of `session cleanup`.
#[derive(Debug, Args)]
pub(crate) struct CleanupArgs {
    /// Close live sessions too that nobody used for so many minutes; never attached or persistent ones
    #[arg(long, value_name = "MIN", allow_negative_numbers = true, value_parser = minutes)]
    pub(crate) age: Option<f64>,
    /// Close all live sessions
    #[arg(long)]
    pub(crate) force: bool,
    /// Do not ask
    #[arg(short, long)]
    pub(crate) yes: bool,
}
