//! The states of a program, such as the modes of its menu.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One state of a program: a prompt, and the commands that work there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ProgramState {
    /// A UUID.
    pub id: String,
    /// Id of the report.
    pub report_id: String,
    /// `main` for the first state; otherwise the name that the program prints, or one made from its prompt.
    pub name: String,
    /// Without control sequences and surrounding blanks; null if the program shows none.
    pub prompt: Option<String>,
    /// Names of the commands of this state.
    #[serde(default)]
    pub commands: Vec<String>,
    /// Commands that lead to another state, and the id of that state.
    #[serde(default)]
    pub transitions: BTreeMap<String, String>,
    #[serde(default)]
    pub output_samples: Vec<OutputSample>,
    /// Lines in which the program reported errors, redacted.
    #[serde(default)]
    pub error_patterns: Vec<String>,
}

/// The output of a command.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OutputSample {
    pub command: String,
    /// At most 500 characters, redacted.
    pub output: String,
}
