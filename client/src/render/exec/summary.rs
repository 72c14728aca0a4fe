//! What a run did, in a few lines at its end.

use super::files::{files, total};
use super::text::verdict;
use crate::render::short::{dollars, seconds};
use crate::render::{Colour, Printer, about, counted, cut, few, on_one_line, short_id};
use ccd_protocol::exec::{ExecutionResult, PolicyViolation};
use std::io;

const MOST: usize = 20;

/// Columns of a denied call among others in one line.
const CALL: usize = 80;

const NAMED: usize = 5;

const NAMES: usize = 11;

/// Writes the verdict, what changed, and how to continue; `failure` is why the run did not succeed.
pub(crate) fn run_summary(
    result: &ExecutionResult,
    failure: Option<&str>,
    out: &mut Printer<'_>,
) -> io::Result<()> {
    let facts = facts(result).join(" · ");
    let verdict = verdict(result.status, out.style);
    writeln!(out, "{}", format!("{verdict} {facts}").trim_end())?;
    if let Some(failure) = failure {
        writeln!(out, "{}", out.paint(Colour::Bad, &on_one_line(failure)))?;
    }
    files(&result.diff_info, MOST, out)?;
    let mut field = |name: &str, text: &str, colour| {
        let room = out.width().saturating_sub(NAMES + 2);
        let name = out.paint(Colour::Dim, &format!("  {name:<9}"));
        let text = match colour {
            // Nothing of a warning may be lost.
            Some(colour) => out.paint(colour, text),
            None => cut(text, room),
        };
        writeln!(out, "{name}{text}")
    };
    for commit in result.commits.iter().take(MOST) {
        field("commit", &on_one_line(commit), None)?;
    }
    for violation in result.policy_violations.iter().take(MOST) {
        field("denied", &call(violation), None)?;
    }
    for warning in &result.warnings {
        field("warning", &on_one_line(warning), Some(Colour::Notice))?;
    }
    let tape = result.tape.iter();
    let replayed = tape.clone().flat_map(|tape| &tape.used);
    for tape in replayed {
        field("replayed", &on_one_line(tape), None)?;
    }
    for tape in tape.flat_map(|tape| &tape.new) {
        field("recorded", &on_one_line(tape), None)?;
    }
    if !result.diff.is_empty() {
        let id = short_id(&result.request_id);
        field("diff", &format!("ccctl exec get {id} --diff"), None)?;
    }
    if has_run(result) && !result.session_id.is_empty() {
        field("resume", &resume(result), Some(Colour::Dim))?;
    }
    Ok(())
}

/// What a run changed and which calls were denied, a line each; nothing of a run without either.
pub(crate) fn run_notes(result: &ExecutionResult) -> Vec<String> {
    let mut notes = Vec::new();
    let mut changed = vec![changes(result)];
    changed.extend(match result.commits.len() as u64 {
        0 => None,
        commits => Some(counted(commits, "commit")),
    });
    changed.retain(|part| !part.is_empty());
    let files = &result.files_changed;
    if !changed.is_empty() {
        let names = few(NAMED, ", ", files.iter().map(|file| on_one_line(file)));
        let gap = if names.is_empty() { "" } else { ": " };
        notes.push(format!("changed {}{gap}{names}", changed.join(", ")));
    }
    let denied = &result.policy_violations;
    if !denied.is_empty() {
        let count = counted(denied.len() as u64, "tool call");
        let names = few(
            NAMED,
            ", ",
            denied.iter().map(|violation| cut(&call(violation), CALL)),
        );
        notes.push(format!("denied {count}: {names}"));
    }
    notes
}

/// The number of files and of lines; empty without files. Files in submodules are in no diff.
fn changes(result: &ExecutionResult) -> String {
    match (total(&result.diff_info), result.files_changed.len() as u64) {
        (total, 0) => total,
        (total, files) if total.is_empty() => counted(files, "file"),
        (total, _) => total,
    }
}

pub(super) fn call(violation: &PolicyViolation) -> String {
    let about = about(&violation.tool_input);
    on_one_line(&format!("{}: {about}", violation.tool_name))
}

/// False if Claude Code was not started.
fn has_run(result: &ExecutionResult) -> bool {
    result.execution_time > 0.0
}

fn facts(result: &ExecutionResult) -> Vec<String> {
    if !has_run(result) {
        return Vec::new();
    }
    let usage = &result.usage;
    let mut facts = vec![format!("in {}", seconds(result.execution_time))];
    if usage.turns > 0 {
        facts.push(counted(usage.turns, "turn"));
    }
    if usage.calls > 0 {
        facts.push(counted(usage.calls, "tool call"));
    }
    match changes(result) {
        changes if changes.is_empty() => facts.push("no changes".to_owned()),
        changes => facts.push(changes),
    }
    facts.extend(usage.cost_usd.map(dollars));
    facts.extend(usage.model.as_deref().map(on_one_line));
    facts
}

/// The command that continues the conversation; from another directory, with the repository.
fn resume(result: &ExecutionResult) -> String {
    format!("ccctl exec --resume {} '…'", result.session_id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::Style;
    use crate::render::exec::files::tests::file;
    use ccd_protocol::exec::{ExecutionStatus, FileStatus};
    use ccd_protocol::tape::TapeUse;
    use serde_json::json;

    fn shown(result: &ExecutionResult, failure: Option<&str>) -> String {
        let print = |out: &mut Printer<'_>| run_summary(result, failure, out);
        crate::render::printer::printed_in(Style::default(), Some(60), print)
    }

    fn denied() -> PolicyViolation {
        PolicyViolation {
            tool_name: "Bash".into(),
            tool_use_id: "t".into(),
            tool_input: json!({"command": "rm -rf\nx"}),
        }
    }

    #[test]
    fn a_good_run_says_what_it_changed_and_how_to_continue() {
        let mut result = ExecutionResult {
            request_id: "3f2a91bc-0000".into(),
            session_id: "0b6f4e1c-52a0".into(),
            status: ExecutionStatus::Success,
            execution_time: 72.4,
            diff: "diff --git".into(),
            diff_info: vec![file("a.rs", FileStatus::Modified, 2, 1)],
            commits: vec!["c0ffee".into()],
            ..ExecutionResult::default()
        };
        result.usage.turns = 3;
        result.usage.calls = 1;
        result.usage.cost_usd = Some(0.0123);
        result.usage.model = Some("opus".into());
        let expected = "\
success in 1m12s · 3 turns · 1 tool call · 1 file, +2 -1 · $0.0123 · opus
  M a.rs +2 -1
  commit   c0ffee
  diff     ccctl exec get 3f2a91bc --diff
  resume   ccctl exec --resume 0b6f4e1c-52a0 '…'
";
        assert_eq!(shown(&result, None), expected);
    }

    #[test]
    fn a_bad_run_says_why_and_what_was_denied() {
        let result = ExecutionResult {
            status: ExecutionStatus::Failed,
            execution_time: 4.0,
            policy_violations: vec![denied()],
            warnings: vec!["the stash is kept".into()],
            tape: Some(TapeUse {
                used: vec!["claude/exec-1".into()],
                new: vec!["claude/exec-2".into()],
                ..TapeUse::default()
            }),
            ..ExecutionResult::default()
        };
        let expected = "\
failed in 4s · no changes
max turns
  denied   Bash: rm -rf x
  warning  the stash is kept
  replayed claude/exec-1
  recorded claude/exec-2
";
        assert_eq!(shown(&result, Some("max turns\n")), expected);
        let not_started = ExecutionResult {
            session_id: "0b6f".into(),
            status: ExecutionStatus::Failed,
            ..ExecutionResult::default()
        };
        assert_eq!(shown(&not_started, Some("no")), "failed\nno\n");
    }

    #[test]
    fn changes_and_denied_calls_are_a_line_each_and_nothing_is_no_line() {
        let files = |count: usize| (0..count).map(|n| format!("{n}.rs")).collect::<Vec<_>>();
        for (files, info, commits, violations, expected) in [
            (files(0), vec![], 0, vec![], vec![]),
            (
                files(1),
                vec![file("0.rs", FileStatus::Modified, 2, 1)],
                0,
                vec![denied()],
                vec![
                    "changed 1 file, +2 -1: 0.rs",
                    "denied 1 tool call: Bash: rm -rf x",
                ],
            ),
            // In a submodule, and a commit without a change.
            (
                files(7),
                vec![],
                2,
                vec![],
                vec!["changed 7 files, 2 commits: 0.rs, 1.rs, 2.rs, 3.rs, 4.rs and 2 more"],
            ),
            (files(0), vec![], 1, vec![], vec!["changed 1 commit"]),
        ] {
            let result = ExecutionResult {
                files_changed: files,
                diff_info: info,
                commits: vec!["c".into(); commits],
                policy_violations: violations,
                ..ExecutionResult::default()
            };
            assert_eq!(run_notes(&result), expected);
        }
    }
}
