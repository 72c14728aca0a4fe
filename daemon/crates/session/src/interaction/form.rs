//! What a row's text does not tell of an input or a pattern, so that it can be used again.

use serde::{Deserialize, Serialize};

/// How a pattern was meant, or an input typed. As JSON in the database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    Regex,
    Exact,
    /// What cannot be done again: the end of the output or of the time, keys that were only counted.
    Event,
    /// The input ended with the Enter key, which the text has at most as `\r`.
    Line,
    /// It is what the text says.
    Text,
    /// The text is not what was typed.
    Inexact {
        how: Inexact,
        /// The Enter key came behind it.
        has_enter: bool,
    },
    /// Names of keys.
    Keys(Vec<String>),
}

/// Why the text of an input is not what was typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Inexact {
    /// Bytes that are no text.
    Bytes,
    /// It was pasted, as the program wants pastes.
    Paste,
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
