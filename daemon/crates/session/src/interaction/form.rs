//! Details of an input or a pattern that a row's text does not show, but that are needed to use it again.

use serde::{Deserialize, Serialize};

/// The kind of a pattern or an input. JSON in the database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InputForm {
    Regex,
    Exact,
    /// Cannot be repeated: the end of the output, a timeout, keys that were only counted.
    Event,
    /// The input ended with the Enter key, which is in the text as `\r` or not at all.
    Line,
    /// The input is exactly the text.
    Text,
    /// The text differs from the input.
    Inexact {
        how: Inexact,
        /// The Enter key followed it.
        has_enter: bool,
    },
    Keys(Vec<String>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Inexact {
    /// Bytes that are not valid text.
    Bytes,
    /// It was sent as a bracketed paste, if the program enabled that.
    Paste,
}

impl InputForm {
    pub(super) fn to_json(&self) -> Option<String> {
        serde_json::to_string(self).ok()
    }

    /// Reads the form from the database; `None` for rows of older daemons.
    pub(crate) fn from_json(json: Option<&str>) -> Option<Self> {
        serde_json::from_str(json?).ok()
    }
}
