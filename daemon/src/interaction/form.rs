//! What a row's text does not tell of an input or a pattern, so that it can be used again.

use serde::{Deserialize, Serialize};

/// How a pattern was meant, or an input typed. As JSON in the database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Form {
    Regex,
    Exact,
    /// What cannot be done again: the end of the output or of the time, keys that were only counted.
    Event,
    /// The input ended with the Enter key.
    Line,
    /// It did not.
    Text,
    /// Names of keys.
    Keys(Vec<String>),
}

impl Form {
    /// As the database has it.
    pub(super) fn to_json(&self) -> Option<String> {
        serde_json::to_string(self).ok()
    }

    /// What the database has; `None` for rows of older daemons.
    pub(crate) fn of_json(json: Option<&str>) -> Option<Self> {
        serde_json::from_str(json?).ok()
    }
}
