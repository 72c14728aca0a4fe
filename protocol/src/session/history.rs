//! The interaction log.

use serde::{Deserialize, Serialize};

/// Parameters of `session.history`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionHistoryParams {
    pub session: String,
    /// At most so many rows, the newest; default 200, at most 10,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Only rows before this id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
}

/// Reply of `session.history`, oldest first.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionHistoryReply {
    pub interactions: Vec<Interaction>,
}

/// What a row of the interaction log tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Action {
    Start,
    Send,
    Recv,
    Expect,
    Error,
}

/// A row of the interaction log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Interaction {
    pub id: String,
    pub session_id: String,
    pub timestamp: String,
    pub action: Action,
    pub input_text: Option<String>,
    pub output_text: Option<String>,
    pub pattern_matched: Option<String>,
    /// Who did it: the client's name.
    pub client: Option<String>,
    pub client_pid: Option<i32>,
    /// Range of the output the row speaks of.
    pub start: Option<u64>,
    pub end: Option<u64>,
}
