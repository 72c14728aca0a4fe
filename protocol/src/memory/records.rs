//! Replies about a memory.

use serde::{Deserialize, Serialize};

/// Where a fact of a memory is from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MemoryFact {
    /// A file, relative to the project, or what else said so.
    pub source: String,
    /// When it was so, RFC 3339; null if nothing says when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

/// What is wrong with a memory.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MemoryValidateReply {
    pub valid: bool,
    pub errors: Vec<String>,
    /// What could not be read and was left out.
    #[serde(default)]
    pub warnings: Vec<String>,
}
