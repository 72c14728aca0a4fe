//! Turns, pairs, the tree of sub-agents, and tokens. Entities have the names of the seed.

use crate::named::named;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

named! {
    /// Who speaks in a turn.
    #[derive(Default)]
    TurnRole {
        Assistant = "assistant",
        #[default]
        User = "user",
    }
}

/// What one side says at a time: all records of one message.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ConversationTurn {
    /// Id of the message; for a turn of the user, the uuid of its record.
    pub message_id: String,
    pub role: TurnRole,
    /// True if Claude Code wrote it in the user's name, such as a summary after a compaction.
    #[serde(default)]
    pub is_meta: bool,
    /// Its records, in order: their uuids, or the records themselves if they were asked for.
    pub records: Vec<TurnRecord>,
    /// Blocks of all its records, in order, as Claude Code wrote them; a content that is one text is a block of type `text`.
    /// Results of tools are not among them: they are part of the pairs.
    #[cfg_attr(test, schemars(with = "Vec<serde_json::Value>"))]
    pub content_blocks: Vec<Box<RawValue>>,
    /// Id of the call that started the sub-agent whose turn it is; null in the main conversation.
    pub parent_tool_use_id: Option<String>,
    pub session_id: String,
    /// When its first record was written, RFC 3339.
    #[serde(default)]
    pub timestamp: Option<String>,
    #[serde(default)]
    pub model: Option<String>,
    /// Null for turns of the user, and if Claude Code did not write any.
    #[serde(default)]
    pub usage: Option<ConversationUsage>,
}

/// A record of a turn: its uuid, or with `raw` the line as Claude Code wrote it. Bytes that are not UTF-8 are U+FFFD.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TurnRecord(pub Box<RawValue>);

impl TurnRecord {
    /// Returns the uuid, unless it is the record itself.
    #[must_use]
    pub fn uuid(&self) -> Option<String> {
        serde_json::from_str(self.0.get()).ok()
    }
}

impl From<&str> for TurnRecord {
    fn from(uuid: &str) -> Self {
        let json = serde_json::value::to_raw_value(uuid);
        Self(json.unwrap_or_else(|_| RawValue::NULL.to_owned()))
    }
}

#[cfg(test)]
impl schemars::JsonSchema for TurnRecord {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "TurnRecord".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A uuid, or with `raw` the record as Claude Code wrote it.",
            "type": ["string", "object"]
        })
    }
}

/// A call of a tool, and its result.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ConversationPair {
    pub tool_use: ToolUse,
    /// Null until the result has arrived.
    pub tool_result: Option<ToolResult>,
    /// Number of results of this call; the last one counts.
    #[serde(default)]
    pub results: u64,
}

/// A call of a tool.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ToolUse {
    pub id: String,
    pub name: String,
    #[cfg_attr(test, schemars(with = "serde_json::Value"))]
    pub input: Box<RawValue>,
}

/// A result of a tool.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ToolResult {
    /// Its text. Parts that are texts are in lines of their own; images and the like are only in the record.
    pub content: String,
    pub is_error: bool,
    /// What Claude Code notes about it: an object, a text or a list, or null. If one record has several results, its note
    /// belongs to none of them.
    #[cfg_attr(test, schemars(with = "Option<serde_json::Value>"))]
    pub meta: Option<Box<RawValue>>,
}

/// A sub-agent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SubAgentNode {
    /// Id of the call that started it.
    pub parent_tool_use_id: String,
    /// The description of the task in that call.
    #[serde(default)]
    pub description: Option<String>,
    /// Tokens of its records, without those of the sub-agents that it started.
    #[serde(default)]
    pub usage: ConversationUsage,
    /// What these cost in US dollars; null if a model has no price.
    #[serde(default)]
    pub cost_usd: Option<f64>,
    /// Uuids of its records, without those of the sub-agents that it started.
    pub records: Vec<String>,
    /// Those sub-agents. Deeper than 50 levels, they are siblings.
    pub children: Vec<SubAgentNode>,
}

/// Where records are, by the ids that Claude Code gives.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ConversationIndexes {
    pub by_uuid: BTreeMap<String, RecordPlace>,
    /// Uuids of the records of each message; a turn of the user is there under its own uuid.
    pub by_message_id: BTreeMap<String, Vec<String>>,
    pub by_tool_use_id: BTreeMap<String, ToolCallPlaces>,
    /// Uuids of the records of each sub-agent, by the call that started it.
    pub by_parent_tool_use_id: BTreeMap<String, Vec<String>>,
}

/// Where a record is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RecordPlace {
    /// Index in the list `files` of the reply.
    pub file: u64,
    /// Offset of its line in bytes.
    pub offset: u64,
    /// Length of its line in bytes, without the line end.
    pub length: u64,
}

/// The records of a call and of its result.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ToolCallPlaces {
    pub call: String,
    pub result: Option<String>,
}

/// Tokens, each message once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConversationTotals {
    pub total: ConversationUsage,
    /// Without sub-agents.
    pub main: ConversationUsage,
    pub subagents: ConversationUsage,
}

/// The part of a conversation that is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Missing {
    /// The transcript; those of its sub-agents are there.
    Transcript,
    /// The line that ends the run of a stream and says what it used: the tokens are those known when messages began.
    Result,
}

/// Tokens by kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConversationUsage {
    /// Input that was neither read from the cache nor written to it.
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cache_creation_input_tokens: u64,
    pub cache_read_input_tokens: u64,
    /// Parts of `cache_creation_input_tokens` by lifetime; 0 if Claude Code did not write them.
    pub cache_creation: CacheCreation,
    #[serde(default)]
    pub web_search_requests: u64,
}

/// Tokens written to the cache, by lifetime.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CacheCreation {
    pub ephemeral_5m_input_tokens: u64,
    pub ephemeral_1h_input_tokens: u64,
}

impl std::ops::AddAssign<&Self> for ConversationUsage {
    fn add_assign(&mut self, other: &Self) {
        let add = |sum: &mut u64, more: u64| *sum = sum.saturating_add(more);
        add(&mut self.input_tokens, other.input_tokens);
        add(&mut self.output_tokens, other.output_tokens);
        add(
            &mut self.cache_creation_input_tokens,
            other.cache_creation_input_tokens,
        );
        add(
            &mut self.cache_read_input_tokens,
            other.cache_read_input_tokens,
        );
        let (sum, more) = (&mut self.cache_creation, &other.cache_creation);
        add(
            &mut sum.ephemeral_5m_input_tokens,
            more.ephemeral_5m_input_tokens,
        );
        add(
            &mut sum.ephemeral_1h_input_tokens,
            more.ephemeral_1h_input_tokens,
        );
        add(&mut self.web_search_requests, other.web_search_requests);
    }
}

impl ConversationUsage {
    /// Returns the share of the input that was read from the cache, 0.0 to 1.0; `None` without input.
    #[must_use]
    pub fn cache_hit_rate(&self) -> Option<f64> {
        let all =
            self.input_tokens + self.cache_creation_input_tokens + self.cache_read_input_tokens;
        (all > 0).then(|| self.cache_read_input_tokens as f64 / all as f64)
    }
}
