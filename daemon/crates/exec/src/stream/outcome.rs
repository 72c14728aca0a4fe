//! A record of type `result`.

use serde_json::Value;

/// What the end of a turn says. One run can have several.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TurnOutcome {
    /// The record as it was printed, without the end of its line.
    pub line: String,
    pub is_error: bool,
    /// `success`, `error_max_turns`, ….
    pub subtype: String,
    /// `completed`, `api_error`, `aborted_tools`, …; empty in some records.
    pub terminal_reason: String,
    pub stop_reason: String,
    /// The answer, or the text of an error.
    pub text: Option<String>,
    pub errors: Vec<String>,
    pub api_error_status: Option<u64>,
    pub turns: u64,
    /// An estimate of the CLI; some versions count from the start of the conversation, not of the run.
    pub cost_usd: Option<f64>,
}

impl TurnOutcome {
    /// Reads a record; members that are missing or have another type are empty. A record without `is_error` is an
    /// error; so is one whose subtype says so, since some versions then have `is_error: false`.
    pub(super) fn from_record(record: &Value, line: &[u8]) -> Self {
        let text = |member: &str| record[member].as_str().unwrap_or_default().to_owned();
        let errors = record["errors"]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default();
        let subtype = text("subtype");
        Self {
            line: String::from_utf8_lossy(line).into_owned(),
            is_error: subtype.starts_with("error") || record["is_error"].as_bool().unwrap_or(true),
            subtype,
            terminal_reason: text("terminal_reason"),
            stop_reason: text("stop_reason"),
            text: record["result"].as_str().map(str::to_owned),
            errors: errors
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
            api_error_status: record["api_error_status"].as_u64(),
            turns: record["num_turns"].as_u64().unwrap_or_default(),
            cost_usd: record["total_cost_usd"].as_f64(),
        }
    }

    /// Returns whether the turn was interrupted from outside.
    #[must_use]
    pub fn is_aborted(&self) -> bool {
        self.terminal_reason.starts_with("aborted")
    }
}
