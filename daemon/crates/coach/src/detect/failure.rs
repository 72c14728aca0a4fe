//! COMMAND_FAILURE: a command failed.

use super::exit_answers::is_answer;
use super::found::{Formula, first_chars, patterns, rounded, signal};
use super::history::History;
use super::stderr::{is_code_in_context, is_failure_of_success};
use crate::patterns::{PatternGroup, PatternSet};
use crate::payload::Payload;
use crate::signal::{EventType, Signal, SignalType};
use serde_json::{Map, Value};

const FORMULA: Formula = Formula {
    base: 0.7,
    step: 0.1,
    most: 0.99,
};

/// What a failure inside a sub-agent counts: the user does not see it, and sub-agents explore.
const IN_SUB_AGENT: f64 = 0.75;

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
    let confidence = FORMULA.of(similar);
    let confidence = if payload.agent_id.is_some() {
        rounded(confidence * IN_SUB_AGENT)
    } else {
        confidence
    };
    let matches = patterns(&found);
    let content = if stderr.trim().is_empty() {
        line
    } else {
        stderr
    };
    let mut signal = signal(
        SignalType::CommandFailure,
        EventType::Tool,
        matches.clone(),
        confidence,
        content,
    );
    let detail = &mut signal.detail;
    detail.insert("stderr_matches".into(), Value::Array(matches));
    let watched = set.find(PatternGroup::FailureCommands, line, |_| true);
    detail.insert("command_matches".into(), Value::Array(patterns(&watched)));
    if let Some(code) = exit_code {
        detail.insert("exit_code".into(), code.into());
    }
    detail.insert("similar_recent_failures".into(), similar.into());
    detail.insert(
        "stderr_preview".into(),
        first_chars(stderr, MAX_PREVIEW_CHARS).into(),
    );
    add_action(detail, payload, Some(line));
    Some(signal)
}

pub(super) fn add_action(detail: &mut Map<String, Value>, payload: &Payload, line: Option<&str>) {
    if let Some(tool) = &payload.tool_name {
        detail.insert("action".into(), tool.to_lowercase().into());
    }
    if let Some(line) = line {
        detail.insert("command".into(), line.into());
    }
    if let Some(file) = &payload.tool_input.file_path {
        let cwd = payload
            .cwd
            .as_deref()
            .unwrap_or_default()
            .trim_end_matches('/');
        let inside = file
            .strip_prefix(cwd)
            .and_then(|rest| rest.strip_prefix('/'))
            .filter(|_| !cwd.is_empty());
        detail.insert("file".into(), inside.unwrap_or(file).into());
    }
}
