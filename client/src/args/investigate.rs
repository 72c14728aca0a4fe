//! `ccctl investigate`, `probe`, `learn` and `map`.

use super::session_create::CallerArgs;
use super::session_output::DetachArgs;
use super::value::{age, count, seconds};
use clap::{Args, Subcommand};

/// Arguments of `investigate`: a program and how to investigate it, or a subcommand.
#[derive(Debug, Args)]
#[command(
    subcommand_negates_reqs = true,
    override_usage = "ccctl investigate [OPTIONS] <PROGRAM> [ARGS]...\n       ccctl investigate <COMMAND>",
    after_help = "Examples:
  ccctl investigate sqlite3
  ccctl investigate --timeout 30 --json -- ./server --console > report.json
  ccctl investigate list
  ccctl investigate -- list

The program is asked for help, and each command that is found is given to a fresh copy of it. In safe mode, the \
default, commands that delete, reset or overwrite are not sent, and the program runs with an empty home and \
working directory. --unsafe sends them too; the report says so.

If PROGRAM is the name of a subcommand, put -- before it. Ctrl-C ends the investigation and prints what was found. \
Reports are kept until you delete them.

The exit status is 0 also if the program crashed; the report has the findings."
)]
pub(crate) struct InvestigateArgs {
    #[command(subcommand)]
    pub(crate) verb: Option<InvestigateVerb>,
    #[command(flatten)]
    pub(crate) run: InvestigateRunArgs,
}

/// The program to investigate, and how.
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub(crate) struct InvestigateRunArgs {
    /// Send dangerous commands too, such as those that delete
    #[arg(long = "unsafe")]
    pub(crate) without_safe_mode: bool,
    /// Run the program under bubblewrap, which must be installed
    #[arg(long)]
    pub(crate) sandbox: bool,
    /// Follow at most N commands from the start of the program, 1 to 20 [default: configuration key investigation.max_depth, 5]
    #[arg(long, value_name = "N")]
    pub(crate) max_depth: Option<u32>,
    /// End the investigation after this time [default: configuration key investigation.timeout, 120]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<f64>,
    /// Record everything that is seen on tapes, in a directory beside the report
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
    /// Program and its arguments, passed on unchanged
    #[arg(trailing_var_arg = true, required = true, value_name = "PROGRAM")]
    pub(crate) program: Vec<String>,
}

/// Commands for investigations and their reports.
#[derive(Debug, Subcommand)]
pub(crate) enum InvestigateVerb {
    /// Investigate a program (same as ccctl investigate PROGRAM)
    #[command(after_help = "Examples:
  ccctl investigate run sqlite3

The same as ccctl investigate, whose help explains everything.")]
    Run(Box<InvestigateRunArgs>),
    /// Start a program for a moment and report how it behaves (same as ccctl probe)
    Probe(ProbeArgs),
    /// Demonstrate a program in this terminal, and make a report of that (same as ccctl learn)
    Learn(LearnArgs),
    /// Show the states of a program and the commands between them (same as ccctl map)
    Map(MapArgs),
    /// List reports, newest first
    #[command(visible_alias = "ls")]
    List(ReportListArgs),
    /// Show a report
    #[command(
        visible_alias = "show",
        after_help = "Examples:
  ccctl investigate show 3f2a91bc
  ccctl investigate show 3f2a91bc --json | jq '.commands | keys'"
    )]
    Get(ReportArgs),
    /// Show what two reports differ in
    #[command(after_help = "Examples:
  ccctl investigate diff 3f2a91bc 77d0aa12

The exit status is 1 if the reports differ.")]
    Diff {
        /// Report: its id, a unique prefix of it, or the name of its file
        a: String,
        /// Report to compare it with
        b: String,
    },
    /// Delete a report
    #[command(
        visible_alias = "rm",
        after_help = "Examples:
  ccctl investigate delete 3f2a91bc"
    )]
    Delete(ReportArgs),
    /// Delete old reports
    #[command(
        visible_alias = "clean",
        after_help = "Examples:
  ccctl investigate cleanup --older-than 30d"
    )]
    Cleanup(ReportCleanupArgs),
}

/// Arguments of `probe`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ccctl probe sqlite3
  ccctl probe --json vim | jq .full_screen

A program is interactive only if it really waits for input.")]
pub(crate) struct ProbeArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

/// Arguments of `learn`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ccctl learn sqlite3 shop.db
  ccctl learn -- ./server --console

The program uses this terminal while it runs: show it what you know. When it has ended, a report is made of \
the commands that you gave, the prompts and states that were seen, and what ended the program. Ctrl-\\ then d \
ends the program. Nothing is refused: you decide what to type.")]
pub(crate) struct LearnArgs {
    #[command(flatten)]
    pub(crate) detach: DetachArgs,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

/// Arguments of `map`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ccctl map sqlite3
  ccctl map --svg 3f2a91bc > states.svg
  ccctl map --dot ./server | dot -Tpng > states.png
  ccctl map --mermaid ./server

The newest report of the program is used; if there is none, the program is investigated first.")]
pub(crate) struct MapArgs {
    /// Write it for Graphviz
    #[arg(long, group = "form")]
    pub(crate) dot: bool,
    /// Write it for Mermaid
    #[arg(long, group = "form")]
    pub(crate) mermaid: bool,
    /// Draw it as an SVG image
    #[arg(long, group = "form")]
    pub(crate) svg: bool,
    #[command(flatten)]
    pub(crate) caller: CallerArgs,
    /// Program, or a report: its id, a unique prefix of it, or the name of its file
    #[arg(value_name = "PROGRAM|REPORT")]
    pub(crate) target: String,
    /// Arguments of the program, after `--`
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) args: Vec<String>,
}

/// Arguments of `investigate list` and `test list`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ccctl investigate list
  ccctl test list --program sqlite3

On a terminal ids are shortened; every command that takes a report accepts the short form.")]
pub(crate) struct ReportListArgs {
    /// Only reports of this program
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) program: Option<String>,
    /// Show at most N reports [default: 100]
    #[arg(short = 'n', long, value_name = "N", value_parser = count)]
    pub(crate) limit: Option<u64>,
}

/// Names a report.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// Report: its id, a unique prefix of it, or the name of its file
    pub(crate) report: String,
}

/// Arguments of `investigate cleanup` and `test cleanup`.
#[derive(Debug, Args)]
pub(crate) struct ReportCleanupArgs {
    /// Delete reports that are older: a number of days, or a time such as 12h or 30d
    #[arg(long, value_name = "DAYS", value_parser = days)]
    pub(crate) older_than: f64,
}

/// Parses a number of days, or an age with its unit; returns seconds.
fn days(text: &str) -> Result<f64, String> {
    match text.ends_with(|c: char| c.is_ascii_alphabetic()) {
        true => age(text),
        false => age(&format!("{text}d")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Ccctl, Noun};
    use clap::Parser as _;

    fn parse(words: &[&str]) -> Result<InvestigateArgs, clap::Error> {
        match Ccctl::try_parse_from([&["ccctl", "investigate"], words].concat())?.noun {
            Noun::Investigate(args) => Ok(*args),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_bare_word_that_is_a_subcommand_is_the_subcommand() {
        for words in [
            &["list"][..],
            &["show", "3f2a"],
            &["run", "bc"],
            &["--json", "ls"],
        ] {
            assert!(parse(words).unwrap().verb.is_some(), "{words:?}");
        }
        for (words, program) in [
            (
                &["bc", "list", "--unsafe"][..],
                &["bc", "list", "--unsafe"][..],
            ),
            (&["--unsafe", "bc", "-q"], &["bc", "-q"]),
            (&["--", "list"], &["list"]),
        ] {
            let args = parse(words).unwrap();
            assert!(args.verb.is_none(), "{words:?}");
            assert_eq!(args.run.target.program, program);
        }
        assert!(parse(&[]).is_err() && parse(&["--unsfe", "bc"]).is_err());
    }

    #[test]
    fn ages_are_in_days_unless_they_say_otherwise() {
        assert_eq!(days("2"), Ok(172_800.0));
        assert_eq!(days("12h"), Ok(43_200.0));
        assert!(days("soon").is_err() && days("-1").is_err());
    }
}
