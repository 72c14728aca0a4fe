//! PROCESS_VIOLATION of a tool call: a squash that nobody asked for, an edit of an installed copy.

use super::failure::add_action;
use super::found::{Formula, signal};
use crate::command::{Simple, parse};
use crate::patterns::{PatternGroup, PatternSet};
use crate::payload::{HookEvent, Payload};
use crate::signal::{Signal, SignalType};
use serde_json::{Value, json};

pub(super) const FORMULA: Formula = Formula::new(0.7, 0.1, 0.95);

/// Returns the signal of a command line. A squash that failed was tried all the same.
pub(super) fn in_command(payload: &Payload, line: &str, set: &PatternSet) -> Option<Signal> {
    let mut violations = Vec::new();
    for command in parse(line).iter().filter(|command| !command.is_trivial()) {
        for text in texts(command) {
            for found in set.find(PatternGroup::UnauthorizedSquash, &text, |found| {
                found.text.start() == 0
            }) {
                let is_new = |violation: &Value| violation["pattern"] != *found.pattern;
                if violations.iter().all(is_new) {
                    violations.push(json!({"kind": "unauthorized_squash", "pattern": found.pattern, "command": line}));
                }
            }
        }
    }
    violation(payload, violations, line)
}

pub(super) fn in_file(payload: &Payload, set: &PatternSet) -> Option<Signal> {
    let tool = payload.call.tool_name.as_deref()?;
    let writes = matches!(tool, "Write" | "Edit" | "MultiEdit" | "NotebookEdit");
    let file = payload.call.file_path.as_deref()?;
    if !writes || payload.event != HookEvent::PostToolUse || is_of_project(payload, file) {
        return None;
    }
    let found = set.find(PatternGroup::CachePathEdit, file, |_| true);
    let violations = found.iter().map(|found| json!({"kind": "cache_path_edit", "pattern": found.pattern, "file_path": file, "tool": tool}));
    violation(payload, violations.collect(), file)
}

fn violation(payload: &Payload, violations: Vec<Value>, content: &str) -> Option<Signal> {
    if violations.is_empty() {
        return None;
    }
    let matches = violations
        .iter()
        .map(|violation| violation["pattern"].clone())
        .collect();
    let confidence = FORMULA.confidence(violations.len());
    let mut signal = signal(SignalType::ProcessViolation, matches, confidence, content);
    signal.set("violations", violations);
    add_action(&mut signal, payload, &payload.call);
    Some(signal)
}

/// Returns the texts of a command that the patterns are searched in: as it is, and with its options in the form and at the
/// place where the patterns expect them.
fn texts(command: &Simple) -> Vec<String> {
    let mut texts = vec![command.bare_text()];
    let words = command.from_subcommand();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match (command.program.as_str(), &words[..]) {
        ("git", ["merge", rest @ ..]) if rest.contains(&"--squash") => {
            texts.push("git merge --squash".to_owned())
        }
        ("gh", ["pr", "merge", rest @ ..]) if rest.contains(&"-s") => {
            texts.push("gh pr merge --squash".to_owned())
        }
        ("git", ["rebase", rest @ ..])
            if rest.contains(&"-i") || rest.contains(&"--interactive") =>
        {
            let edits = command
                .assignments
                .iter()
                .any(|assignment| assignment.contains("EDITOR=") && assignment.contains("squash"));
            texts.extend(edits.then(|| "git rebase -i squash".to_owned()));
        }
        _ => {}
    }
    texts
}

/// Returns whether a file below `.claude` is the project's own, which is its source and no installed copy.
fn is_of_project(payload: &Payload, file: &str) -> bool {
    let cwd = payload.cwd.as_deref().unwrap_or_default();
    let cwd = cwd.trim_end_matches('/');
    let is_home = cwd.is_empty()
        || cwd == "/root"
        || ["/home/", "/Users/"].iter().any(|homes| {
            cwd.strip_prefix(homes)
                .is_some_and(|name| !name.contains('/'))
        });
    let inside = file
        .strip_prefix(cwd)
        .is_some_and(|rest| rest.starts_with("/.claude/skills/"));
    let installed = payload
        .transcript_path
        .as_deref()
        .and_then(|path| path.split_once("/projects/"))
        .map(|(folder, _)| folder);
    inside && !is_home && installed.is_none_or(|folder| !file.starts_with(folder))
}
