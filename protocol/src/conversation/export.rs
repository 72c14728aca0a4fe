//! Turns with their records, and pages made of them.

use super::model::{ConversationTotals, ConversationUsage, Missing, TurnRole};
use super::page::ConversationPageParams;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_with::apply;

/// Parameters of `conversation.export`.
#[apply(_ => #[serde(default, skip_serializing_if = "crate::is_default")])]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConversationExportParams {
    #[serde_with(skip_apply)]
    #[serde(flatten)]
    pub page: ConversationPageParams,
    /// As a page for a browser: `html` of the replies, joined in order, is the file.
    pub html: bool,
    /// With `html`: only these turns, by the numbers that the page shows.
    pub turns: Option<TurnNumbers>,
    /// With `html`: keep the exporter's home directory, the host name and session ids, which are replaced otherwise.
    pub with_paths: bool,
    /// With `html`: the page loads itself again every few seconds.
    pub live: bool,
}

/// Turns of the main conversation, from the first to the last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TurnNumbers {
    /// From 1.
    pub first: u64,
    pub last: u64,
}

/// Reply of `conversation.export`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConversationExportReply {
    /// Only in the first page.
    pub about: Option<ExportAbout>,
    /// In order, including those of sub-agents. Empty with `html`.
    pub turns: Vec<ExportTurn>,
    /// A part of the page, if it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub html: Option<String>,
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
    /// Lines that are not records.
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

/// Parameters of `conversation.contents`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConversationContentsParams {
    /// In the order in which they are listed.
    pub pages: Vec<PageOfConversation>,
    /// As in `conversation.export`.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub with_paths: bool,
}

/// A conversation, and the file that its page is in.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct PageOfConversation {
    /// Name of the file, which is in the same directory as the contents.
    pub page: String,
    /// Changes when the page has to be written again.
    pub stamp: String,
    /// This and the following members are as in `conversation.list`.
    pub title: Option<String>,
    pub cwd: Option<String>,
    pub branch: Option<String>,
    pub started_at: Option<String>,
    pub ended_at: Option<String>,
    pub turns: u64,
    pub errors: u64,
    pub cost_usd: Option<f64>,
    pub cost_at_least_usd: Option<f64>,
}

/// Reply of `conversation.contents`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConversationContentsReply {
    pub html: String,
}
