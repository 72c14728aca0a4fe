//! The seed's rules, one row for each value that has one.

use crate::model::{
    MAX_BLOCKERS, MAX_ERRORS, MAX_FAILURES, MAX_FILES, MAX_NEXT_TASKS, MAX_SERVERS, MAX_STEPS,
    MESSAGE_CHARS, TITLE_CHARS,
};
use ccd_protocol::memory::SessionMemory;
use serde_json::{Value, from_value, to_value};

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Rule {
    Time,
    Version,
    Percentage,
    Counts,
    RelativePath,
    Entries(usize),
    /// A text of one line with at most this many characters.
    Line(usize),
}

/// Paths of values in JSON (`*` is each entry of a list) with what must be true of them.
pub(super) const RULES: [(&str, Rule); 32] = [
    ("metadata.generatedAt", Rule::Time),
    ("testResults.lastRun", Rule::Time),
    ("environment.dependencies.lastInstall", Rule::Time),
    ("environment.build.lastBuild", Rule::Time),
    ("blockers.*.detectedAt", Rule::Time),
    ("metadata.version", Rule::Version),
    ("taskStatus.phases.*.percentage", Rule::Percentage),
    ("testResults.unit.percentage", Rule::Percentage),
    ("testResults.e2e.percentage", Rule::Percentage),
    ("testResults.unit", Rule::Counts),
    ("testResults.e2e", Rule::Counts),
    ("testResults.unit.failures.*.file", Rule::RelativePath),
    ("testResults.e2e.failures.*.file", Rule::RelativePath),
    ("filesNeedingAttention.*.path", Rule::RelativePath),
    ("taskStatus.sourceFile", Rule::RelativePath),
    ("taskStatus.nextTasks", Rule::Entries(MAX_NEXT_TASKS)),
    ("blockers", Rule::Entries(MAX_BLOCKERS)),
    ("testResults.unit.failures", Rule::Entries(MAX_FAILURES)),
    ("testResults.e2e.failures", Rule::Entries(MAX_FAILURES)),
    ("environment.servers", Rule::Entries(MAX_SERVERS)),
    ("environment.build.errors", Rule::Entries(MAX_ERRORS)),
    ("filesNeedingAttention", Rule::Entries(MAX_FILES)),
    ("nextSteps", Rule::Entries(MAX_STEPS)),
    ("summary.projectDescription", Rule::Line(usize::MAX)),
    ("summary.completionStatus", Rule::Line(usize::MAX)),
    ("summary.currentPhase", Rule::Line(usize::MAX)),
    ("summary.majorBlocker", Rule::Line(usize::MAX)),
    ("summary.nextAction", Rule::Line(usize::MAX)),
    ("blockers.*.title", Rule::Line(TITLE_CHARS)),
    (
        "testResults.unit.failures.*.message",
        Rule::Line(MESSAGE_CHARS),
    ),
    (
        "testResults.e2e.failures.*.message",
        Rule::Line(MESSAGE_CHARS),
    ),
    ("environment.build.errors.*", Rule::Line(MESSAGE_CHARS)),
];

/// Calls `look` with each value that has a rule, and the value's own path: `blockers[0].title`.
pub(super) fn each_rule(memory: &mut Value, mut look: impl FnMut(Rule, &str, &mut Value)) {
    for (path, rule) in RULES {
        each(memory, path, String::new(), &mut |name, value| {
            look(rule, name, value)
        });
    }
}

/// Calls `look` with each value that is at a path and is not null.
pub(super) fn each(
    value: &mut Value,
    path: &str,
    name: String,
    look: &mut dyn FnMut(&str, &mut Value),
) {
    let (first, rest) = path.split_once('.').unwrap_or((path, ""));
    match (first, value) {
        (_, Value::Null) => (),
        ("", value) => look(&name, value),
        ("*", Value::Array(entries)) => {
            for (at, entry) in entries.iter_mut().enumerate() {
                each(entry, rest, format!("{name}[{at}]"), look);
            }
        }
        (first, value) => {
            if let Some(value) = value.get_mut(first) {
                let dot = if name.is_empty() { "" } else { "." };
                each(value, rest, format!("{name}{dot}{first}"), look);
            }
        }
    }
}

pub(super) fn change(memory: &mut SessionMemory, change: impl FnOnce(&mut Value)) {
    if let Ok(mut value) = to_value(&*memory) {
        change(&mut value);
        // Texts are changed and lists are cut, so it is a memory still.
        *memory = from_value(value).unwrap_or_default();
    }
}

pub(super) fn each_text(value: &mut Value, change: &mut impl FnMut(&mut String)) {
    match value {
        Value::String(text) => change(text),
        Value::Array(values) => values.iter_mut().for_each(|value| each_text(value, change)),
        Value::Object(fields) => fields
            .values_mut()
            .for_each(|value| each_text(value, change)),
        _ => (),
    }
}
