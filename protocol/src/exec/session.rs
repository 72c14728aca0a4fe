//! Conversations that can be resumed, and the records of runs.

use super::result::{ExecutionStatus, ExecutionSummary};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

/// State of a conversation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ExecSessionStatus {
    #[default]
    Active,
    /// Ended by `exec.end`.
    Completed,
    /// Not used for longer than `exec.session_days`.
    Expired,
}

/// A conversation, which further runs can resume.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExecSessionInfo {
    pub session_id: String,
    pub created_at: String,
    /// When the last run started.
    pub last_accessed: String,
    /// Only in the reply of `exec.session`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation_history: Option<Vec<ConversationMessage>>,
    pub status: ExecSessionStatus,
    /// The main work tree of the repository that it belongs to.
    pub repo_path: String,
    pub execution_count: u64,
}

/// A message of a conversation, redacted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConversationMessage {
    /// `user` for an instruction, `assistant` for the last answer of a run.
    pub role: String,
    pub content: String,
}

/// Parameters of `exec.list`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExecListParams {
    /// Only runs in the repository of this directory.
    pub repo_path: Option<String>,
    pub session_id: Option<String>,
    pub status: Option<ExecutionStatus>,
    /// Maximum number of runs; default 100, at most 1,000.
    pub limit: Option<u64>,
}

/// Reply of `exec.list`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExecListReply {
    /// Newest first.
    pub executions: Vec<ExecutionSummary>,
}

/// Names one run.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExecutionParams {
    /// Id of the run, or a unique prefix of at least four characters.
    pub request_id: String,
}

/// Parameters of `exec.sessions`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExecSessionsParams {
    /// Only conversations of the repository of this directory.
    pub repo_path: Option<String>,
    pub status: Option<ExecSessionStatus>,
}

/// Reply of `exec.sessions`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExecSessionsReply {
    /// Most recently used first; at most 1,000.
    pub sessions: Vec<ExecSessionInfo>,
}

/// Names one conversation.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExecSessionParams {
    /// Id of the conversation, or a unique prefix of at least four characters.
    pub session_id: String,
}

/// Parameters of `exec.cleanup`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExecCleanupParams {
    /// Remove conversations and runs that are older; default: `exec.session_days` for conversations, `exec.keep_days` for
    /// runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub older_than_days: Option<u32>,
}

/// Reply of `exec.cleanup`: how many were removed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExecCleanupReply {
    pub sessions: u64,
    pub executions: u64,
}
