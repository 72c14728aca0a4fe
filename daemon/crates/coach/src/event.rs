//! Events as the aggregation reads them.

use crate::signal::SignalType;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    pub id: String,
    /// RFC 3339, UTC.
    pub timestamp: String,
    pub signal_type: SignalType,
    /// The seed's id of the repository.
    pub repo_id: String,
    /// What repositories are counted by: equal for two clones of one, whatever their address. `repo_id` when it is empty.
    #[serde(default)]
    pub repo_key: String,
    #[serde(default)]
    pub session_id: String,
    #[serde(default)]
    pub content: String,
    pub context: Map<String, Value>,
}

/// A command that succeeded after a command of the same base had failed in the same session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Success {
    pub timestamp: String,
    #[serde(default)]
    pub session_id: String,
    #[serde(default)]
    pub repo_id: String,
    pub command: String,
}
