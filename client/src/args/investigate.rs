//! `ccctl investigate`, `probe`, `learn` and `map`.

use super::offer::NameKind;
use super::session_create::CallerArgs;
use super::session_output::DetachArgs;
use super::value::{age, count, seconds};
use clap::{Arg, Args, Subcommand, ValueHint};

const CWD: &str = "Directory in which PROGRAM and relative paths in its arguments are looked up [default: the current one]; the program runs in an empty directory";
const CLEAN_ENV: &str = "Pass only USER, LOGNAME, SHELL, PATH and LANG from the current environment; HOME is the empty directory";
const END_KEYS: &str = "Key sequence that ends the program, such as 'C-p C-q', or the word none; to type its first key, press it twice [default: 'C-\\ d']";

/// Describes the options of the caller for programs that run in an empty directory.
pub(super) fn for_copies(arg: Arg) -> Arg {
    match arg.get_id().as_str() {
        "cwd" => arg.help(CWD),
        "clean_env" => arg.help(CLEAN_ENV),
        _ => arg,
    }
}

/// Arguments of `investigate`: a program and how to investigate it, or a subcommand.
#[derive(Debug, Args)]
#[command(
    subcommand_negates_reqs = true,
    override_usage = "ccctl investigate [OPTIONS] <PROGRAM> [ARGS]...\n       ccctl investigate <COMMAND>"
)]
pub(crate) struct InvestigateArgs {
    #[command(subcommand)]
    pub(crate) verb: Option<InvestigateVerb>,
    #[command(flatten)]
    pub(crate) run: InvestigateRunArgs,
}

/// The program to investigate, and how.
#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(mut_args(for_copies))]
pub(crate) struct InvestigateRunArgs {
    /// Turn off safe mode: send dangerous commands too, such as those that delete data
    #[arg(long = "unsafe")]
    pub(crate) without_safe_mode: bool,
    /// Run the program under bubblewrap, which must be installed, without network and with a read-only file system
    #[arg(long)]
    pub(crate) sandbox: bool,
    /// Look for states up to N commands from the start, 1 to 20 [default: configuration key investigation.max_depth, 5]
    #[arg(long, value_name = "N")]
    pub(crate) max_depth: Option<u32>,
    /// End the investigation after this time [default: configuration key investigation.timeout, 120]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<f64>,
    /// Record the copies that run on a terminal on tapes, in a directory next to the report
    #[arg(long)]
    pub(crate) tape: bool,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

/// A program to look at.
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub(crate) struct TargetArgs {
    #[command(flatten)]
    pub(crate) caller: CallerArgs,
    /// Program and its arguments; put options of ccctl before it, since everything after it goes to the program
    #[arg(trailing_var_arg = true, required = true, value_name = "PROGRAM")]
    #[arg(value_hint = ValueHint::CommandWithArguments)]
    pub(crate) program: Vec<String>,
}

/// Commands for investigations and their reports.
#[derive(Debug, Subcommand)]
pub(crate) enum InvestigateVerb {
    /// Investigate a program (same as ccctl investigate PROGRAM)
    Run(Box<InvestigateRunArgs>),
    /// Start a program briefly and report how it behaves
    Probe(ProbeArgs),
    /// Use a program in this terminal and make a report of what you did
    Learn(LearnArgs),
    /// Show the states of a program and the commands between them
    Map(MapArgs),
    /// List reports, newest first
    #[command(visible_alias = "ls")]
    List(ReportListArgs),
    /// Show a report
    #[command(name = "show", visible_alias = "get")]
    Get(ReportGetArgs),
    /// Show the differences between two reports
    Diff {
        /// Report: its id, a unique prefix of it, or the name of its file; or a program, for its newest report
        #[arg(add = NameKind::Investigations)]
        a: String,
        /// Report to compare A with, named in the same way
        #[arg(add = NameKind::Investigations)]
        b: String,
    },
    /// Delete a report
    #[command(visible_alias = "rm")]
    Delete(ReportNameArgs),
    /// Delete old reports
    #[command(visible_alias = "clean")]
    Cleanup(ReportCleanupArgs),
}

/// Arguments of `probe`.
#[derive(Debug, Args)]
#[command(mut_args(for_copies))]
pub(crate) struct ProbeArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

/// Arguments of `learn`.
#[derive(Debug, Args)]
#[command(
    mut_arg("detach_keys", |keys| keys.help(END_KEYS))
)]
pub(crate) struct LearnArgs {
    #[command(flatten)]
    pub(crate) detach: DetachArgs,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

/// Arguments of `map`.
#[derive(Debug, Args)]
#[command(mut_args(for_copies))]
pub(crate) struct MapArgs {
    /// Print the map for Graphviz, whose dot draws it
    #[arg(long, group = "form")]
    pub(crate) dot: bool,
    /// Print the map for Mermaid
    #[arg(long, group = "form")]
    pub(crate) mermaid: bool,
    /// No longer drawn: the error names what draws it
    #[arg(long, group = "form", hide = true)]
    pub(crate) svg: bool,
    #[command(flatten)]
    pub(crate) caller: CallerArgs,
    /// Program, or a report: its id, a unique prefix of it, or the name of its file
    #[arg(value_name = "PROGRAM|REPORT")]
    #[arg(value_hint = ValueHint::CommandName)]
    pub(crate) target: String,
    /// Arguments of the program, after `--`
    #[arg(last = true, value_name = "ARGS")]
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) args: Vec<String>,
}

/// Arguments of `investigate list` and `test list`.
#[derive(Debug, Args)]
pub(crate) struct ReportListArgs {
    /// Only reports of this program
    #[arg(long, value_name = "PROGRAM")]
    #[arg(value_hint = ValueHint::CommandName)]
    pub(crate) program: Option<String>,
    /// Show at most N reports [default: 100]
    #[arg(short = 'n', long, value_name = "N", value_parser = count)]
    pub(crate) limit: Option<u64>,
}

/// Arguments of `investigate show`.
#[derive(Debug, Args)]
pub(crate) struct ReportGetArgs {
    /// Report: its id, a unique prefix of it, or the name of its file; or a program, for its newest report
    #[arg(add = NameKind::Investigations)]
    pub(crate) report: String,
}

/// Names a report.
#[derive(Debug, Args)]
pub(crate) struct ReportNameArgs {
    /// Report: its id, a unique prefix of it, or the name of its file
    #[arg(add = NameKind::Investigations)]
    pub(crate) report: String,
}

/// Arguments of `investigate cleanup` and `test cleanup`.
#[derive(Debug, Args)]
pub(crate) struct ReportCleanupArgs {
    /// Delete reports older than this: a number of days, or a duration such as 12h or 30d
    #[arg(long, value_name = "DAYS", value_parser = days)]
    pub(crate) older_than: f64,
}

/// Parses a number of days, or an age with its unit; returns seconds.
fn days(text: &str) -> Result<f64, String> {
    if text.ends_with(|c: char| c.is_ascii_alphabetic()) {
        age(text)
    } else {
        age(&format!("{text}d"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Noun, parsed};

    fn parse(line: &str) -> Result<InvestigateArgs, clap::Error> {
        match parsed(&format!("investigate {line}"))? {
            Noun::Investigate(args) => Ok(*args),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_bare_word_that_is_a_subcommand_is_the_subcommand() {
        for line in ["list", "show 3f2a", "run bc", "--json ls"] {
            assert!(parse(line).unwrap().verb.is_some(), "{line}");
        }
        for (line, program) in [
            ("bc list --unsafe", &["bc", "list", "--unsafe"][..]),
            ("--unsafe bc -q", &["bc", "-q"]),
            ("-- list", &["list"]),
        ] {
            let args = parse(line).unwrap();
            assert!(args.verb.is_none(), "{line}");
            assert_eq!(args.run.target.program, program);
        }
        assert!(parse("").is_err() && parse("--unsfe bc").is_err());
    }

    #[test]
    fn ages_are_in_days_unless_they_say_otherwise() {
        assert_eq!(days("2"), Ok(172_800.0));
        assert_eq!(days("12h"), Ok(43_200.0));
        assert!(days("soon").is_err() && days("-1").is_err());
    }
}
