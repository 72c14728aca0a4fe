//! What a run did, in a few lines at its end.

use super::files::{files, total};
use super::text::verdict;
use crate::render::short::{dollars, seconds};
use crate::render::{
    Colour, Printer, about, counted, cut, few, message, on_one_line, printable, short_id,
};
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
        writeln!(out, "{}", out.paint(Colour::Bad, &message(failure)))?;
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
        field("warning", &message(warning), Some(Colour::Notice))?;
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
        let names = few(NAMED, ", ", files.iter().map(|file| printable(file)));
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
