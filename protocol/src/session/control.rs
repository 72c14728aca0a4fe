//! Naming, listing, signals, size, end.

use super::record::Session;
use crate::tape::TapeUse;
use serde::{Deserialize, Serialize};
use serde_with::apply;

/// Parameters of `session.get`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SessionGetParams {
    /// Id, name, or a unique prefix of an id.
    pub session: String,
    /// False: do not look up `waiting_for_input`, which takes up to 20 ms right after a send. Default: true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<bool>,
}

impl SessionGetParams {
    /// Names the session.
    #[must_use]
    pub fn of(session: impl Into<String>) -> Self {
        Self {
            session: session.into(),
            waiting: None,
        }
    }
}

/// Parameters of `session.list`.
#[apply(_ => #[serde(default, skip_serializing_if = "crate::is_default")])]
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SessionListParams {
    /// Include ended sessions.
    pub all: bool,
    /// Look up `waiting_for_input` of live sessions. Null if that took too long.
    pub waiting: bool,
}

/// Reply of `session.list`, oldest first.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SessionListReply {
    pub sessions: Vec<Session>,
}

/// Parameters of `session.signal`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SessionSignalParams {
    pub session: String,
    /// `INT`, `SIGINT` or `2`.
    pub signal: String,
}

/// Parameters of `session.resize`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SessionResizeParams {
    pub session: String,
    /// 1 to 1,000.
    pub rows: i64,
    /// 1 to 1,000.
    pub cols: i64,
}

/// Parameters of `session.rename`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SessionRenameParams {
    pub session: String,
    /// The new name. No other live session may have it as its name or its id.
    pub name: String,
}

/// Parameters of `session.pan`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SessionPanParams {
    pub session: String,
    /// Rows to move down; negative: up. The view stops at the edges of the screen.
    #[serde(default)]
    pub rows: i64,
    /// Columns to move to the right; negative: to the left.
    #[serde(default)]
    pub cols: i64,
}

/// Parameters of `session.echo`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SessionEchoParams {
    pub session: String,
    /// Absent: only report the state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<bool>,
}

/// Reply of `session.echo`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SessionEchoReply {
    /// Whether the terminal echoes input now.
    pub on: bool,
}

/// Parameters of `session.close`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SessionCloseParams {
    pub session: String,
    /// Time between asking the program to exit (HUP, TERM) and killing it; default 2,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grace_ms: Option<f64>,
}

/// Reply of `session.close`. `exitstatus` and `signal` are as in the session's record.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SessionCloseReply {
    pub exitstatus: Option<i32>,
    pub signal: Option<i32>,
    /// Something had to be killed.
    pub forced: bool,
    /// Process ids of the processes that were killed.
    pub killed: Vec<i32>,
    /// Process ids of processes that could not be killed within 2 s, such as those of another user or blocked in the kernel.
    /// The session has ended nevertheless.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<i32>,
    /// How the session used tapes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tape: Option<TapeUse>,
    /// Values of the request that were corrected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Parameters of `session.cleanup`.
#[apply(_ => #[serde(default, skip_serializing_if = "crate::is_default")])]
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SessionCleanupParams {
    /// Also close all live sessions.
    pub force: bool,
    /// Also close live sessions that have been idle for this many seconds, except attached and `persist` ones.
    pub max_age_s: Option<f64>,
}

/// Reply of `session.cleanup`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SessionCleanupReply {
    /// Number of sessions that are no longer listed.
    pub removed: u64,
    /// Values of the request that were corrected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}
