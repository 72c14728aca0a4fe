//! Sums of tokens, each message once.

use super::IndexDatabase;
use super::scope::{Scope, SqlValue, select};
use crate::model::add_tokens;
use ccd_protocol::conversation::{ConversationTotals, ConversationUsage, StatsBy};
use ccd_store::SqlResult;
use std::collections::BTreeSet;

#[derive(Debug, Default)]
pub(crate) struct Sum {
    pub(crate) key: String,
    pub(crate) usage: ConversationTotals,
    /// Of the messages whose model has a price.
    pub(crate) cost_usd: Option<f64>,
    pub(crate) unpriced: BTreeSet<String>,
    pub(crate) messages: u64,
    /// A stream of it has not ended.
    pub(crate) is_partial: bool,
}

impl Sum {
    /// Adds another sum; the key stays.
    pub(crate) fn with(mut self, other: &Self) -> Self {
        self.usage.total += &other.usage.total;
        self.usage.main += &other.usage.main;
        self.usage.subagents += &other.usage.subagents;
        if let Some(cost) = other.cost_usd {
            self.cost_usd = Some(self.cost_usd.unwrap_or_default() + cost);
        }
        self.unpriced.extend(other.unpriced.iter().cloned());
        self.messages += other.messages;
        self
    }
}

ccd_store::row! {
    #[derive(Default)]
    pub(super) struct SumRow {
        pub(super) key: String,
        pub(super) model: String,
        pub(super) is_sub: bool,
        pub(super) messages: i64,
        pub(super) input_tokens: i64,
        pub(super) output_tokens: i64,
        pub(super) cache_creation_input_tokens: i64,
        pub(super) cache_read_input_tokens: i64,
        pub(super) ephemeral_5m_input_tokens: i64,
        pub(super) ephemeral_1h_input_tokens: i64,
        pub(super) web_search_requests: i64,
        pub(super) cost_usd: Option<f64>,
        pub(super) unpriced: i64,
        pub(super) is_partial: bool,
    }
}

/// Selects sessions with a transcript. It has all messages of a run with all their tokens, so a stream of it adds nothing.
pub(super) const TRANSCRIPTS: &str = "SELECT session_id FROM files
    WHERE agent_id IS NULL AND started_at IS NOT NULL AND runs IS NULL AND NOT is_running";

/// Selects what results say of sub-agents of which there is no record.
const MISSING_AGENTS: &str = "(tool_use_id NOT IN (SELECT tool_use_id FROM parents)
    AND file_id NOT IN (SELECT file_id FROM parents WHERE tool_use_id = '' UNION ALL SELECT id FROM files WHERE runs IS NOT NULL)
    AND coalesce(messages.agent_id, '') NOT IN (SELECT agent_id FROM files WHERE agent_id IS NOT NULL
        UNION ALL SELECT tool_use_id FROM parents WHERE tool_use_id <> ''))";

/// Returns sums by key, in the order of the keys; one without a key if `by` is `None`.
/// A message that several files have counts in the one that says it has most output: copies of a conversation have the
/// same messages. What a result says that its sub-agent used counts if there is no record of the sub-agent.
pub(crate) async fn sums(
    database: &IndexDatabase,
    scope: &Scope,
    by: Option<StatsBy>,
    sessions: Option<String>,
) -> SqlResult<Vec<Sum>> {
    let mut conditions = scope.conditions();
    scope.add_times(&mut conditions, "messages.at", "messages.at");
    let of_few = sessions.is_some();
    if let Some(ids) = sessions {
        let few = "files.session_id IN (SELECT value FROM json_each(?))";
        conditions.add(few, [SqlValue::Text(ids)]);
    }
    // Of a few sessions, the files are looked up first, whatever SQLite assumes about their number.
    let from = if of_few {
        "files CROSS JOIN messages ON files.id = file_id"
    } else {
        "messages JOIN files ON files.id = file_id"
    };
    let (key, which) = (key_of(by), conditions.sql());
    // One column with max() makes the others those of its row.
    let statement = format!(
        "SELECT {key} AS key, coalesce(model, '') AS model, is_sub, sum(tool_use_id IS NULL AND instr(message_id, '#') = 0) AS messages,
            sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens,
            sum(cache_creation_input_tokens) AS cache_creation_input_tokens,
            sum(cache_read_input_tokens) AS cache_read_input_tokens, sum(ephemeral_5m_input_tokens) AS ephemeral_5m_input_tokens,
            sum(ephemeral_1h_input_tokens) AS ephemeral_1h_input_tokens, sum(web_search_requests) AS web_search_requests,
            sum(cost_usd) AS cost_usd, sum(cost_usd IS NULL) AS unpriced,
            max(tool_use_id IS NULL AND is_running AND session_id NOT IN ({TRANSCRIPTS})) AS is_partial
        FROM (SELECT message_id, max(output_tokens) AS output_tokens, file_id, messages.at AS at, model, input_tokens,
                cache_creation_input_tokens, cache_read_input_tokens, ephemeral_5m_input_tokens, ephemeral_1h_input_tokens,
                web_search_requests, cost_usd, tool_use_id, sum(1 - is_sub) = 0 AS is_sub
            FROM {from} WHERE {which}
                AND (substr(message_id, 1, 5) <> 'runs ' OR files.session_id NOT IN ({TRANSCRIPTS}))
                AND (tool_use_id IS NULL OR {MISSING_AGENTS}) GROUP BY message_id)
        JOIN files ON files.id = file_id GROUP BY 1, 2, 3, tool_use_id IS NULL"
    );
    let mut sums: Vec<Sum> = Vec::new();
    for row in select!(fetch_all SumRow, database, statement, conditions)? {
        add(&mut sums, row);
    }
    Ok(sums)
}

fn key_of(by: Option<StatsBy>) -> &'static str {
    match by {
        None | Some(StatsBy::Tool) => "''",
        Some(StatsBy::Day) => "coalesce(date(at / 1000, 'unixepoch', 'localtime'), '')",
        Some(StatsBy::Project) => "coalesce(cwd, '')",
        Some(StatsBy::Branch) => "coalesce(branch, '')",
        Some(StatsBy::Session) => "session_id",
        Some(StatsBy::Model) => "coalesce(model, '')",
    }
}

pub(super) fn add(sums: &mut Vec<Sum>, row: SumRow) {
    let at = sums.binary_search_by(|sum| sum.key.as_str().cmp(&row.key));
    let at = at.unwrap_or_else(|at| {
        let sum = Sum {
            key: row.key.clone(),
            ..Sum::default()
        };
        sums.insert(at, sum);
        at
    });
    let sum = &mut sums[at];
    let usage = usage_of(&row);
    add_tokens(&mut sum.usage, &usage, !row.is_sub);
    if let Some(cost) = row.cost_usd {
        sum.cost_usd = Some(sum.cost_usd.unwrap_or_default() + cost);
    }
    // A message that used nothing costs nothing, whatever its model. A sub-agent without records has no message.
    if row.unpriced > 0 && (usage != ConversationUsage::default() || row.messages == 0) {
        sum.unpriced.insert(row.model);
    }
    sum.messages += row.messages.unsigned_abs();
    sum.is_partial |= row.is_partial;
}

fn usage_of(row: &SumRow) -> ConversationUsage {
    let mut usage = ConversationUsage {
        input_tokens: row.input_tokens.unsigned_abs(),
        output_tokens: row.output_tokens.unsigned_abs(),
        cache_creation_input_tokens: row.cache_creation_input_tokens.unsigned_abs(),
        cache_read_input_tokens: row.cache_read_input_tokens.unsigned_abs(),
        web_search_requests: row.web_search_requests.unsigned_abs(),
        ..ConversationUsage::default()
    };
    let parts = &mut usage.cache_creation;
    parts.ephemeral_5m_input_tokens = row.ephemeral_5m_input_tokens.unsigned_abs();
    parts.ephemeral_1h_input_tokens = row.ephemeral_1h_input_tokens.unsigned_abs();
    usage
}
