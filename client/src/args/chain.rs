//! `ccctl chain`, `ccctl parallel` and `ccctl watch`.

use super::offer::NameKind;
use super::session_create::CallerArgs;
use super::value::{count, seconds, timeout};
use ccd_protocol::Timeout;
use clap::{Args, Subcommand, ValueHint};
use std::path::PathBuf;

/// Commands for chains.
#[derive(Debug, Subcommand)]
pub(crate) enum ChainVerb {
    /// List saved chains
    #[command(visible_alias = "ls")]
    List,
    /// Show a saved chain
    #[command(visible_alias = "show")]
    Get {
        /// Name of the chain
        #[arg(add = NameKind::Chains)]
        name: String,
    },
    /// Save a chain under a name
    Save(ChainSaveArgs),
    /// Delete a saved chain
    #[command(visible_alias = "rm")]
    Delete {
        /// Name of the chain
        #[arg(add = NameKind::Chains)]
        name: String,
    },
    /// Run the commands of a chain in order
    #[command(mut_arg("cwd", |cwd| cwd.help("Working directory [default: the chain's, or the current one]")))]
    Run(ChainRunArgs),
}

/// Arguments of `chain save`.
#[derive(Debug, Args)]
pub(crate) struct ChainSaveArgs {
    /// Name of the chain: letters, digits, . _ -
    #[arg(add = NameKind::Chains)]
    pub(crate) name: String,
    /// Commands in order, each quoted so that your shell passes it as one argument
    #[arg(required_unless_present = "file", conflicts_with = "file")]
    pub(crate) commands: Vec<String>,
    /// Read the chain from this JSON file; - for standard input
    #[arg(short, long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Run all commands in one shell, so that cd and variables carry over
    #[arg(long)]
    pub(crate) shared: bool,
    /// Run each command with sh -c
    #[arg(long, conflicts_with = "shared")]
    pub(crate) shell: bool,
    /// Working directory [default: the directory in which the chain is run]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<String>,
    /// End each command after SECONDS [default: configuration key max_session_runtime]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = seconds)]
    pub(crate) timeout: Option<f64>,
}

/// Arguments of `chain run`.
#[derive(Debug, Args)]
pub(crate) struct ChainRunArgs {
    /// Name of a saved chain
    #[arg(required_unless_present = "file", conflicts_with = "file")]
    #[arg(add = NameKind::Chains)]
    pub(crate) name: Option<String>,
    /// Run the chain in this JSON file; - for standard input
    #[arg(short, long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Run all commands in one shell, so that cd and variables carry over
    #[arg(long)]
    pub(crate) shared: bool,
    /// Run each command with sh -c
    #[arg(long, conflicts_with = "shared")]
    pub(crate) shell: bool,
    /// End each command after SECONDS; none: no limit [default: the chain's limit, or configuration key max_session_runtime]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = timeout)]
    pub(crate) timeout: Option<Timeout>,
    #[command(flatten)]
    pub(crate) start: JobStartArgs,
}

/// Arguments of `parallel`.
#[derive(Debug, Args)]
pub(crate) struct ParallelArgs {
    /// Commands, each quoted so that your shell passes it as one argument
    #[arg(required_unless_present = "file")]
    pub(crate) commands: Vec<String>,
    /// Read more commands from this file, one per line; - for standard input
    #[arg(short, long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Run at most N commands at once [default: 10]
    #[arg(short = 'j', long, value_name = "N", allow_negative_numbers = true, value_parser = count)]
    pub(crate) max_concurrent: Option<u64>,
    /// End each command after SECONDS; none: no limit [default: configuration key max_session_runtime]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = timeout)]
    pub(crate) timeout: Option<Timeout>,
    /// Run each command with sh -c
    #[arg(long)]
    pub(crate) shell: bool,
    /// Show the output of all commands
    #[arg(short, long)]
    pub(crate) output: bool,
    #[command(flatten)]
    pub(crate) start: JobStartArgs,
}

/// Arguments of `watch`.
#[derive(Debug, Args)]
pub(crate) struct WatchArgs {
    /// Report matches of this regular expression; can be repeated
    #[arg(short, long = "pattern", value_name = "PATTERN", required = true)]
    pub(crate) patterns: Vec<String>,
    /// Treat patterns as plain text
    #[arg(long)]
    pub(crate) exact: bool,
    /// Watch this session instead of running a program
    #[arg(long, value_name = "SESSION")]
    #[arg(add = NameKind::LiveSessions)]
    pub(crate) session: Option<String>,
    /// Start at this byte offset in the session's output [default: new output only]
    #[arg(long, value_name = "OFFSET", conflicts_with = "program", allow_negative_numbers = true, value_parser = count)]
    pub(crate) since: Option<u64>,
    /// Run this command for each match, one at a time
    #[arg(long, value_name = "COMMAND", conflicts_with = "detach")]
    pub(crate) run: Option<String>,
    /// Run PROGRAM, and the command of --run, with sh -c
    #[arg(long)]
    pub(crate) shell: bool,
    /// End the watch after SECONDS; none: no limit [default: configuration key max_session_runtime; none with --session]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = timeout)]
    pub(crate) timeout: Option<Timeout>,
    /// End after N matches
    #[arg(short = 'n', long, value_name = "N", allow_negative_numbers = true, value_parser = count)]
    pub(crate) max: Option<u64>,
    #[command(flatten)]
    pub(crate) start: JobStartArgs,
    /// Program and its arguments, passed on unchanged
    #[arg(
        trailing_var_arg = true,
        required_unless_present = "session",
        conflicts_with = "session",
        value_name = "PROGRAM"
    )]
    #[arg(value_hint = ValueHint::CommandWithArguments)]
    pub(crate) program: Vec<String>,
}

/// How the programs of a job are started.
#[derive(Debug, Args)]
pub(crate) struct JobStartArgs {
    #[command(flatten)]
    pub(crate) caller: CallerArgs,
    /// Print the job's id and return at once; see ccctl job get and job subscribe
    #[arg(long)]
    pub(crate) detach: bool,
}

#[cfg(test)]
mod tests {
    use crate::args::parsed;

    #[test]
    fn a_chain_comes_from_one_place() {
        for (line, right) in [
            ("chain save a make", true),
            ("chain save a --file f", true),
            ("chain save a", false),
            ("chain save a --file f make", false),
            ("chain run a", true),
            ("chain run --file -", true),
            ("chain run a --file f", false),
            ("chain run", false),
            ("chain run a --shared --shell", false),
        ] {
            assert_eq!(parsed(line).is_ok(), right, "{line}");
        }
    }

    #[test]
    fn a_watch_has_a_program_or_a_session_and_a_pattern() {
        for (line, right) in [
            ("watch -p x -- ls --json", true),
            ("watch -p x --session a", true),
            ("watch -p x --session a ls", false),
            ("watch -- ls", false),
            ("watch -p x", false),
            ("watch -p x --since 5 -- ls", false),
            ("watch -p x --detach --run y -- ls", false),
        ] {
            assert_eq!(parsed(line).is_ok(), right, "{line}");
        }
    }
}
