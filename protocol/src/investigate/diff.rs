//! The differences between two reports of investigations.

use serde::{Deserialize, Serialize};

/// Parameters of `investigate.diff`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InvestigateDiffParams {
    /// Two reports: ids, unique prefixes of them, or names of files.
    pub a: String,
    pub b: String,
}

/// What differs between the reports `a` and `b`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InvestigationDiff {
    /// Ids of the reports.
    pub a: String,
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

/// What differs between two lists.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// Something that both reports have, with another content.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Change {
    pub name: String,
    pub a: String,
    pub b: String,
}
