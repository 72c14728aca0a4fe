//! The differences between two reports of investigations.

use serde::{Deserialize, Serialize};
use serde_with::apply;

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
#[apply(ListDiff => #[serde(default, skip_serializing_if = "ListDiff::is_empty")])]
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
    pub commands: ListDiff,
    /// By all their spellings. Changed: the value or the description.
    pub options: ListDiff,
    pub prompts: ListDiff,
    pub help_commands: ListDiff,
    /// By command. Changed: the exit status.
    pub exit_commands: ListDiff,
    pub data_formats: ListDiff,
    /// By name. Changed: the prompt, or where commands lead.
    pub states: ListDiff,
    /// By kind and command. Changed: the message.
    pub findings: ListDiff,
}

/// The differences between two lists.
#[apply(_ => #[serde(default, skip_serializing_if = "crate::is_default")])]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ListDiff {
    /// Only in `b`.
    pub added: Vec<String>,
    /// Only in `a`.
    pub removed: Vec<String>,
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
