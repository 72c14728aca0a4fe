//! `conversation.search`.

use super::IndexWrite;
use super::extract::{Depth, entry};
use super::query::Query;
use super::scope::{Conditions, Scope, SqlValue, TimeColumn, bind_all, time_text};
use crate::ConversationError;
use crate::line::{mended, read};
use ccd_protocol::conversation::{
    ConversationHit, ConversationSearchParams, ConversationSearchReply, RecordStatus, TurnRole,
};
use ccd_store::{AssertSqlSafe, Database, query_as, query_scalar};
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::time::Instant;

const DEFAULT_LIMIT: u64 = 20;
const MAX_LIMIT: u64 = 200;

/// Hits are counted up to this number.
const MAX_COUNT: i64 = 10_000;

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
    let query = Query::parse(&params.query)?;
    let mut conditions = conditions(params, scope);
    let none = Conditions::default();
    let (from, values) = match is_everything(database, params, scope, &conditions).await? {
        true => ("texts WHERE texts MATCH ?".to_owned(), &none),
        false => {
            let from = format!(
                "texts JOIN records ON records.id = texts.rowid JOIN files ON files.id = file_id WHERE texts MATCH ? AND {}",
                conditions.sql()
            );
            (from, &conditions)
        }
    };
    let counted = format!("SELECT count(*) FROM (SELECT 1 FROM {from} LIMIT {MAX_COUNT})");
    let count = query_scalar::<_, i64>(AssertSqlSafe(counted)).bind(query.fts());
    let total = bind_all!(count, values)
        .fetch_one(database.readers())
        .await?;
    if let Some(before) = params.before {
        conditions.add("texts.rowid < ?", SqlValue::Number(before));
    }
    let limit = params.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT);
    let found = format!(
        "SELECT records.id, session_id, uuid, message_id, at, role, is_sub, files.path, offset, length,
            coalesce((SELECT name FROM calls WHERE record_id = records.id LIMIT 1),
                (SELECT name FROM results JOIN calls USING (tool_use_id) WHERE results.record_id = records.id LIMIT 1))
        FROM texts JOIN records ON records.id = texts.rowid JOIN files ON files.id = file_id
        WHERE texts MATCH ? AND {} ORDER BY texts.rowid DESC LIMIT {limit}",
        conditions.sql()
    );
    let rows = query_as::<_, HitRow>(AssertSqlSafe(found)).bind(query.fts());
    let rows = bind_all!(rows, conditions)
        .fetch_all(database.readers())
        .await?;
    let hits = ccd_store::blocking(move || {
        rows.into_iter()
            .map(|row| hit(row, &query))
            .collect::<Vec<_>>()
    });
    Ok(ConversationSearchReply {
        hits: hits.await,
        total: total.unsigned_abs(),
        took_ms: start.elapsed().as_secs_f64() * 1000.0,
        indexing: None,
        unreadable: None,
    })
}

/// Returns whether all that is indexed meets the conditions, so that hits are counted without looking at each.
async fn is_everything(
    database: &Database<IndexWrite>,
    params: &ConversationSearchParams,
    scope: &Scope,
    conditions: &Conditions,
) -> Result<bool, ConversationError> {
    let unfiltered = ConversationSearchParams {
        query: params.query.clone(),
        scope: params.scope.clone(),
        limit: params.limit,
        before: params.before,
        ..ConversationSearchParams::default()
    };
    if *params != unfiltered || !scope.has_no_filter() {
        return Ok(false);
    }
    let others = format!(
        "SELECT NOT EXISTS (SELECT 1 FROM files WHERE NOT ({}))",
        conditions.sql()
    );
    let others = query_scalar::<_, bool>(AssertSqlSafe(others));
    Ok(bind_all!(others, conditions)
        .fetch_one(database.readers())
        .await?)
}

fn conditions(params: &ConversationSearchParams, scope: &Scope) -> Conditions {
    let mut conditions = scope.conditions();
    scope.add_times(&mut conditions, TimeColumn::Record);
    scope.add_once(&mut conditions);
    if let Some(role) = params.role {
        conditions.add(
            "role = ?",
            SqlValue::Number((role == TurnRole::Assistant).into()),
        );
    }
    if let Some(session) = &params.session {
        conditions.add("files.session_id = ?", SqlValue::Text(session.clone()));
    }
    if let Some(model) = &params.model {
        conditions.add("instr(model, ?) > 0", SqlValue::Text(model.clone()));
    }
    if let Some(tool) = &params.tool {
        conditions.add_twice(
            "(EXISTS (SELECT 1 FROM calls WHERE calls.record_id = records.id AND name = ?)
                OR EXISTS (SELECT 1 FROM results JOIN calls USING (tool_use_id) WHERE results.record_id = records.id AND name = ?))",
            tool,
        );
    }
    if let Some(file) = &params.file {
        conditions.add_twice(
            "(EXISTS (SELECT 1 FROM calls WHERE calls.record_id = records.id AND instr(path, ?) > 0)
                OR EXISTS (SELECT 1 FROM results JOIN calls USING (tool_use_id) WHERE results.record_id = records.id AND instr(path, ?) > 0))",
            file,
        );
    }
    match params.status {
        Some(RecordStatus::Error) => conditions.require(
            "(has_error OR EXISTS (SELECT 1 FROM calls JOIN results USING (tool_use_id) WHERE calls.record_id = records.id AND is_error))",
        ),
        Some(RecordStatus::Pending) => conditions.require(
            "EXISTS (SELECT 1 FROM calls WHERE calls.record_id = records.id
                AND NOT EXISTS (SELECT 1 FROM results WHERE results.tool_use_id = calls.tool_use_id))",
        ),
        Some(RecordStatus::SubAgent) => conditions.require("is_sub"),
        None => {}
    }
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
    let mut bytes = vec![0; usize::try_from(length).ok()?];
    File::open(file)
        .ok()?
        .read_exact_at(&mut bytes, offset)
        .ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let line = mended(text.as_bytes());
    let line = read(&line).ok()?;
    Some(entry(offset, length, &line, None, Depth::Texts)?.text)
}
