//! COMMAND_FAILURE: a command failed.

use super::exit_answers::is_answer;
use super::found::{Formula, first_chars, patterns, signal};
use super::history::History;
use super::stderr::{is_code_in_context, is_failure_of_success};
use crate::patterns::{PatternGroup, PatternSet};
use crate::payload::{Payload, ToolCall};
use crate::signal::{Signal, SignalType};

const FORMULA: Formula = Formula::new(0.7, 0.1, 0.99);

const MAX_PREVIEW_CHARS: usize = 500;

/// Exit codes that stand for no failure: interrupted by the user, and a reader that closed its pipe.
const INTERRUPTED: i32 = 130;
const CLOSED_PIPE: i32 = 141;

/// Claude Code's own words for a call that it refused or cancelled, so that nothing ran.
const NOT_RUN: &str = "<tool_use_error>";

/// Returns the signal of a command. A command that succeeded counts when it printed an error all the same, for example
/// before a pipe.
pub(super) fn detect(
    payload: &Payload,
    line: &str,
    set: &PatternSet,
    history: &History,
) -> Option<Signal> {
    let (exit_code, stderr) = (payload.exit_code(), payload.stderr());
    if matches!(exit_code, Some(INTERRUPTED | CLOSED_PIPE)) || stderr.contains(NOT_RUN) {
        return None;
    }
    let is_success = exit_code == Some(0);
    let found = set.find(PatternGroup::FailureStderr, stderr, |found| {
        is_code_in_context(found, stderr)
            && (!is_success || is_failure_of_success(found, stderr, line))
    });
    if is_success && found.is_empty() {
        return None;
    }
    if exit_code.is_some_and(|code| code != 0 && is_answer(line, code, !found.is_empty())) {
        return None;
    }
    let similar = history.similar_failures(line);
    let confidence = FORMULA.confidence_of(similar, payload);
    let matches = patterns(&found);
    let has_output = !stderr.trim().is_empty();
    let content = if has_output { stderr } else { line };
    let kind = SignalType::CommandFailure;
    let mut signal = signal(kind, matches.clone(), confidence, content);
    signal.set("stderr_matches", matches);
    let watched = set.find(PatternGroup::FailureCommands, line, |_| true);
    signal.set("command_matches", patterns(&watched));
    if let Some(code) = exit_code {
        signal.set("exit_code", code);
    }
    signal.set("similar_recent_failures", similar);
    signal.set("stderr_preview", first_chars(stderr, MAX_PREVIEW_CHARS));
    add_action(&mut signal, payload, &payload.call);
    Some(signal)
}

/// Adds what a call of a payload did.
pub(super) fn add_action(signal: &mut Signal, payload: &Payload, call: &ToolCall) {
    if let Some(tool) = &call.tool_name {
        signal.set("action", tool.to_lowercase());
    }
    if let Some(line) = call.command.as_deref() {
        signal.set("command", line);
    }
    if let Some(file) = call.file_path.as_deref() {
        let cwd = payload.cwd.as_deref().unwrap_or_default();
        let cwd = cwd.trim_end_matches('/');
        let inside = file.strip_prefix(cwd).filter(|_| !cwd.is_empty());
        let inside = inside.and_then(|rest| rest.strip_prefix('/'));
        signal.set("file", inside.unwrap_or(file));
    }
}
