//! `conversation.search`.

use super::IndexWrite;
use super::extract::{Depth, entry};
use super::mark::Mark;
use super::query::Query;
use super::scope::{Conditions, Scope, SqlValue, TimeColumn, bind_all, time_text};
use crate::ConversationError;
use crate::line::read;
use crate::lines::bytes_at;
use ccd_protocol::conversation::{
    ConversationHit, ConversationSearchParams, ConversationSearchReply, RecordStatus, TurnRole,
};
use ccd_protocol::surrogate::mended_text;
use ccd_store::{AssertSqlSafe, Database, query_as, query_scalar};
use std::fs::File;
use std::time::Instant;

const DEFAULT_LIMIT: u64 = 20;
const MAX_LIMIT: u64 = 200;

/// Hits are counted up to this number.
const MAX_COUNT: u64 = 10_000;

/// Longer records have no snippet.
const MAX_SNIPPET_BYTES: u64 = 8 << 20;

type HitRow = (
    i64,
    String,
    String,
    String,
    Option<i64>,
    bool,
    bool,
    String,
    i64,
    i64,
    Option<String>,
);

pub(crate) async fn search(
    database: &Database<IndexWrite>,
    params: &ConversationSearchParams,
    scope: &Scope,
) -> Result<ConversationSearchReply, ConversationError> {
    let start = Instant::now();
    let query = Query::parse(&params.query)?.marked(marks(params));
    let place = SearchedRecords::of(database, params, scope).await?;
    let mut ids = place.find(database, &query, i64::MAX).await?;
    let total = ids.len() as u64;
    if let Some(before) = params.before {
        ids.retain(|id| *id < before);
        if ids.is_empty() && total == MAX_COUNT {
            ids = place.find(database, &query, before).await?;
        }
    }
    let limit = params.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT);
    ids.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    let found = "SELECT records.id, session_id, uuid, message_id, at, role, is_sub, files.path, offset, length,
            coalesce((SELECT name FROM calls WHERE record_id = records.id LIMIT 1),
                (SELECT name FROM results JOIN calls USING (tool_use_id) WHERE results.record_id = records.id LIMIT 1))
        FROM records JOIN files ON files.id = file_id
        WHERE records.id IN (SELECT value FROM json_each(?)) ORDER BY records.id DESC";
    let ids = serde_json::to_string(&ids).unwrap_or_default();
    let rows = query_as::<_, HitRow>(found).bind(ids);
    let rows = rows.fetch_all(database.readers()).await?;
    let hits = ccd_store::blocking(move || {
        rows.into_iter()
            .map(|row| hit(row, &query))
            .collect::<Vec<_>>()
    });
    Ok(ConversationSearchReply {
        hits: hits.await,
        total,
        took_ms: start.elapsed().as_secs_f64() * 1000.0,
        indexing: None,
        unreadable: None,
    })
}

/// What is looked for besides words, as far as it is known when a record is written.
fn marks(params: &ConversationSearchParams) -> Vec<Mark<'_>> {
    let mut marks: Vec<Mark<'_>> = params.tool.as_deref().map(Mark::Tool).into_iter().collect();
    marks.extend(params.role.map(|role| Mark::Role {
        is_assistant: role == TurnRole::Assistant,
    }));
    if params.status == Some(RecordStatus::SubAgent) {
        marks.push(Mark::SubAgent);
    }
    marks
}

struct SearchedRecords {
    /// Tables and conditions, without that of the texts.
    from: &'static str,
    conditions: Conditions,
}

impl SearchedRecords {
    async fn of(
        database: &Database<IndexWrite>,
        params: &ConversationSearchParams,
        scope: &Scope,
    ) -> Result<Self, ConversationError> {
        let mut conditions = conditions(params, scope);
        if let Some(files) = some_files(database, params, scope).await? {
            let in_files = "file_id IN (SELECT value FROM json_each(?))";
            conditions.add(in_files, [SqlValue::Text(files)]);
        }
        // Then no hit needs its row.
        let from = if conditions.is_empty() {
            "texts"
        } else {
            "texts JOIN records ON records.id = texts.rowid"
        };
        Ok(Self { from, conditions })
    }

    /// Returns the ids of records that say it, the newest first, below `before` and at most [`MAX_COUNT`].
    async fn find(
        &self,
        database: &Database<IndexWrite>,
        query: &Query,
        before: i64,
    ) -> Result<Vec<i64>, ConversationError> {
        let mut conditions = self.conditions.sql();
        if !conditions.is_empty() {
            conditions.insert_str(0, " AND ");
        }
        // One row, because each costs more than a hit.
        let found = format!(
            "SELECT json_group_array(id) FROM (SELECT texts.rowid AS id FROM {} WHERE texts MATCH ? AND texts.rowid < ?{conditions}
                ORDER BY texts.rowid DESC LIMIT {MAX_COUNT})",
            self.from
        );
        let found = query_scalar::<_, String>(AssertSqlSafe(found));
        let found = bind_all!(found.bind(query.fts()).bind(before), self.conditions);
        let ids = found.fetch_one(database.readers()).await?;
        Ok(serde_json::from_str(&ids).unwrap_or_default())
    }
}

/// Returns the ids of the files that are meant, as JSON, unless all are.
async fn some_files(
    database: &Database<IndexWrite>,
    params: &ConversationSearchParams,
    scope: &Scope,
) -> Result<Option<String>, ConversationError> {
    let mut conditions = scope.conditions();
    scope.add_once(&mut conditions);
    if let Some(session) = &params.session {
        conditions.add("files.session_id = ?", [session.as_str().into()]);
    }
    let files = format!(
        "SELECT json_group_array(id) FILTER (WHERE is_meant), coalesce(min(is_meant), 1) FROM (SELECT id, {} AS is_meant FROM files)",
        conditions.sql()
    );
    let files = query_as::<_, (String, bool)>(AssertSqlSafe(files));
    let files = bind_all!(files, conditions);
    let (ids, are_all) = files.fetch_one(database.readers()).await?;
    Ok((!are_all).then_some(ids))
}

fn conditions(params: &ConversationSearchParams, scope: &Scope) -> Conditions {
    let mut conditions = Conditions::default();
    scope.add_times(&mut conditions, TimeColumn::Record);
    if let Some(model) = &params.model {
        conditions.add("instr(model, ?) > 0", [model.as_str().into()]);
    }
    if let Some(file) = &params.file {
        conditions.add(
            "(EXISTS (SELECT 1 FROM calls WHERE calls.record_id = records.id AND instr(path, ?) > 0)
                OR EXISTS (SELECT 1 FROM results JOIN calls USING (tool_use_id) WHERE results.record_id = records.id AND instr(path, ?) > 0))",
            [file.as_str().into(), file.as_str().into()],
        );
    }
    let status = match params.status {
        Some(RecordStatus::Error) => {
            "(has_error OR EXISTS (SELECT 1 FROM calls JOIN results USING (tool_use_id) WHERE calls.record_id = records.id AND is_error))"
        }
        Some(RecordStatus::Pending) => {
            "EXISTS (SELECT 1 FROM calls WHERE calls.record_id = records.id
                AND NOT EXISTS (SELECT 1 FROM results WHERE results.tool_use_id = calls.tool_use_id))"
        }
        Some(RecordStatus::SubAgent) | None => return conditions,
    };
    conditions.add(status, []);
    conditions
}

fn hit(row: HitRow, query: &Query) -> ConversationHit {
    let (id, session_id, uuid, message_id, at, role, is_sub_agent, file, offset, length, tool) =
        row;
    let (offset, length) = (offset.unsigned_abs(), length.unsigned_abs());
    ConversationHit {
        id,
        session_id,
        uuid,
        message_id,
        at: at.and_then(time_text),
        role: if role {
            TurnRole::Assistant
        } else {
            TurnRole::User
        },
        tool,
        is_sub_agent,
        snippet: text_of(&file, offset, length)
            .map_or_else(String::new, |text| query.snippet(&text)),
        file,
        offset,
    }
}

/// Returns what a record says, redacted, if its line is still there.
fn text_of(file: &str, offset: u64, length: u64) -> Option<String> {
    if length > MAX_SNIPPET_BYTES {
        return None;
    }
    let bytes = bytes_at(&File::open(file).ok()?, offset, length).ok()?;
    let line = mended_text(&bytes);
    let line = read(line.as_bytes()).ok()?;
    Some(entry(offset, length, &line, None, Depth::Texts)?.text)
}
