//! The differences between two reports of investigations.

use serde::{Deserialize, Serialize};

/// Parameters of `investigate.diff`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct InvestigateDiffParams {
    /// Report: id, unique prefix of it, name of its file, or a program, for its newest report.
    pub a: String,
    /// Report that `a` is compared with, in the same way.
    pub b: String,
}

/// The differences between the reports `a` and `b`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct InvestigationDiff {
    /// Id of the first report.
    pub a: String,
    /// Id of the second report.
    pub b: String,
    pub equal: bool,
    /// `program`, `args`, `version`, `interactive`, `full_screen`, `safe_mode`, `end`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub properties: Vec<Change>,
    /// By name. Changed: the description.
    #[serde(default, skip_serializing_if = "ListDiff::is_empty")]
    pub commands: ListDiff,
    /// By all their spellings. Changed: the value or the description.
    #[serde(default, skip_serializing_if = "ListDiff::is_empty")]
    pub options: ListDiff,
    #[serde(default, skip_serializing_if = "ListDiff::is_empty")]
    pub prompts: ListDiff,
    #[serde(default, skip_serializing_if = "ListDiff::is_empty")]
    pub help_commands: ListDiff,
    /// By command. Changed: the exit status.
    #[serde(default, skip_serializing_if = "ListDiff::is_empty")]
    pub exit_commands: ListDiff,
    #[serde(default, skip_serializing_if = "ListDiff::is_empty")]
    pub data_formats: ListDiff,
    /// By name. Changed: the prompt, or where commands lead.
    #[serde(default, skip_serializing_if = "ListDiff::is_empty")]
    pub states: ListDiff,
    /// By kind and command. Changed: the message.
    #[serde(default, skip_serializing_if = "ListDiff::is_empty")]
    pub findings: ListDiff,
}

/// The differences between two lists.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ListDiff {
    /// Only in `b`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<String>,
    /// Only in `a`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<Change>,
}

impl ListDiff {
    /// True if the lists are the same.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.changed.is_empty()
    }
}

/// An entry that both reports have, with different contents.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Change {
    pub name: String,
    /// Its contents in report `a`.
    pub a: String,
    /// Its contents in report `b`.
    pub b: String,
}
