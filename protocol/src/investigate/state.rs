//! The states of a program, such as the modes of its menu.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One state: PROGRAM_STATE of the seed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProgramState {
    /// A UUID.
    pub id: String,
    pub report_id: String,
    /// `main` for the first state; otherwise what the program calls it, or a name made of its prompt.
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
    /// Lines with which the program reported errors.
    #[serde(default)]
    pub error_patterns: Vec<String>,
}

/// What a command printed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OutputSample {
    pub command: String,
    /// At most 500 characters, redacted.
    pub output: String,
}
