//! `conversation.list`.

use super::IndexDatabase;
use super::scope::{Scope, select, time_text};
use super::sums::{Sum, sums};
use crate::ConversationError;
use crate::error::Result;
use ccd_protocol::conversation::{
    ConversationListParams, ConversationListReply, ConversationSummary, Missing, StatsBy,
};
use ccd_store::query_scalar;
use std::collections::HashMap;
use std::path::Path;

const DEFAULT_LIMIT: u64 = 50;
const MAX_LIMIT: u64 = 1000;

ccd_store::row! {
    struct FileRow {
        id: i64,
        session_id: String,
        path: String,
        cwd: Option<String>,
        branch: Option<String>,
        title: Option<String>,
        started_at: Option<i64>,
        ended_at: Option<i64>,
        model: Option<String>,
        turns: i64,
        errors: i64,
        is_running: bool,
    }
}

pub(crate) async fn list(
    database: &IndexDatabase,
    params: &ConversationListParams,
    scope: &Scope,
) -> Result<ConversationListReply> {
    let mut conditions = scope.conditions();
    scope.add_times(&mut conditions, "files.started_at", "files.ended_at");
    scope.add_once(&mut conditions);
    let mains = "files.agent_id IS NULL AND files.started_at IS NOT NULL";
    conditions.add(mains, []);
    if let Some(branch) = &params.branch {
        conditions.add("files.branch = ?", [branch.as_str().into()]);
    }
    let count = format!("SELECT count(*) FROM files WHERE {}", conditions.sql());
    let (total,) = select!(fetch_one(i64,), database, count, conditions)?;
    if let Some(before) = &params.before {
        let is_known =
            "SELECT EXISTS (SELECT 1 FROM files WHERE agent_id IS NULL AND session_id = ?1)";
        let is_known = query_scalar::<_, bool>(is_known).bind(before);
        if !is_known.fetch_one(database.readers()).await? {
            return Err(ConversationError::NotListed(before.clone()));
        }
        conditions.add(
            "(files.ended_at, files.id) < (SELECT ended_at, id FROM files WHERE agent_id IS NULL AND session_id = ?)",
            [before.as_str().into()],
        );
    }
    let limit = params.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT);
    let statement = format!(
        "SELECT id, session_id, path, cwd, branch, title, started_at, ended_at, is_running,
            (SELECT model FROM records WHERE file_id = files.id AND role AND NOT is_sub AND model IS NOT NULL
                ORDER BY offset DESC LIMIT 1) AS model,
            (SELECT count(DISTINCT message_id) FROM records WHERE file_id = files.id AND NOT is_sub
                AND (role OR NOT EXISTS (SELECT 1 FROM results WHERE record_id = records.id))) AS turns,
            (SELECT count(DISTINCT tool_use_id) FROM records JOIN results ON record_id = records.id
                WHERE file_id IN (SELECT id FROM files AS own WHERE own.session_id = files.session_id) AND has_error AND is_error) AS errors
        FROM files WHERE {} ORDER BY ended_at DESC, id DESC LIMIT {limit}",
        conditions.sql()
    );
    let rows = select!(fetch_all FileRow, database, statement, conditions)?;
    let ids: Vec<&str> = rows.iter().map(|row| row.session_id.as_str()).collect();
    let ids = serde_json::to_string(&ids).unwrap_or_default();
    let sums = sums(database, scope, Some(StatsBy::Session), Some(ids)).await?;
    let sums = sums.into_iter().map(|sum| (sum.key.clone(), sum));
    let mut sums: HashMap<String, Sum> = sums.collect();
    let summary = |row: FileRow| {
        let sum = sums.remove(&row.session_id).unwrap_or_default();
        summary(row, sum)
    };
    Ok(ConversationListReply {
        conversations: rows.into_iter().map(summary).collect(),
        total: total.unsigned_abs(),
        indexing: None,
        unreadable: None,
    })
}

fn summary(row: FileRow, sum: Sum) -> ConversationSummary {
    let is_whole = sum.unpriced.is_empty() && !row.is_running;
    ConversationSummary {
        project: project_of(row.cwd.as_deref(), &row.path),
        session_id: row.session_id,
        cwd: row.cwd,
        branch: row.branch,
        title: row.title,
        model: row.model,
        started_at: row.started_at.and_then(time_text),
        ended_at: row.ended_at.and_then(time_text),
        turns: row.turns.unsigned_abs(),
        errors: row.errors.unsigned_abs(),
        usage: sum.usage,
        cost_usd: sum.cost_usd.filter(|_| is_whole),
        cost_at_least_usd: sum.cost_usd.filter(|_| !is_whole),
        missing: row.is_running.then_some(Missing::Result),
        file: row.path,
    }
}

/// Returns the name of the directory that a conversation was started in, else that of Claude Code's directory for it.
fn project_of(cwd: Option<&str>, file: &str) -> String {
    let cwd = cwd.and_then(|cwd| Path::new(cwd).file_name());
    let folder = Path::new(file).parent().and_then(Path::file_name);
    cwd.or(folder)
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}
