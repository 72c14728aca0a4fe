//! The command line: one file a noun.

mod chain;
mod config;
mod daemon;
mod hot;
mod job;
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

use clap::{Args, Parser, Subcommand};
use std::ffi::OsString;

pub(crate) use chain::{ChainRunArgs, ChainSaveArgs, ChainVerb, ParallelArgs, WatchArgs};
pub(crate) use config::ConfigVerb;
pub(crate) use daemon::{DaemonVerb, LogArgs, LogsArgs, StopArgs, UpgradeArgs};
pub(crate) use job::JobVerb;
pub(crate) use pattern::{PatternText, PatternVerb, TestArgs};
pub(crate) use program::{ProgramVerb, SaveArgs};
pub(crate) use record::RecordArgs;
pub(crate) use run::RunArgs;
pub(crate) use session::{CleanupArgs, CloseArgs, PipeArgs, SessionRunArgs, SessionVerb};
pub(crate) use session_create::CreateArgs;
pub(crate) use session_input::{SendArgs, SendInput};
pub(crate) use session_output::{AttachArgs, HistoryArgs, ReadArgs, ScreenArgs, TailArgs};
pub(crate) use session_wait::{ExpectArgs, WaitArgs};
pub(crate) use tape::{
    RootArgs, TapeExportArgs, TapeImportArgs, TapeListArgs, TapePlayArgs, TapePruneArgs,
    TapeShimArgs, TapeSvgArgs, TapeVerb, TapeVerifyArgs,
};
pub(crate) use tape_options::{NamedTapeArgs, TapeArgs};
pub(crate) use top::{Sort, TopArgs};
pub(crate) use usage::{explain, only_global, print_help, wants_json};
pub(crate) use value::{SecretFrom, Size};

/// Drives any terminal program: start it, type, wait for what it prints, read its screen.
#[derive(Debug, Parser)]
#[command(
    name = "ccctl",
    version,
    arg_required_else_help = true,
    subcommand_required = true,
    disable_help_subcommand = true,
    after_help = "Examples:
  ccctl session create --name py -- python3 -q
  ccctl session send py 'print(6 * 7)' --expect 42
  ccctl run --timeout 60 -- make test
  ccctl rec sqlite3
  ccctl demo
  ccctl help session send

Exit status: 0 done, 1 failed, 2 usage, 3 no daemon, 4 not found, 5 refused, 124 timed out, 125 internal."
)]
pub(crate) struct Ccctl {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) noun: Noun,
}

impl Ccctl {
    /// Reads the words of the command line, the program's name first.
    ///
    /// # Errors
    ///
    /// clap's, which also is how help is asked for.
    pub(crate) fn parse_words(words: &[OsString]) -> Result<Self, clap::Error> {
        match hot::parse(words) {
            Some(hot) => Ok(hot),
            None => Self::try_parse_from(usage::with_help(words.to_vec())),
        }
    }
}

/// Options of every verb.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// The daemon's socket [default: $CCD_SOCKET, else in $CCD_HOME/run, $XDG_RUNTIME_DIR/ccd or ~/.claude-control/run]
    #[arg(long, global = true, value_name = "PATH")]
    pub(crate) socket: Option<String>,
    /// Print JSON: one document, or one a line where output streams
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Never start a daemon ($CCD_NO_START)
    #[arg(long, global = true)]
    pub(crate) no_start: bool,
    /// Tell more on standard error
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
}

/// What to work with.
#[derive(Debug, Subcommand)]
pub(crate) enum Noun {
    /// Programs on terminals of their own
    #[command(subcommand)]
    Session(SessionVerb),
    /// Run one program on a terminal until it ends, and pass its status on
    Run(Box<RunArgs>),
    /// Run a program as it is, and record it
    #[command(after_help = "Examples:
  ccctl rec sqlite3 shop.db
  ccctl rec --tapes tests/tapes --tag login -- ./server --console
  echo '1 + 1' | ccctl rec bc

The program has this terminal as long as it runs. The tape holds what you saw and typed, without
secrets; what is typed hidden is never kept. Exchanges that a tape has already are not recorded
again.

Without a terminal the program reads and writes between pipes, as with ccctl run, and each of the
first 100 lines is typed when it asks for one. Such a tape has no echo: it is what ccctl play gives
a script.

Control-\\ then d leaves, and ends the program.

The exit status is the program's: 128 + N after signal N, 127 not found, 126 not executable, 124
timed out. Signals go to the program: see ccctl run.")]
    Rec(Box<RecordArgs>),
    /// Let tapes stand in for a program
    #[command(after_help = "Examples:
  ccctl play sqlite3 shop.db
  ccctl play --tapes tests/tapes --latency 0 --strict -- ./server --console
  echo '1 + 1' | ccctl play bc

The program is not started, and need not be there. An input that no tape has is told with the
nearest one and what differs: at a terminal the rest goes on, elsewhere the exit status is 1.

Otherwise the exit status is the recorded program's.")]
    Play(Box<RecordArgs>),
    /// Let tapes stand in for a program, and the program itself where they have no answer
    #[command(after_help = "Examples:
  ccctl proxy sqlite3 shop.db
  ccctl proxy --record new -- ./server --console

At the first input that no tape has, the program is started, given what was typed so far, and goes on.")]
    Proxy(Box<RecordArgs>),
    /// Recordings of programs, which can stand in for them
    #[command(subcommand)]
    Tape(Box<TapeVerb>),
    /// List live sessions: session list
    #[command(after_help = "Examples:
  ccctl ls
  ccctl ls --all

The same as ccctl session list; its help tells what the columns are.")]
    Ls {
        /// Ended ones too
        #[arg(short, long)]
        all: bool,
    },
    /// Make this terminal a session's: session attach
    #[command(after_help = "Examples:
  ccctl attach py
  ccctl attach build --read-only

The same as ccctl session attach; its help tells how to leave.")]
    Attach(AttachArgs),
    /// Show the sessions as they change, with keys to look into them and to end them
    Top(TopArgs),
    /// What prompts, errors, help and data look like, and what a text is
    #[command(subcommand)]
    Pattern(PatternVerb),
    /// Commands in a row, saved under a name
    #[command(subcommand)]
    Chain(ChainVerb),
    /// Run commands side by side
    Parallel(ParallelArgs),
    /// Run a program and report each match in what it prints
    Watch(WatchArgs),
    /// Program configurations: how to start a program and bring it up
    #[command(subcommand)]
    Program(ProgramVerb),
    /// Long work in the daemon
    #[command(subcommand)]
    Job(JobVerb),
    /// The configuration
    #[command(subcommand)]
    Config(ConfigVerb),
    /// The daemon itself
    #[command(subcommand)]
    Daemon(DaemonVerb),
    /// Show what ccd does, with a daemon of its own that is gone afterwards
    #[command(after_help = "Examples:
  ccctl demo")]
    Demo,
    /// Call a method of the protocol and print its reply
    #[command(after_help = "Examples:
  ccctl call daemon.status
  ccctl call session.list '{\"all\": true}'")]
    Call(CallArgs),
    /// Print a completion script for a shell, which knows sessions and jobs too
    #[command(after_help = "Examples:
  source <(ccctl completions bash)
  mkdir -p ~/.local/share/bash-completion/completions
  ccctl completions bash > ~/.local/share/bash-completion/completions/ccctl
  ccctl completions zsh > ~/.zfunc/_ccctl
  ccctl completions fish > ~/.config/fish/completions/ccctl.fish")]
    Completions {
        /// bash, zsh, fish, elvish or powershell
        shell: clap_complete::Shell,
    },
    /// Print what may stand at a word of a command line; completion scripts call it
    #[command(
        hide = true,
        after_help = "Examples:
  ccctl complete 3 ccctl session send ''"
    )]
    Complete(CompleteArgs),
    /// Print the man page, or write one for each command
    #[command(after_help = "Examples:
  ccctl man | man -l -
  ccctl man --dir ~/.local/share/man/man1")]
    Man {
        /// Write all pages into this folder
        #[arg(long, value_name = "DIR")]
        dir: Option<std::path::PathBuf>,
    },
    /// Print the versions of ccctl and of the daemon, if one runs
    #[command(after_help = "Examples:
  ccctl version --json")]
    Version,
}

/// Arguments of `call`.
#[derive(Debug, Args)]
pub(crate) struct CallArgs {
    /// Name, such as session.list
    pub(crate) method: String,
    /// Parameters, a JSON object
    #[arg(default_value = "{}", value_name = "JSON")]
    pub(crate) params: String,
}

/// Arguments of `complete`.
#[derive(Debug, Args)]
pub(crate) struct CompleteArgs {
    /// Which word the cursor is in, from 0
    pub(crate) index: usize,
    /// The words, the program's name first
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) words: Vec<OsString>,
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
    fn every_verb_has_an_example() {
        fn visit(command: &clap::Command, without: &mut Vec<String>) {
            let has_verbs = command.get_subcommands().next().is_some();
            let help = command.get_after_help().map(ToString::to_string);
            if !has_verbs && !help.is_some_and(|help| help.contains("ccctl ")) {
                without.push(command.get_name().to_owned());
            }
            for verb in command.get_subcommands() {
                visit(verb, without);
            }
        }
        let mut without = Vec::new();
        visit(&Ccctl::command(), &mut without);
        assert!(without.is_empty(), "without an example: {without:?}");
    }

    #[test]
    fn global_options_stand_anywhere_before_the_program() {
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
