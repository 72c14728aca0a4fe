//! What the details of a result say.

use ccd_protocol::black_box::TestResult;
use serde_json::{Map, Value};

/// The member of a result's details that lists its findings.
pub(crate) const FINDINGS: &str = "findings";

/// The member of a finding that a baseline has too.
pub(crate) const KNOWN: &str = "known";

/// A finding in the details of a result, which may have been edited by hand: each member may be missing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReportedFinding {
    pub kind: String,
    pub message: Option<String>,
    pub input: Option<String>,
    pub input_b64: Option<String>,
    pub signal: Option<String>,
    pub exit_status: Option<i64>,
    pub tape: Option<String>,
    /// The baseline has it too.
    pub known: bool,
}

impl ReportedFinding {
    pub(crate) fn from_details(finding: &Map<String, Value>) -> Self {
        let text = |name: &str| finding.get(name)?.as_str().map(str::to_owned);
        Self {
            kind: text("kind").unwrap_or_else(|| "finding".to_owned()),
            message: text("message"),
            input: text("input").or_else(|| text("command")),
            input_b64: text("input_b64"),
            signal: text("signal"),
            exit_status: finding.get("exit_status").and_then(Value::as_i64),
            tape: text("tape"),
            known: finding.get(KNOWN).and_then(Value::as_bool) == Some(true),
        }
    }

    /// One line: `crash: ended by SIGSEGV`.
    pub(crate) fn line(&self) -> String {
        let what = self.message.as_ref().or(self.signal.as_ref());
        let known = if self.known { " (known)" } else { "" };
        match what {
            Some(what) => format!("{}: {what}{known}", self.kind),
            None => format!("{}{known}", self.kind),
        }
    }
}

/// Returns the findings of a result.
pub fn findings(result: &TestResult) -> Vec<ReportedFinding> {
    let list = result.details.get(FINDINGS).and_then(Value::as_array);
    let objects = list.into_iter().flatten().filter_map(Value::as_object);
    objects.map(ReportedFinding::from_details).collect()
}

/// Returns the rest of the details, as a person would write them.
pub(super) fn rest(result: &TestResult) -> Vec<(String, String)> {
    let details = result.details.iter().filter(|(name, _)| *name != FINDINGS);
    details
        .map(|(name, value)| (name.replace('_', " "), shown(value)))
        .collect()
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "–".to_owned(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        Value::Array(list) if list.iter().all(|one| !one.is_object() && !one.is_array()) => {
            let list: Vec<String> = list.iter().map(shown).collect();
            list.join(", ")
        }
        other => serde_json::to_string_pretty(other).unwrap_or_default(),
    }
}
