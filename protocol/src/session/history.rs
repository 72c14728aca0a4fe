//! The history: who typed, received and matched what.

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

/// Parameters of `session.history`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SessionHistoryParams {
    pub session: String,
    /// Maximum number of rows, counted from the newest; default 200, at most 10,000.
    pub limit: Option<u64>,
    /// Only rows older than the one with this id.
    pub before: Option<String>,
}

/// Reply of `session.history`, oldest first.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SessionHistoryReply {
    pub interactions: Vec<Interaction>,
}

/// The kind of event in a row of the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Action {
    Start,
    Send,
    Recv,
    Expect,
    Error,
}

/// A row of the history.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Interaction {
    pub id: String,
    pub session_id: String,
    pub timestamp: String,
    pub action: Action,
    pub input_text: Option<String>,
    pub output_text: Option<String>,
    /// The pattern that matched. In an ERROR row: the patterns, one per line, or the condition that a call waited for.
    pub pattern_matched: Option<String>,
    /// Name of the client that caused the event.
    pub client: Option<String>,
    pub client_pid: Option<i32>,
    /// In an ERROR row of a call that failed: the `kind` of its error, and how long the call took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_kind: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waited_ms: Option<u64>,
    /// Exit status: of the command, in the RECV row of the output of a `session.run`; of the program, in the last row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Range of the output that the row covers.
    pub start: Option<u64>,
    pub end: Option<u64>,
}
