//! `ccctl exec`.

use super::offer::{NameKind, ValueKind};
use super::tape_options::{fallback_modes, latency, record_modes};
use super::value::{directory, named, word};
use ccd_policy::split_list;
use ccd_protocol::exec::{DirtyWorktree, ExecTapeOptions, OutputFormat, PERMISSION_MODES};
use ccd_protocol::tape::{FallbackMode, Latency, RecordMode};
use clap::{Args, ValueHint};
use std::path::PathBuf;

/// What Claude Code is to do, and how. The daemon checks the values.
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub(crate) struct ExecRunArgs {
    /// Instruction for Claude Code, as one argument; - reads standard input
    #[arg(required_unless_present = "file", conflicts_with = "file")]
    pub(crate) instruction: Option<String>,
    /// Read the instruction from this file; - for standard input
    #[arg(short, long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Format of standard output [default: text; json with --json]
    #[arg(long, value_name = "FORMAT", ignore_case = true, value_parser = word(["text", "json", "stream-json"], named::<OutputFormat>))]
    pub(crate) output_format: Option<OutputFormat>,
    /// Set what Claude Code may do without asking: default, manual, acceptEdits, plan, dontAsk, auto or bypassPermissions
    #[arg(long, value_name = "MODE")]
    #[arg(add = ValueKind::Words(PERMISSION_MODES))]
    pub(crate) permission_mode: Option<String>,
    /// Allow only these tools: rules separated by commas, such as 'Read,Bash(git:*)'
    #[arg(long, value_name = "RULES", value_parser = tools)]
    pub(crate) allowed_tools: Option<ToolList>,
    /// Forbid these tools: rules separated by commas, such as 'Bash(rm:*),WebFetch'
    #[arg(long, value_name = "RULES", value_parser = tools)]
    pub(crate) disallowed_tools: Option<ToolList>,
    /// Continue the conversation with this id
    #[arg(long, value_name = "ID")]
    #[arg(add = NameKind::Conversations)]
    pub(crate) resume: Option<String>,
    /// Continue the last conversation of this repository
    #[arg(long = "continue")]
    pub(crate) continue_last: bool,
    /// Model, by its alias or full name
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// End the run after N model turns; it then fails
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) max_turns: Option<i64>,
    /// End the run after this time, 1 to 3600 [default: configuration key exec.timeout, 600]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) timeout: Option<i64>,
    /// Wait at most this long for other runs in the same work tree [default: configuration key exec.lock_timeout, 300]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) lock_timeout: Option<i64>,
    /// End the run after this time without output [default: never]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) stall_timeout: Option<i64>,
    /// Git work tree to run in [default: the current directory]
    #[arg(long, value_name = "DIR", value_parser = directory)]
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) repo_path: Option<String>,
    /// Run in a new git worktree, which is kept
    #[arg(long)]
    pub(crate) worktree: bool,
    /// With uncommitted changes: block refuses to run, stash stashes them during the run, allow runs with them in place [default: block]
    #[arg(long, value_name = "POLICY", ignore_case = true, value_parser = word(["block", "stash", "allow"], named::<DirtyWorktree>))]
    pub(crate) dirty_worktree: Option<DirtyWorktree>,
    /// Print the run's id and return at once; see ccctl exec get
    #[arg(long)]
    pub(crate) detach: bool,
    #[command(flatten)]
    pub(crate) tape: ExecTapeArgs,
}

/// Tapes that answer in place of Claude Code. If any option is given, tapes are used.
#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(next_help_heading = "Tape options")]
pub(crate) struct ExecTapeArgs {
    /// Directory of the tapes [default: configuration key replay.tapes_path, otherwise tapes in the base directory]
    #[arg(long, value_name = "DIR", value_parser = directory)]
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) tapes: Option<String>,
    /// What to record: runs that are on no tape (new), those that already are (overwrite), or nothing (disabled)
    #[arg(long, value_name = "MODE", value_parser = record_modes(""))]
    pub(crate) record: Option<RecordMode>,
    /// What to do with a run that is on no tape: fail (not_found), or run Claude Code (proxy)
    #[arg(long, value_name = "MODE", value_parser = fallback_modes())]
    pub(crate) fallback: Option<FallbackMode>,
    /// Delay before each line of a replay: N milliseconds, LO-HI for a random delay between LO and HI, or the word recorded for the recorded delays [default: as the tape says]
    #[arg(long, value_name = "MS", allow_negative_numbers = true, value_parser = latency)]
    pub(crate) latency: Option<Latency>,
}

impl ExecTapeArgs {
    /// Returns the options, if any is given; `root` is the directory as the daemon is to find it.
    pub(crate) fn options(&self, root: Option<String>) -> Option<ExecTapeOptions> {
        (*self != Self::default()).then(|| ExecTapeOptions {
            root,
            record: self.record,
            fallback: self.fallback,
            latency: self.latency.clone(),
            ..ExecTapeOptions::default()
        })
    }
}

/// Rules for calls of tools; at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ToolList(pub(crate) Vec<String>);

/// Splits rules at the commas that are not in parentheses. An empty list is refused: it would mean no restriction.
fn tools(text: &str) -> Result<ToolList, String> {
    let rules = split_list(text);
    if rules.is_empty() {
        Err("give at least one tool, such as Read".to_owned())
    } else {
        Ok(ToolList(rules))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{ExecArgs, Noun, parsed};

    fn parse(line: &str) -> Result<ExecArgs, clap::Error> {
        match parsed(&format!("exec {line}"))? {
            Noun::Exec(args) => Ok(*args),
            other => panic!("{other:?}"),
        }
    }

    fn run(line: &str) -> ExecRunArgs {
        let args = parse(line).unwrap();
        assert!(args.verb.is_none(), "{line}");
        args.run
    }

    #[test]
    fn an_instruction_is_one_word_of_the_command_line() {
        for (line, instruction) in [
            ("'add a test'", Some("add a test")),
            ("--model opus 'add a test'", Some("add a test")),
            ("'add a test' --model opus", Some("add a test")),
            ("--model opus -- '-v is wrong'", Some("-v is wrong")),
            ("-- list", Some("list")),
            ("'list them'", Some("list them")),
            ("''", Some("")),
            ("-", Some("-")),
            ("--file f", None),
        ] {
            assert_eq!(run(line).instruction.as_deref(), instruction, "{line}");
        }
        for line in ["", "add a test", "x --file f", "'-x is wrong'"] {
            assert!(parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn a_bare_word_that_is_a_subcommand_is_the_subcommand() {
        for line in [
            "list",
            "--json ls",
            "show 3f2a",
            "session 3f2a",
            "clean --older-than 30",
            "run 'add a test' --timeout 5",
        ] {
            assert!(parse(line).unwrap().verb.is_some(), "{line}");
        }
    }

    #[test]
    fn commas_in_parentheses_do_not_separate_tools() {
        let args = run("x --disallowed-tools 'Bash(rm:*, -rf), WebFetch'");
        let list = args.disallowed_tools.unwrap();
        assert_eq!(list.0, ["Bash(rm:*, -rf)", "WebFetch"]);
    }

    #[test]
    fn numbers_out_of_range_are_left_to_the_daemon_and_choices_are_in_any_case() {
        let args =
            run("x --timeout -1 --max-turns 0 --output-format Stream-JSON --dirty-worktree STASH");
        assert_eq!((args.timeout, args.max_turns), (Some(-1), Some(0)));
        assert_eq!(args.output_format, Some(OutputFormat::StreamJson));
        assert_eq!(args.dirty_worktree, Some(DirtyWorktree::Stash));
        for line in [
            "x --timeout soon",
            "x --output-format xml",
            "x --allowed-tools ''",
            "x --allowed-tools ' , '",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
