//! Parameters and replies.

use super::model::{
    ConversationIndexes, ConversationPair, ConversationTotals, ConversationTurn, Missing,
    SubAgentNode,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_with::apply;
use std::collections::BTreeMap;

/// Which conversation: `session` or `file`.
#[apply(_ => #[serde(default, skip_serializing_if = "crate::is_default")])]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConversationParams {
    /// Session id of Claude Code, or a unique prefix of at least 4 characters.
    pub session: Option<String>,
    /// Absolute path of a transcript or a stream, anywhere. Sub-agents next to a transcript are read with it.
    pub file: Option<String>,
    /// Absolute paths of directories of Claude Code (`~/.claude`) in which the session is looked for, besides those of the
    /// daemon.
    pub claude_dirs: Vec<String>,
}

/// Which turns of a conversation.
#[apply(_ => #[serde(default, skip_serializing_if = "crate::is_default")])]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConversationPageParams {
    #[serde_with(skip_apply)]
    #[serde(flatten)]
    pub conversation: ConversationParams,
    /// Index of the first turn; default 0.
    pub from: Option<u64>,
    /// Maximum number of turns; default 1,000. A page ends earlier when its records exceed 8 MiB, with `raw` 4 MiB.
    pub limit: Option<u64>,
    /// Return turns in reading order: those of a sub-agent follow the turn whose call started it. Otherwise they are in
    /// the order of the files. A reply of `conversation.get` in reading order has no `indexes`.
    pub nested: bool,
    /// Put the records themselves into `records` of each turn, as Claude Code wrote them, instead of their uuids.
    pub raw: bool,
    /// Remove recognised secrets, as `conversation.export` always does.
    pub redact: bool,
}

/// Parameters of `conversation.turn`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConversationTurnParams {
    #[serde(flatten)]
    pub conversation: ConversationParams,
    /// Id of the message, of one of its records or tool calls, or of the prompt.
    pub message_id: String,
}

/// Parameters of `conversation.record`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConversationRecordParams {
    #[serde(flatten)]
    pub conversation: ConversationParams,
    pub uuid: String,
}

/// Parameters of `conversation.tool`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConversationToolParams {
    #[serde(flatten)]
    pub conversation: ConversationParams,
    pub tool_use_id: String,
}

/// Reply of `conversation.get`. `tree`, `orphan_parents`, `orphan_results` and `indexes` are those of the whole
/// conversation, and only in the first page.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConversationGetReply {
    /// Session id of the first record.
    pub session_id: String,
    /// The transcript, then the files of its sub-agents.
    pub files: Vec<String>,
    #[serde(default)]
    pub title: Option<String>,
    #[serde(default)]
    pub cwd: Option<String>,
    #[serde(default)]
    pub branch: Option<String>,
    /// Models that answered, sorted.
    #[serde(default)]
    pub models: Vec<String>,
    /// Lines that are not records: not JSON, or without a type, a uuid or a session id.
    pub skipped_lines: u64,
    /// The first 1,000 of them.
    #[serde(default)]
    pub skipped: Vec<SkippedLine>,
    /// Lines of other types than `assistant` and `user`, by type.
    #[serde(default)]
    pub other_lines: BTreeMap<String, u64>,
    /// Lines that repeat a record.
    #[serde(default)]
    pub duplicate_lines: u64,
    /// A page of turns, including those of sub-agents.
    pub turns: Vec<ConversationTurn>,
    /// Calls that were made in these turns.
    pub pairs: Vec<ConversationPair>,
    /// Sub-agents that the main conversation started.
    pub tree: Vec<SubAgentNode>,
    /// Calls with records of a sub-agent that are not in the conversation.
    pub orphan_parents: Vec<String>,
    /// Calls with results that are not in the conversation.
    pub orphan_results: Vec<String>,
    pub indexes: ConversationIndexes,
    pub usage: ConversationTotals,
    /// US dollars at list prices, or as reported at the end of a stream; null if a part has no price or is missing.
    #[serde(default)]
    pub cost_usd: Option<f64>,
    /// What the other parts cost, if `cost_usd` is null and any has a price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_at_least_usd: Option<f64>,
    /// Absent if nothing is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Missing>,
    /// Number of turns of the conversation.
    pub total_turns: u64,
    /// `from` of the next page; null after the last.
    pub next: Option<u64>,
}

/// Reply of `conversation.turns`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConversationTurnsReply {
    pub turns: Vec<ConversationTurn>,
    pub total_turns: u64,
    /// `from` of the next page; null after the last.
    pub next: Option<u64>,
}

/// A line that is not a record.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SkippedLine {
    /// Index in the list `files`.
    pub file: u64,
    /// Number of the line, from 1.
    pub line: u64,
    /// `not_json`, `not_an_object`, `no_type`, `no_uuid`, `no_session` or `too_long` (more than 32 MiB).
    pub why: String,
}

/// A record, and where it is.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConversationRecord {
    /// The line as Claude Code wrote it. Bytes that are not UTF-8 are U+FFFD.
    #[cfg_attr(test, schemars(with = "serde_json::Value"))]
    pub record: Box<RawValue>,
    pub file: String,
    pub offset: u64,
}

/// Reply of `conversation.tree`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConversationTree {
    /// Sub-agents without records come last: their tokens are those that the results of their calls report, and their cost is
    /// not known.
    pub tree: Vec<SubAgentNode>,
    pub orphan_parents: Vec<String>,
}
