//! The command line: one file per noun.

mod black_box;
mod chain;
mod coach;
mod coach_decide;
mod coach_records;
mod config;
mod conversation;
mod daemon;
mod data;
mod exec;
mod exec_records;
mod help;
mod hook;
mod hot;
mod investigate;
mod job;
mod memory;
mod pattern;
mod program;
mod record;
mod run;
mod session;
mod session_create;
mod session_input;
mod session_output;
mod session_wait;
mod tape;
mod tape_options;
mod top;
mod usage;
mod value;

use clap::error::ErrorKind;
use clap::{Args, FromArgMatches as _, Parser, Subcommand};
use std::ffi::OsString;

pub(crate) use help::whole_definition;
pub(crate) use hot::{names_hook, names_policy};
pub(crate) use usage::{
    explain, help, only_conversation, only_global, subcommand_like, wants_json,
};
pub(crate) use value::{SecretFrom, Size, params, patterns};
pub(crate) use {
    black_box::*, chain::*, coach::*, coach_decide::*, coach_records::*, config::*,
    conversation::*, daemon::*, data::*, exec::*, exec_records::*, hook::*, investigate::*, job::*,
    memory::*, pattern::*, program::*, record::*, run::*, session::*, session_create::*,
    session_input::*, session_output::*, session_wait::*, tape::*, tape_options::*, top::*,
};

/// Drives any terminal program: starts it, types, waits for its output, reads its screen.
#[derive(Debug, Parser)]
#[command(
    name = "ccctl",
    version,
    arg_required_else_help = true,
    subcommand_required = true,
    disable_help_subcommand = true
)]
pub(crate) struct Ccctl {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) noun: Noun,
}

impl Ccctl {
    /// Parses the words of the command line; the first one is the program's name.
    /// Requests for help are errors too.
    pub(crate) fn parse_words(words: &[OsString]) -> Result<Self, clap::Error> {
        if let Some(hot) = hot::parse(words) {
            return Ok(hot);
        }
        let words = usage::with_help(words.to_vec());
        match Self::try_parse_from(&words) {
            Err(error) if is_help(&error) => whole_definition()
                .try_get_matches_from(words)
                .and_then(|matches| Self::from_arg_matches(&matches)),
            parsed => parsed,
        }
    }
}

/// True if the error is, or starts with, the help of a command.
fn is_help(error: &clap::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    )
}

/// Options of every command.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// Use the daemon at this socket [default: $CCD_SOCKET, otherwise ccd.sock in $CCD_HOME/run, otherwise in $XDG_RUNTIME_DIR/ccd, otherwise in ~/.claude-control/run]
    #[arg(long, global = true, value_name = "PATH")]
    pub(crate) socket: Option<String>,
    // In a documentation comment, the brackets would be links.
    #[arg(
        short = 'H',
        long,
        global = true,
        value_name = "URL",
        conflicts_with = "socket",
        help = "Use the daemon of another host through ssh: ssh://[user@]host[:port][/socket] [env: CCD_HOST]"
    )]
    pub(crate) host: Option<String>,
    /// Print JSON: one document, or one per line for streaming output
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Do not start a daemon if none is running [env: CCD_NO_START]
    #[arg(long, global = true)]
    pub(crate) no_start: bool,
    /// Print more detail to standard error
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
}

/// The noun of a command line, or a command that has none.
#[derive(Debug, Subcommand)]
pub(crate) enum Noun {
    /// Create and drive sessions: programs in their own terminals
    #[command(subcommand)]
    Session(SessionVerb),
    /// Run one program on a terminal until it exits, and exit with its status
    Run(Box<RunArgs>),
    /// Run a program and record it on a tape
    #[command(mut_args(tape_options::for_rec))]
    Rec(Box<RecordArgs>),
    /// Replay a program from its tapes
    #[command(mut_args(tape_options::for_play))]
    Play(Box<RecordArgs>),
    /// Replay a program from its tapes until an input is on no tape, then continue with the real program
    #[command(mut_args(tape_options::for_proxy))]
    Proxy(Box<RecordArgs>),
    /// List, check, convert and play back tapes: recordings of programs
    #[command(subcommand)]
    Tape(Box<TapeVerb>),
    /// List live sessions (same as session list)
    Ls {
        /// Include ended sessions
        #[arg(short, long)]
        all: bool,
    },
    /// Attach this terminal to a session (same as session attach)
    Attach(AttachArgs),
    /// Show a live table of the sessions, with keys to inspect and end them
    Top(TopArgs),
    /// Recognise prompts, errors, help texts and data in output
    #[command(subcommand)]
    Pattern(PatternVerb),
    /// Save and run sequences of commands
    #[command(subcommand)]
    Chain(ChainVerb),
    /// Run commands in parallel
    Parallel(ParallelArgs),
    /// Run a program, or watch a session, and report each match in its output
    Watch(WatchArgs),
    /// Manage program configurations: how to start a program and get it ready
    #[command(subcommand)]
    Program(ProgramVerb),
    /// Turn repeated friction in Claude Code into rules, with your approval
    #[command(subcommand)]
    Coach(Box<CoachVerb>),
    /// Run Claude Code on an instruction in a git work tree, and report what it changed
    Exec(Box<ExecArgs>),
    /// List, search, show, follow and export Claude Code conversations
    #[command(subcommand, override_usage = "ccctl conversation [OPTIONS] [COMMAND]")]
    Conversation(Box<ConversationVerb>),
    /// Save the state of a project for the next Claude Code session
    #[command(subcommand)]
    Memory(MemoryVerb),
    /// Find out what a program offers: its help, commands, prompts, states and ways to end it
    Investigate(Box<InvestigateArgs>),
    /// Start a program briefly and report whether it waits for input, and its prompt, version and help options
    Probe(ProbeArgs),
    /// Use a program in this terminal and make a report of what you did
    Learn(LearnArgs),
    /// Show the states of a program and the commands that lead from one to another
    Map(MapArgs),
    /// Test how a program starts, helps, exits, uses resources and handles unexpected inputs
    Test(Box<BlackBoxArgs>),
    /// Look for inputs that break a program (same as test --types fuzz)
    Fuzz(Box<FuzzRunArgs>),
    /// List, follow and cancel background jobs
    #[command(subcommand)]
    Job(JobVerb),
    /// Show and check the configuration
    #[command(subcommand)]
    Config(ConfigVerb),
    /// Start, stop and inspect the daemon
    #[command(subcommand)]
    Daemon(DaemonVerb),
    /// Take the payload of a Claude Code hook from standard input; Claude Code calls this
    Hook(HookArgs),
    /// Install ccd's hooks in Claude Code, and check that they work
    #[command(subcommand)]
    Hooks(HooksVerb),
    /// List what ccd keeps about you and where, and delete it
    Data(DataArgs),
    /// Check the daemon, its service, files and disk, system limits, Claude Code and ccd's hooks
    Doctor,
    /// Run a demo with its own temporary daemon
    Demo,
    /// Call a method of the daemon's protocol and print the reply
    Call(CallArgs),
    /// Serve MCP on standard input and output: give an agent terminals, conversation search and session memory
    Mcp,
    /// Connect standard input and output to the daemon; --host runs this on the other host
    Dial,
    /// Print a shell completion script (it completes session names and job ids too)
    Completions {
        /// Shell to print the script for
        shell: clap_complete::Shell,
    },
    /// Print the completions of one word of a command line; completion scripts call this
    #[command(hide = true)]
    Complete(CompleteArgs),
    /// Print the man page, or write the pages of all commands
    Man {
        /// Write all pages to this directory
        #[arg(long, value_name = "DIR")]
        dir: Option<std::path::PathBuf>,
    },
    /// Print the version of ccctl, and of the daemon if one is running
    Version,
}

/// Arguments of `call`.
#[derive(Debug, Args)]
pub(crate) struct CallArgs {
    /// Method name, such as session.list
    pub(crate) method: String,
    /// Parameters as a JSON object
    #[arg(default_value = "{}", value_name = "JSON")]
    pub(crate) params: String,
}

/// Arguments of `complete`.
#[derive(Debug, Args)]
pub(crate) struct CompleteArgs {
    /// Index of the word that the cursor is in, from 0
    pub(crate) index: usize,
    /// The words of the command line, starting with the program name
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) words: Vec<OsString>,
}

/// Parses a command as a shell would, without the name of the program.
#[cfg(test)]
pub(crate) fn parsed(line: &str) -> Result<Noun, clap::Error> {
    let words = ccd_base::shell::split(line).unwrap().words;
    let words = std::iter::once("ccctl".to_owned()).chain(words);
    Ccctl::try_parse_from(words).map(|parsed| parsed.noun)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_definition_is_consistent() {
        Ccctl::command().debug_assert();
    }

    #[test]
    fn global_options_may_be_anywhere_before_the_program() {
        for line in [
            "ccctl --json session list",
            "ccctl session --json list",
            "ccctl session list --json",
        ] {
            let parsed = Ccctl::try_parse_from(line.split(' ')).unwrap();
            assert!(parsed.global.json, "{line}");
        }
    }
}
