//! `ccctl session`.

use super::session_input::SendArgs;
use super::value::{Size, milliseconds, minutes, seconds, size, timeout, variable};
use ccd_protocol::Timeout;
use clap::{Args, Subcommand};

/// What to do with sessions.
#[derive(Debug, Subcommand)]
pub(crate) enum SessionVerb {
    /// Start a program and print the session's id
    #[command(after_help = "Examples:
  ccctl session create --name py -- python3 -q
  ccctl session create --shell --cwd /tmp --size 50x120
  ccctl session create --reuse --env DEBUG=1 -- ./server --port 8080")]
    Create(CreateArgs),
    /// List live sessions
    #[command(
        visible_alias = "ls",
        after_help = "Examples:
  ccctl session list
  ccctl session list --all --json"
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
    #[command(after_help = "Examples:
  ccctl session send py 'print(1 + 1)' --expect '^2'
  ccctl session send py --keys C-c
  ccctl session send db --secret --no-newline -- \"$PASSWORD\"
  ccctl session send py --file script.py --paste")]
    Send(SendArgs),
    /// Wait until a pattern matches the output, and print the output up to its end
    #[command(after_help = "Examples:
  ccctl session expect py '>>> '
  ccctl session expect build 'error' 'finished' --timeout 120
  ccctl session expect build --eof --timeout none")]
    Expect(ExpectArgs),
    /// Wait for the end, for silence, for a prompt, or until the program reads its terminal
    #[command(after_help = "Examples:
  ccctl session wait build --exit --timeout 600
  ccctl session wait py --input
  ccctl session wait py --idle 500")]
    Wait(WaitArgs),
    /// Print output; reading never consumes it
    #[command(after_help = "Examples:
  ccctl session read py
  ccctl session read py --lines 20
  ccctl session read py --since 4096 --raw > output.bin")]
    Read(ReadArgs),
    /// Print the screen as a terminal shows it now
    #[command(after_help = "Examples:
  ccctl session screen vi
  ccctl session screen vi --cursor
  ccctl session screen vi --cells --json")]
    Screen(ScreenArgs),
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

/// Arguments of `session create`.
#[derive(Debug, Args)]
pub(crate) struct CreateArgs {
    /// Name, to use instead of the id; a named session has no idle and runtime limit
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// Id [default: 12 random characters]
    #[arg(long)]
    pub(crate) id: Option<String>,
    /// Start PROGRAM (default: $SHELL) as a shell for `session run`
    #[arg(long)]
    pub(crate) shell: bool,
    /// Working directory [default: this one]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<String>,
    /// Set a variable; can be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) env: Vec<(String, String)>,
    /// Start from a clean environment instead of this one
    #[arg(long)]
    pub(crate) clean_env: bool,
    /// ROWSxCOLS [default: 24x80]
    #[arg(long, value_parser = size, value_name = "ROWSxCOLS", conflicts_with_all = ["rows", "cols"])]
    pub(crate) size: Option<Size>,
    /// Rows, 1 to 1000
    #[arg(long, allow_negative_numbers = true)]
    pub(crate) rows: Option<i64>,
    /// Columns, 1 to 1000
    #[arg(long, allow_negative_numbers = true)]
    pub(crate) cols: Option<i64>,
    /// WHATWG label of the program's encoding [default: utf-8]
    #[arg(long)]
    pub(crate) encoding: Option<String>,
    /// No idle and runtime limit [default with a name]
    #[arg(long, overrides_with = "no_persist")]
    pub(crate) persist: bool,
    /// Idle and runtime limits hold [default without a name]
    #[arg(long)]
    pub(crate) no_persist: bool,
    /// Return a live session of the same program, arguments, directory, size and --env, if there is one
    #[arg(long)]
    pub(crate) reuse: bool,
    /// Time-out of expect, wait and run, in seconds [default: 30]
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub(crate) timeout: Option<f64>,
    /// End the session after so many seconds without input or output; 0: never
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub(crate) session_timeout: Option<f64>,
    /// End the session after so many seconds; 0: never
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub(crate) max_runtime: Option<f64>,
    /// End the session after so many bytes of output; 0: never
    #[arg(long, value_name = "BYTES", allow_negative_numbers = true)]
    pub(crate) max_output_size: Option<i64>,
    /// Lines of output kept in memory [default: 10000]
    #[arg(long, value_name = "LINES", allow_negative_numbers = true)]
    pub(crate) output_limit: Option<i64>,
    /// The program and its arguments, passed on as they are
    #[arg(
        trailing_var_arg = true,
        required_unless_present = "shell",
        value_name = "PROGRAM"
    )]
    pub(crate) program: Vec<String>,
}

impl CreateArgs {
    /// Whether limits hold, if it was said.
    pub(crate) fn persist(&self) -> Option<bool> {
        (self.persist || self.no_persist).then_some(self.persist)
    }
}

/// Arguments of `session expect`.
#[derive(Debug, Args)]
pub(crate) struct ExpectArgs {
    /// Id, name, or unique prefix of an id
    pub(crate) session: String,
    /// Regular expressions; the one that matches earliest wins
    #[arg(required_unless_present = "eof", value_name = "PATTERN")]
    pub(crate) patterns: Vec<String>,
    /// Patterns are plain text
    #[arg(long)]
    pub(crate) exact: bool,
    /// The end of the program is a match too
    #[arg(long)]
    pub(crate) eof: bool,
    /// Start at this offset, and leave the session's cursor alone
    #[arg(long, value_name = "OFFSET")]
    pub(crate) from: Option<u64>,
    /// Match control sequences too
    #[arg(long)]
    pub(crate) raw: bool,
    /// Seconds to wait, or none [default: the session's]
    #[arg(long, value_name = "S", value_parser = timeout)]
    pub(crate) timeout: Option<Timeout>,
}

/// Arguments of `session wait`.
#[derive(Debug, Args)]
pub(crate) struct WaitArgs {
    /// Id, name, or unique prefix of an id
    pub(crate) session: String,
    #[command(flatten)]
    pub(crate) condition: WaitCondition,
    /// Seconds to wait, or none [default: none for --exit, else the session's]
    #[arg(long, value_name = "S", value_parser = timeout)]
    pub(crate) timeout: Option<Timeout>,
}

/// What `session wait` waits for.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct WaitCondition {
    /// The program has ended
    #[arg(long)]
    pub(crate) exit: bool,
    /// No output for so many milliseconds
    #[arg(long, value_name = "MS", value_parser = milliseconds)]
    pub(crate) idle: Option<f64>,
    /// The program waits for input and shows a prompt
    #[arg(long)]
    pub(crate) prompt: bool,
    /// The program waits for input
    #[arg(long)]
    pub(crate) input: bool,
}

/// Arguments of `session read`.
#[derive(Debug, Args)]
pub(crate) struct ReadArgs {
    /// Id, name, or unique prefix of an id
    pub(crate) session: String,
    /// Offset of the first byte
    #[arg(long, value_name = "OFFSET")]
    pub(crate) since: Option<u64>,
    /// So many lines: the first with --since, else the last
    #[arg(short = 'n', long, value_name = "N")]
    pub(crate) lines: Option<u64>,
    /// So many bytes: the first with --since, else the last
    #[arg(long, value_name = "N")]
    pub(crate) bytes: Option<u64>,
    /// Bytes as they came, control sequences included
    #[arg(long)]
    pub(crate) raw: bool,
}

/// Arguments of `session screen`.
#[derive(Debug, Args)]
pub(crate) struct ScreenArgs {
    /// Id, name, or unique prefix of an id
    pub(crate) session: String,
    /// Print the cursor's row and column, from 0, on standard error
    #[arg(long)]
    pub(crate) cursor: bool,
    /// With --json: colours and styles too
    #[arg(long)]
    pub(crate) cells: bool,
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
    #[arg(long, value_name = "S", value_parser = timeout)]
    pub(crate) timeout: Option<Timeout>,
}

/// Arguments of `session tail` and `session subscribe`.
#[derive(Debug, Args)]
pub(crate) struct TailArgs {
    /// Id, name, or unique prefix of an id
    pub(crate) session: String,
    /// Go on until the session ends
    #[arg(short, long)]
    pub(crate) follow: bool,
    /// Start at this offset
    #[arg(long, value_name = "OFFSET", conflicts_with = "lines")]
    pub(crate) since: Option<u64>,
    /// Start so many lines before the end
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    pub(crate) lines: u64,
    /// Bytes as they came, control sequences included
    #[arg(long)]
    pub(crate) raw: bool,
}

/// Arguments of `session close`.
#[derive(Debug, Args)]
pub(crate) struct CloseArgs {
    /// Id, name, or unique prefix of an id
    pub(crate) session: String,
    /// Seconds between asking and killing [default: 2]
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub(crate) grace: Option<f64>,
}

/// Arguments of `session history`.
#[derive(Debug, Args)]
pub(crate) struct HistoryArgs {
    /// Id, name, or unique prefix of an id
    pub(crate) session: String,
    /// At most so many rows, the newest [default: 200]
    #[arg(short = 'n', long, value_name = "N")]
    pub(crate) limit: Option<u64>,
    /// Only rows before this one
    #[arg(long, value_name = "ROW")]
    pub(crate) before: Option<String>,
}

/// Arguments of `session cleanup`.
#[derive(Debug, Args)]
pub(crate) struct CleanupArgs {
    /// Close live sessions too that nobody used for so many minutes; never attached or persistent ones
    #[arg(long, value_name = "MIN", value_parser = minutes)]
    pub(crate) age: Option<f64>,
    /// Close all live sessions
    #[arg(long)]
    pub(crate) force: bool,
    /// Do not ask
    #[arg(short, long)]
    pub(crate) yes: bool,
}
