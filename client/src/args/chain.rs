//! `ccctl chain`, `ccctl parallel` and `ccctl watch`.

use super::value::{count, seconds, timeout, variable};
use ccd_protocol::Timeout;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// What to do with chains.
#[derive(Debug, Subcommand)]
pub(crate) enum ChainVerb {
    /// List the saved chains
    #[command(
        visible_alias = "ls",
        after_help = "Examples:
  ccctl chain list
  ccctl chain list --json"
    )]
    List,
    /// Show a saved chain
    #[command(
        visible_alias = "show",
        after_help = "Examples:
  ccctl chain show release
  ccctl chain get release --json > release.json"
    )]
    Get {
        /// The chain's name
        name: String,
    },
    /// Save a chain under a name
    Save(ChainSaveArgs),
    /// Delete a saved chain
    #[command(
        visible_alias = "rm",
        after_help = "Examples:
  ccctl chain delete release"
    )]
    Delete {
        /// The chain's name
        name: String,
    },
    /// Run a chain's commands one after the other
    Run(ChainRunArgs),
    /// Run commands side by side
    Parallel(ParallelArgs),
    /// Run a program and report each match in what it prints
    Watch(WatchArgs),
}

/// Arguments of `chain save`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ccctl chain save check 'cargo fmt --check' 'cargo test'
  ccctl chain save env --shared 'cd /srv/app' '. ./env' './start && ./status'
  ccctl chain save release --file release.json

A file has {\"commands\": [{\"command\": \"make\"},
  {\"command\": \"./notify failed\", \"on_failure\": true},
  {\"command\": \"./deploy\", \"condition\": {\"step\": 1, \"success\": true, \"output_matches\": \"^ok\"}}]}
and may have cwd, timeout, shared and shell; docs/PROTOCOL.md has all fields (Chain,
ChainCommand, Condition). No shell reads the commands unless --shell or --shared is given, here or
to `ccctl chain run`.")]
pub(crate) struct ChainSaveArgs {
    /// Its name: letters, digits, . _ -
    pub(crate) name: String,
    /// The commands in order, each one word for the shell that you type this in
    #[arg(required_unless_present = "file", conflicts_with = "file")]
    pub(crate) commands: Vec<String>,
    /// Read the chain from this JSON file, - for standard input
    #[arg(short, long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Run all commands in one shell, so that cd and variables last
    #[arg(long)]
    pub(crate) shared: bool,
    /// Run each command by sh -c
    #[arg(long, conflicts_with = "shared")]
    pub(crate) shell: bool,
    /// Working directory [default: that of who runs it]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<String>,
    /// Seconds that each command may take [default: no limit]
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = seconds)]
    pub(crate) timeout: Option<f64>,
}

/// Arguments of `chain run`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ccctl chain run release
  ccctl chain run --file release.json --json
  ccctl chain run env --shared --timeout 60
  job=$(ccctl chain run release --detach); ccctl job get \"$job\" --wait 600

With --json a line a step, as it ends, and a last line with the job's outcome. Control-C cancels
the chain, a second one leaves at once. Exit status: 0 when every step that ran succeeded, 1 when
one failed.")]
pub(crate) struct ChainRunArgs {
    /// A saved chain
    #[arg(required_unless_present = "file", conflicts_with = "file")]
    pub(crate) name: Option<String>,
    /// Run the chain in this JSON file, - for standard input
    #[arg(short, long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Run all commands in one shell, so that cd and variables last
    #[arg(long)]
    pub(crate) shared: bool,
    /// Run each command by sh -c
    #[arg(long, conflicts_with = "shared")]
    pub(crate) shell: bool,
    /// Seconds that each command may take, or none [default: the chain's]
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = timeout)]
    pub(crate) timeout: Option<Timeout>,
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
}

/// Arguments of `parallel`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ccctl parallel 'make -C a' 'make -C b' 'make -C c'
  ccctl parallel --max-concurrent 4 --timeout 60 --file commands.txt
  ls *.png | sed 's/.*/optipng &/' | ccctl parallel --file -
  ccctl parallel --shell 'ls | wc -l' 'sort f | uniq' --json

A line a command, as it ends, and then how many succeeded; with --json the same as JSON. Of one
that failed the end of its output is shown. Control-C cancels, a second one leaves at once.
Exit status: 0 when all succeeded, else 1.")]
pub(crate) struct ParallelArgs {
    /// The commands, each one word for the shell that you type this in
    #[arg(required_unless_present = "file")]
    pub(crate) commands: Vec<String>,
    /// Read further commands from this file, one a line; - for standard input
    #[arg(short, long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// So many at a time [default: 10]
    #[arg(short = 'j', long, value_name = "N", allow_negative_numbers = true, value_parser = count)]
    pub(crate) max_concurrent: Option<u64>,
    /// Seconds that each command may take, or none [default: none]
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = timeout)]
    pub(crate) timeout: Option<Timeout>,
    /// Run each command by sh -c
    #[arg(long)]
    pub(crate) shell: bool,
    /// Show the output of all commands
    #[arg(short, long)]
    pub(crate) output: bool,
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
}

/// Arguments of `watch`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ccctl watch --pattern 'ERROR: .*' -- ./server --verbose
  ccctl watch --pattern ready --max 1 --timeout 30 -- ./server
  ccctl watch -p error -p warning --run 'notify-send {pattern} {line}' -- tail -f app.log
  ccctl watch --session web --pattern 'HTTP 5..' --json

The line of each hit is printed as it comes; with --json a line of JSON a hit, and a last one with
the outcome. In --run {line}, {matched}, {pattern} and {offset} stand for one word each; the same
is in $CCD_LINE, $CCD_MATCHED, $CCD_PATTERN and $CCD_OFFSET, which is all that --shell gives it.
Hits are waited for until the program ends, or is ended by --timeout, --max or Control-C; a session
goes on. Exit status: 0 when there was a hit (with --max: all of them), else 1, or 124 when the
time was over.")]
pub(crate) struct WatchArgs {
    /// Look for this regular expression; can be repeated
    #[arg(short, long = "pattern", value_name = "PATTERN", required = true)]
    pub(crate) patterns: Vec<String>,
    /// Patterns are plain text
    #[arg(long)]
    pub(crate) exact: bool,
    /// Look at this session instead of a program
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Look from this offset of the session on [default: what comes from now on]
    #[arg(long, value_name = "OFFSET", conflicts_with = "program", allow_negative_numbers = true, value_parser = count)]
    pub(crate) since: Option<u64>,
    /// Run this command for each hit, one after the other
    #[arg(long, value_name = "COMMAND", conflicts_with = "detach")]
    pub(crate) run: Option<String>,
    /// Run PROGRAM, and the command of --run, by sh -c
    #[arg(long)]
    pub(crate) shell: bool,
    /// Seconds after which the watch ends, or none [default: none]
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = timeout)]
    pub(crate) timeout: Option<Timeout>,
    /// End after so many hits
    #[arg(short = 'n', long, value_name = "N", allow_negative_numbers = true, value_parser = count)]
    pub(crate) max: Option<u64>,
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    /// The program and its arguments, passed on as they are
    #[arg(
        trailing_var_arg = true,
        required_unless_present = "session",
        conflicts_with = "session",
        value_name = "PROGRAM"
    )]
    pub(crate) program: Vec<String>,
}

/// Where programs of a job run, and who waits for them.
#[derive(Debug, Args)]
pub(crate) struct PlaceArgs {
    /// Working directory [default: this one]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<String>,
    /// Set a variable; can be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) env: Vec<(String, String)>,
    /// Start from a clean environment instead of this one
    #[arg(long)]
    pub(crate) clean_env: bool,
    /// Print the job's id and do not wait: ccctl job get and job subscribe have the rest
    #[arg(long)]
    pub(crate) detach: bool,
}

#[cfg(test)]
mod tests {
    use crate::args::Ccctl;
    use clap::Parser as _;

    fn is_right(line: &str) -> bool {
        Ccctl::try_parse_from(line.split(' ')).is_ok()
    }

    #[test]
    fn a_chain_comes_from_one_place() {
        for (line, right) in [
            ("ccctl chain save a make", true),
            ("ccctl chain save a --file f", true),
            ("ccctl chain save a", false),
            ("ccctl chain save a --file f make", false),
            ("ccctl chain run a", true),
            ("ccctl chain run --file -", true),
            ("ccctl chain run a --file f", false),
            ("ccctl chain run", false),
            ("ccctl chain run a --shared --shell", false),
        ] {
            assert_eq!(is_right(line), right, "{line}");
        }
    }

    #[test]
    fn a_watch_has_a_program_or_a_session_and_a_pattern() {
        for (line, right) in [
            ("ccctl watch -p x -- ls --json", true),
            ("ccctl watch -p x --session a", true),
            ("ccctl watch -p x --session a ls", false),
            ("ccctl watch -- ls", false),
            ("ccctl watch -p x", false),
            ("ccctl watch -p x --since 5 -- ls", false),
            ("ccctl watch -p x --detach --run y -- ls", false),
        ] {
            assert_eq!(is_right(line), right, "{line}");
        }
    }
}
