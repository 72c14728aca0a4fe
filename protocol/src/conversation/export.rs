//! Turns with their records, as the exported page has them.

use super::model::{ConversationTotals, ConversationUsage, Missing, TurnRole};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Reply of `conversation.export`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConversationExportReply {
    /// Only in the first page.
    pub about: Option<ExportAbout>,
    /// In order; those of sub-agents too.
    pub turns: Vec<ExportTurn>,
    /// `from` of the next page; null after the last.
    pub next: Option<u64>,
}

/// What a conversation is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExportAbout {
    pub session_id: String,
    pub title: Option<String>,
    pub cwd: Option<String>,
    pub branch: Option<String>,
    pub started_at: Option<String>,
    pub ended_at: Option<String>,
    pub file: String,
    /// Models that answered, sorted.
    pub models: Vec<String>,
    pub usage: ConversationTotals,
    /// As in `conversation.get`.
    pub cost_usd: Option<f64>,
    /// As in `conversation.get`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_at_least_usd: Option<f64>,
    /// As in `conversation.get`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Missing>,
    /// Lines that are no records.
    pub skipped_lines: u64,
    pub exported_at: String,
    /// Version of the daemon.
    pub ccd: String,
}

/// A turn with its records.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExportTurn {
    #[serde(rename = "messageId")]
    pub message_id: String,
    pub role: TurnRole,
    pub at: Option<String>,
    pub model: Option<String>,
    #[serde(rename = "parentToolUseId")]
    pub parent_tool_use_id: Option<String>,
    #[serde(rename = "sessionId")]
    pub session_id: String,
    pub usage: Option<ConversationUsage>,
    pub cost_usd: Option<f64>,
    /// As Claude Code wrote them, except for secrets.
    #[cfg_attr(test, schemars(with = "Vec<serde_json::Value>"))]
    pub records: Vec<Box<RawValue>>,
}
