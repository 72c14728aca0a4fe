//! `conversation.stats`.

use super::IndexDatabase;
use super::scope::{Scope, select};
use super::sums::{Sum, TRANSCRIPTS, sums};
use crate::error::Result;
use ccd_protocol::conversation::{ConversationStatsReply, StatsBy, StatsGroup, UnreadableFiles};
use ccd_store::SqlResult;

pub(crate) async fn stats(
    database: &IndexDatabase,
    scope: &Scope,
    by: Option<StatsBy>,
) -> Result<ConversationStatsReply> {
    let sums = sums(database, scope, by, None).await?;
    let tools = tools(database, scope).await?;
    let files = files(database, scope).await?;
    Ok(reply(by, sums, tools, files))
}

/// Returns the reply. `tools` are those that were called, the most used first.
pub(super) fn reply(
    by: Option<StatsBy>,
    sums: Vec<Sum>,
    tools: Vec<StatsGroup>,
    files: FileSums,
) -> ConversationStatsReply {
    let all = sums.iter().fold(Sum::default(), Sum::with);
    let groups = match by {
        None => Vec::new(),
        Some(StatsBy::Tool) => tools.clone(),
        Some(by) => {
            let mut groups: Vec<StatsGroup> = sums.into_iter().map(group).collect();
            if by != StatsBy::Day {
                groups.sort_by_key(|group| std::cmp::Reverse(tokens(group)));
            }
            groups
        }
    };
    ConversationStatsReply {
        usage: all.usage,
        cost_usd: all.cost_usd,
        unpriced_models: all.unpriced.into_iter().collect(),
        prices_as_of: String::new(),
        conversations: files.conversations,
        partial_conversations: files.partial,
        messages: all.messages,
        tool_calls: tools.iter().map(|tool| tool.count).sum(),
        tool_errors: tools.iter().map(|tool| tool.errors).sum(),
        skipped_lines: files.skipped_lines,
        groups,
        indexing: None,
        unreadable: None,
    }
}

fn group(sum: Sum) -> StatsGroup {
    StatsGroup {
        key: sum.key,
        usage: sum.usage.total,
        cost_usd: sum.cost_usd,
        unpriced_models: sum.unpriced.into_iter().collect(),
        is_partial: sum.is_partial,
        count: sum.messages,
        errors: 0,
    }
}

/// Returns what a reply says of files that cannot be read: `failed` are their paths, each with the reason.
pub(super) fn unreadable<'a>(
    mut failed: impl Iterator<Item = (String, &'a String)>,
) -> Option<UnreadableFiles> {
    let (file, error) = failed.next()?;
    Some(UnreadableFiles {
        file,
        error: error.clone(),
        count: 1 + failed.count() as u64,
    })
}

fn tokens(group: &StatsGroup) -> u64 {
    let usage = &group.usage;
    usage.input_tokens
        + usage.output_tokens
        + usage.cache_creation_input_tokens
        + usage.cache_read_input_tokens
}

/// Returns the tools that were called, the most used first.
async fn tools(database: &IndexDatabase, scope: &Scope) -> SqlResult<Vec<StatsGroup>> {
    let mut conditions = scope.conditions();
    scope.add_times(&mut conditions, "records.at", "records.at");
    let statement = format!(
        "SELECT name, count(*), sum(is_error) FROM (
            SELECT min(name) AS name, max(tool_use_id IN (SELECT tool_use_id FROM results WHERE is_error)) AS is_error
            FROM calls JOIN records ON records.id = record_id JOIN files ON files.id = file_id
            WHERE {} GROUP BY tool_use_id)
        GROUP BY name ORDER BY 2 DESC, 1",
        conditions.sql()
    );
    let rows = select!(fetch_all(String, i64, i64), database, statement, conditions)?;
    let tool = |(key, count, errors): (String, i64, i64)| StatsGroup {
        key,
        count: count.unsigned_abs(),
        errors: errors.unsigned_abs(),
        ..StatsGroup::default()
    };
    Ok(rows.into_iter().map(tool).collect())
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct FileSums {
    pub(super) conversations: u64,
    /// Streams whose last run has not ended, and of which there is no transcript.
    pub(super) partial: u64,
    pub(super) skipped_lines: u64,
}

async fn files(database: &IndexDatabase, scope: &Scope) -> SqlResult<FileSums> {
    let mut conditions = scope.conditions();
    scope.add_times(&mut conditions, "files.started_at", "files.ended_at");
    let statement = format!(
        "SELECT count(DISTINCT session_id), count(DISTINCT iif(is_running AND session_id NOT IN ({TRANSCRIPTS}), session_id, NULL)),
            coalesce(sum(skipped), 0) FROM files WHERE started_at IS NOT NULL AND {}",
        conditions.sql()
    );
    let row = select!(fetch_one(i64, i64, i64), database, statement, conditions)?;
    let (conversations, partial, skipped_lines) = row;
    Ok(FileSums {
        conversations: conversations.unsigned_abs(),
        partial: partial.unsigned_abs(),
        skipped_lines: skipped_lines.unsigned_abs(),
    })
}
