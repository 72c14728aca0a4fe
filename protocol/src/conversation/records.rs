//! Lists, search and sums over all conversations.

use super::model::{ConversationTotals, ConversationUsage, Missing, TurnRole};
use serde::{Deserialize, Serialize};
use serde_with::{apply, skip_serializing_none};

/// Which conversations. All conditions must hold.
#[apply(_ => #[serde(default, skip_serializing_if = "crate::is_default")])]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConversationScope {
    /// Absolute paths of directories of Claude Code (`~/.claude`) to look in, besides those of `conversations.roots`;
    /// default: that of the daemon.
    pub claude_dirs: Vec<String>,
    /// Only conversations that were started in this directory (an absolute path) or below it.
    pub project: Option<String>,
    /// Only from this time on: RFC 3339, or a date in the time zone of the daemon.
    pub since: Option<String>,
    /// Only before this time; as `since`.
    pub until: Option<String>,
    /// How long to wait until everything is indexed, in milliseconds; default 2,000, at most an hour. After that time,
    /// the reply covers what is indexed, and has `indexing`.
    pub wait_ms: Option<u64>,
}

/// Transcripts that are not indexed yet, and so are missing from the reply.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Indexing {
    /// 0 while the daemon is still looking for files.
    pub files_left: u64,
    pub bytes_left: u64,
}

/// Transcripts that cannot be read, so that something is missing in the reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct UnreadableFiles {
    pub count: u64,
    /// The first of them.
    pub file: String,
    /// Why it cannot be read.
    pub error: String,
}

/// Parameters of `conversation.list`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConversationListParams {
    #[serde(flatten)]
    pub scope: ConversationScope,
    pub branch: Option<String>,
    /// Maximum number of conversations; default 50, at most 1,000.
    pub limit: Option<u64>,
    /// Only conversations after this one in the list, given by its session id.
    pub before: Option<String>,
}

/// Reply of `conversation.list`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConversationListReply {
    /// Most recently used first.
    pub conversations: Vec<ConversationSummary>,
    /// Number of conversations in the scope.
    pub total: u64,
    pub indexing: Option<Indexing>,
    pub unreadable: Option<UnreadableFiles>,
}

/// A conversation in a list.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConversationSummary {
    pub session_id: String,
    /// Name of the directory of its project.
    pub project: String,
    pub cwd: Option<String>,
    pub branch: Option<String>,
    /// Given by the user or by Claude Code, otherwise the start of the first prompt or, without one, of the first command
    /// or answer;
    /// redacted.
    pub title: Option<String>,
    /// The model of its last answer.
    pub model: Option<String>,
    pub started_at: Option<String>,
    pub ended_at: Option<String>,
    /// Number of turns, without those of sub-agents and without results of tools.
    pub turns: u64,
    /// Calls of tools that failed, including those of sub-agents.
    pub errors: u64,
    pub usage: ConversationTotals,
    /// US dollars; null if a part has no price or is missing.
    pub cost_usd: Option<f64>,
    /// What the other parts cost, if `cost_usd` is null and any has a price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_at_least_usd: Option<f64>,
    /// Absent if nothing is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Missing>,
    pub file: String,
}

/// Parameters of `conversation.search`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConversationSearchParams {
    /// Words, and phrases in double quotes, that must all be in one record, in any case; `-word` must not be in it.
    pub query: String,
    #[serde(flatten)]
    pub scope: ConversationScope,
    pub role: Option<TurnRole>,
    /// Calls of this tool, and their results.
    pub tool: Option<String>,
    pub status: Option<RecordStatus>,
    /// Model whose name contains this text.
    pub model: Option<String>,
    /// Calls about a file whose path contains this text.
    pub file: Option<String>,
    /// Records of this session: its id, or a unique prefix of at least 4 characters.
    pub session: Option<String>,
    /// Maximum number of hits; default 20, at most 200.
    pub limit: Option<u64>,
    /// Only hits after this one, given by its `id`.
    pub before: Option<i64>,
}

/// Which records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RecordStatus {
    /// Results that are errors, and their calls.
    Error,
    /// Calls without a result.
    Pending,
    /// Records of sub-agents.
    SubAgent,
}

/// Reply of `conversation.search`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConversationSearchReply {
    /// Most recently written first, as far as the order of the files shows.
    pub hits: Vec<ConversationHit>,
    /// Number of records found; 10,000 means 10,000 or more.
    pub total: u64,
    pub took_ms: f64,
    pub indexing: Option<Indexing>,
    pub unreadable: Option<UnreadableFiles>,
}

/// A record that was found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConversationHit {
    /// For the parameter `before`; it changes when the index is built again.
    pub id: i64,
    pub session_id: String,
    pub uuid: String,
    /// Id of its turn.
    pub message_id: String,
    pub at: Option<String>,
    pub role: TurnRole,
    /// The first tool that it calls, or whose result it is.
    pub tool: Option<String>,
    pub is_sub_agent: bool,
    /// The text around the first word that was found, redacted, in one line.
    pub snippet: String,
    pub file: String,
    /// Offset of its line in bytes.
    pub offset: u64,
}

/// What `conversation.stats` groups by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum StatsBy {
    /// In the daemon's time zone.
    Day,
    Project,
    Branch,
    Session,
    Model,
    Tool,
}

/// Parameters of `conversation.stats`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConversationStatsParams {
    #[serde(flatten)]
    pub scope: ConversationScope,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<StatsBy>,
}

/// Reply of `conversation.stats`. Each message counts once, however many files have it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConversationStatsReply {
    pub usage: ConversationTotals,
    /// US dollars, without the messages of `unpriced_models`; null if no message has a price.
    pub cost_usd: Option<f64>,
    /// Models that are not in the table of prices. `""` means sub-agents without records, because the results of their
    /// calls name no model.
    pub unpriced_models: Vec<String>,
    /// Date of the table of prices.
    pub prices_as_of: String,
    pub conversations: u64,
    /// Streams among them whose last run has not ended, so that tokens are missing.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub partial_conversations: u64,
    pub messages: u64,
    pub tool_calls: u64,
    pub tool_errors: u64,
    /// Lines that are not records.
    pub skipped_lines: u64,
    /// Empty without `by`. Days in order, others with the most tokens first.
    pub groups: Vec<StatsGroup>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub indexing: Option<Indexing>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<UnreadableFiles>,
}

/// A part of the sums.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StatsGroup {
    /// The day, directory, branch, session id, model or tool; empty if there is none.
    pub key: String,
    /// Zero for tools.
    pub usage: ConversationUsage,
    pub cost_usd: Option<f64>,
    /// As in the reply: `cost_usd` does not include them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unpriced_models: Vec<String>,
    /// True if it has messages of partial conversations, so that tokens are missing.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub is_partial: bool,
    /// Messages, or calls of a tool.
    pub count: u64,
    /// Calls of a tool that failed; zero otherwise.
    pub errors: u64,
}
