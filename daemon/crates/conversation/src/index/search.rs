//! `conversation.search`.

use super::IndexDatabase;
use super::extract::{Depth, entry};
use super::mark::Mark;
use super::query::Query;
use super::scope::{Conditions, Scope, SqlValue, select, time_text};
use crate::error::Result;
use crate::line::read;
use crate::lines::bytes_at;
use ccd_base::surrogate::mended_text;
use ccd_protocol::conversation::{
    ConversationHit, ConversationSearchParams, ConversationSearchReply, RecordStatus, TurnRole,
};
use ccd_store::query_as;
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
    database: &IndexDatabase,
    params: &ConversationSearchParams,
    scope: &Scope,
) -> Result<ConversationSearchReply> {
    let start = Instant::now();
    let query = Query::parse(&params.query)?.marked(marks(params));
    let mut conditions = conditions(params, scope);
    if let Some(files) = some_files(database, params, scope).await? {
        let in_files = "file_id IN (SELECT value FROM json_each(?))";
        conditions.add(in_files, [SqlValue::Text(files)]);
    }
    let mut ids = find(database, conditions.clone(), &query, i64::MAX).await?;
    let total = ids.len() as u64;
    if let Some(before) = params.before {
        ids.retain(|id| *id < before);
        if ids.is_empty() && total == MAX_COUNT {
            ids = find(database, conditions, &query, before).await?;
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
    marks.extend(params.role.map(|role| match role {
        TurnRole::User => Mark::User,
        TurnRole::Assistant => Mark::Assistant,
    }));
    if params.status == Some(RecordStatus::SubAgent) {
        marks.push(Mark::SubAgent);
    }
    marks
}

/// Returns the ids of records that say it, the newest first, below `before` and at most [`MAX_COUNT`].
async fn find(
    database: &IndexDatabase,
    mut conditions: Conditions,
    query: &Query,
    before: i64,
) -> Result<Vec<i64>> {
    // Without conditions, no hit needs its row.
    let from = if conditions.is_empty() {
        "texts"
    } else {
        "texts JOIN records ON records.id = texts.rowid"
    };
    let said = [SqlValue::Text(query.fts()), SqlValue::Number(before)];
    conditions.add("texts MATCH ? AND texts.rowid < ?", said);
    // One row, because each costs more than a hit.
    let found = format!(
        "SELECT json_group_array(id) FROM (SELECT texts.rowid AS id FROM {from} WHERE {}
            ORDER BY texts.rowid DESC LIMIT {MAX_COUNT})",
        conditions.sql()
    );
    let (ids,) = select!(fetch_one(String,), database, found, conditions)?;
    Ok(serde_json::from_str(&ids).unwrap_or_default())
}

/// Returns the ids of the files that are meant, as JSON, unless all are.
async fn some_files(
    database: &IndexDatabase,
    params: &ConversationSearchParams,
    scope: &Scope,
) -> Result<Option<String>> {
    let mut conditions = scope.conditions();
    scope.add_once(&mut conditions);
    if let Some(session) = &params.session {
        conditions.add("files.session_id = ?", [session.as_str().into()]);
    }
    let files = format!(
        "SELECT json_group_array(id) FILTER (WHERE is_meant), coalesce(min(is_meant), 1) FROM (SELECT id, {} AS is_meant FROM files)",
        conditions.sql()
    );
    let (ids, are_all) = select!(fetch_one(String, bool), database, files, conditions)?;
    Ok((!are_all).then_some(ids))
}

fn conditions(params: &ConversationSearchParams, scope: &Scope) -> Conditions {
    let mut conditions = Conditions::default();
    scope.add_times(&mut conditions, "records.at", "records.at");
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::Follower;
    use crate::setup::{ConversationSettings, Setup};
    use serde_json::{Value, json};
    use std::fs;
    use std::sync::Arc;

    fn record(uuid: &str, kind: &str, content: Value, more: Value) -> String {
        let mut record = json!({
            "type": kind, "uuid": uuid, "sessionId": "session1", "cwd": "/srv/shop", "timestamp": "2026-03-01T12:00:00Z",
            "message": {"id": format!("m-{uuid}"), "model": "claude-opus-5", "content": content},
        });
        if let (Some(record), Value::Object(more)) = (record.as_object_mut(), more) {
            record.extend(more);
        }
        format!("{record}\n")
    }

    fn transcript() -> String {
        let call = |id: &str, name: &str, input: Value| json!([{"type": "tool_use", "id": id, "name": name, "input": input}]);
        let failed = json!([{"type": "tool_result", "tool_use_id": "t1", "is_error": true, "content": "no needle"}]);
        let agent = json!({"isSidechain": true, "agentId": "a1"});
        [
            record("u1", "user", json!("a needle, please"), json!({})),
            record(
                "u2",
                "assistant",
                call("t1", "Bash", json!({"command": "find needle"})),
                json!({}),
            ),
            record("u3", "user", failed, json!({})),
            record(
                "u4",
                "assistant",
                call("t2", "Read", json!({"file_path": "/srv/needle.rs"})),
                json!({}),
            ),
            record(
                "u5",
                "assistant",
                json!([{"type": "text", "text": "the needle"}]),
                agent,
            ),
        ]
        .concat()
    }

    #[tokio::test]
    async fn each_filter_limits_the_hits() {
        let home = tempfile::tempdir().unwrap();
        let project = home.path().join("claude/projects/-srv-shop");
        fs::create_dir_all(&project).unwrap();
        fs::write(project.join("session1.jsonl"), transcript()).unwrap();
        let claude_dir = home.path().join("claude");
        let setup = Setup::new(&claude_dir, home.path(), ConversationSettings::default());
        let (index, follower) = Follower::new(home.path().join("index.sqlite"), Arc::clone(&setup));
        let runtime = tokio::runtime::Handle::current();
        let thread = std::thread::spawn(move || runtime.block_on(follower.run()));
        for (more, expected) in [
            (json!({}), "u5 u4 u3 u2 u1"),
            (json!({"query": "needle -please"}), "u5 u4 u3 u2"),
            (json!({"role": "assistant"}), "u5 u4 u2"),
            (json!({"role": "user"}), "u3 u1"),
            (json!({"tool": "Bash"}), "u3 u2"),
            (json!({"tool": "bash"}), ""),
            (json!({"status": "error"}), "u3 u2"),
            (json!({"status": "pending"}), "u4"),
            (json!({"status": "sub_agent"}), "u5"),
            (json!({"file": "needle.rs"}), "u4"),
            (json!({"file": "needle.rs", "status": "error"}), ""),
            (
                json!({"model": "opus", "role": "assistant", "tool": "Read"}),
                "u4",
            ),
            (json!({"model": "haiku"}), ""),
            (json!({"session": "sess"}), "u5 u4 u3 u2 u1"),
            (json!({"project": "/srv", "limit": 2}), "u5 u4"),
            (json!({"project": "/srv/shop"}), "u5 u4 u3 u2 u1"),
            (json!({"project": "/srv/sho"}), ""),
            (
                json!({"since": "2026-03-01T12:00:00Z", "before": 3}),
                "u2 u1",
            ),
            (json!({"until": "2026-03-01T12:00:00Z"}), ""),
            (
                json!({"since": "2026-02-27", "until": "2026-03-03"}),
                "u5 u4 u3 u2 u1",
            ),
        ] {
            let mut params = json!({"query": "needle"});
            params
                .as_object_mut()
                .unwrap()
                .extend(more.as_object().unwrap().clone());
            let params: ConversationSearchParams = serde_json::from_value(params).unwrap();
            let reply = index.search(&params).await.unwrap();
            let found: Vec<&str> = reply.hits.iter().map(|hit| hit.uuid.as_str()).collect();
            assert_eq!(found.join(" "), expected, "{more}");
            assert!(
                reply.hits.iter().all(|hit| hit.snippet.contains("needle")),
                "{reply:?}"
            );
        }
        index.stop();
        ccd_store::blocking(move || thread.join().unwrap()).await;
        index.close().await;
    }
}
