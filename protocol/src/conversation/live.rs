//! What is added to conversations, as it happens.

use super::model::{ConversationPair, ConversationTurn, ConversationUsage, TurnRole};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_with::{apply, skip_serializing_none};
use std::collections::BTreeMap;

/// Parameters of `conversation.subscribe`. Without `session`, `file` and `project`, all conversations.
#[apply(_ => #[serde(default, skip_serializing_if = "crate::is_default")])]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConversationSubscribeParams {
    /// Session id of Claude Code, or a unique prefix of at least 4 characters.
    pub session: Option<String>,
    /// Absolute path of a transcript or a stream, anywhere.
    pub file: Option<String>,
    /// Conversations that were started in this directory (an absolute path) or below it, including those that start
    /// later.
    pub project: Option<String>,
    /// Absolute paths of directories of Claude Code (`~/.claude`); default: that of the daemon.
    pub claude_dirs: Vec<String>,
    /// Kinds of items to send; default: all.
    pub kinds: Vec<ConversationItemKind>,
    /// Number of messages and prompts to start with, from the most recently used conversation; default 0, at most 1,000.
    pub last: Option<u64>,
    /// Where to continue in each file after a lost connection: `offset + length` of the last item of the file.
    pub from: BTreeMap<String, u64>,
}

/// The kind of an item, and the member that has its content.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ConversationItemKind {
    /// A record was written.
    #[default]
    Record,
    /// A turn has begun or grown. Results of tools are not turns here.
    Turn,
    /// A tool was called, or its result has arrived.
    Pair,
    /// The tokens of a message are known, or were corrected: the last item of a message counts.
    Usage,
    /// A run has ended, or a file was replaced or deleted.
    End,
}

/// An item of `conversation.subscribe`. Items of one record follow each other: `record`, `turn`, `pair`, `usage`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConversationItem {
    /// Counts the items of the subscription, from 0.
    pub seq: u64,
    pub kind: ConversationItemKind,
    pub session_id: String,
    pub file: String,
    /// Offset and length of the line that the item is about, in bytes.
    #[serde(default)]
    pub offset: u64,
    #[serde(default)]
    pub length: u64,
    /// Absent in items of the kind `end`, as the next members.
    pub uuid: Option<String>,
    pub message_id: Option<String>,
    pub role: Option<TurnRole>,
    /// The call that started the sub-agent whose record it is; absent in the main conversation.
    pub parent_tool_use_id: Option<String>,
    /// The line exceeds 8 MiB, so its texts are left out; `conversation.record` has them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub omitted: bool,
    /// `record`: the line as Claude Code wrote it.
    #[cfg_attr(test, schemars(with = "Option<serde_json::Value>"))]
    pub record: Option<Box<RawValue>>,
    /// `turn`: the turn with the blocks of this record only.
    pub turn: Option<ConversationTurn>,
    /// `turn`: an earlier item has the start of this turn.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub continued: bool,
    /// `pair`: the call, with its result once there is one.
    pub pair: Option<ConversationPair>,
    /// `usage`: tokens of the message.
    pub usage: Option<ConversationUsage>,
    /// `usage`: US dollars at list prices; absent if the model has no price.
    pub cost_usd: Option<f64>,
    /// `end`
    pub end: Option<ConversationEnd>,
}

/// Why nothing more may follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConversationEnd {
    pub reason: ConversationEndReason,
    /// Whether the run has failed; false for other reasons.
    #[serde(default)]
    pub is_error: bool,
}

/// What has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ConversationEndReason {
    /// A stream has the result of its run. Another run may follow in the same file.
    Result,
    /// The file was deleted. If it is the one in the request, this item is the last.
    Deleted,
    /// The file was replaced or became shorter; its items follow again from the start.
    Replaced,
}
