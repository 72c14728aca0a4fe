//! Rows of the table `sessions`.

use crate::live::end::MAX_PAST;
use ccd_store::{
    AssertSqlSafe, Connection, SqlResult, Store, StoreError, Write, insert, query, query_as,
    query_scalar,
};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::slice;

ccd_store::row! {
    #[derive(Debug, Clone, Default, Serialize, Deserialize)]
    pub(in crate::live) struct SessionRow {
        pub(in crate::live) session_id: String,
        pub(in crate::live) name: Option<String>,
        pub(in crate::live) program: String,
        /// JSON list of strings.
        pub(in crate::live) args: String,
        pub(in crate::live) cwd: String,
        pub(in crate::live) timeout: f64,
        pub(in crate::live) created_at: String,
        pub(in crate::live) last_activity: String,
        pub(in crate::live) persist: bool,
        pub(in crate::live) encoding: String,
        pub(in crate::live) pid: i32,
        pub(in crate::live) exitstatus: Option<i32>,
        pub(in crate::live) signal: Option<i32>,
        pub(in crate::live) state: String,
        pub(in crate::live) end_reason: Option<String>,
        pub(in crate::live) ended_at: Option<String>,
        pub(in crate::live) terminal_rows: u16,
        pub(in crate::live) terminal_cols: u16,
        pub(in crate::live) shell: bool,
        pub(in crate::live) transient: bool,
        pub(in crate::live) session_timeout_s: f64,
        pub(in crate::live) max_session_runtime_s: f64,
        pub(in crate::live) output_lines: i64,
        pub(in crate::live) output_bytes: i64,
        pub(in crate::live) rotated_at: Option<String>,
        /// JSON list of `{offset, length}`.
        pub(in crate::live) gaps: String,
        #[serde(default)]
        pub(in crate::live) config: Option<String>,
        #[serde(default)]
        pub(in crate::live) success: Option<bool>,
        /// See [`SessionFacts::started_by`](crate::live::facts::SessionFacts::started_by).
        #[serde(default)]
        pub(in crate::live) started_by: Option<String>,
        /// Why the program could not be started: then the session was never alive.
        #[serde(default)]
        pub(in crate::live) start_error: Option<String>,
        /// See [`SessionFacts::created_by`](crate::live::facts::SessionFacts::created_by).
        #[serde(default)]
        pub(in crate::live) created_by: Option<String>,
    }
}

/// Inserts the row, or updates its columns that can change.
impl Write for SessionRow {
    async fn apply(&self, connection: &mut Connection) -> SqlResult<()> {
        let statement = "INSERT INTO sessions ({columns}) {values} ON CONFLICT (session_id) DO UPDATE SET \
            last_activity = excluded.last_activity, exitstatus = excluded.exitstatus, signal = excluded.signal, \
            state = excluded.state, end_reason = excluded.end_reason, ended_at = excluded.ended_at, \
            terminal_rows = excluded.terminal_rows, terminal_cols = excluded.terminal_cols, \
            output_lines = excluded.output_lines, output_bytes = excluded.output_bytes, \
            rotated_at = excluded.rotated_at, gaps = excluded.gaps, success = excluded.success";
        insert(connection, statement, slice::from_ref(self)).await
    }
}

pub(in crate::live) struct DeleteSession(pub(super) String);

impl Write for DeleteSession {
    async fn apply(&self, connection: &mut Connection) -> SqlResult<()> {
        let delete = query("DELETE FROM sessions WHERE session_id = ?1");
        delete.bind(&self.0).execute(connection).await.map(drop)
    }
}

/// Returns the rows of sessions that have not ended, oldest first.
pub(super) async fn unfinished(store: &Store) -> Result<Vec<SessionRow>, StoreError> {
    let rows = "SELECT * FROM sessions WHERE state <> 'dead' ORDER BY created_at, session_id";
    Ok(query_as(rows).fetch_all(store.readers()).await?)
}

#[derive(Debug, Clone, Copy)]
pub(super) enum RowSelection<'a> {
    All,
    /// Those that a text may mean: the one with this id, the newest one with this name, and all whose ids begin so.
    Named(&'a str),
    CreatedSince(&'a str),
    /// Those that ended at a time or before, the oldest beyond `most`, and the oldest without files beyond [`MAX_PAST`].
    Outdated {
        before: &'a str,
        most: Option<usize>,
    },
}

/// Returns the rows of ended sessions, oldest first.
pub(super) async fn ended(
    store: &Store,
    wanted: RowSelection<'_>,
) -> Result<Vec<SessionRow>, StoreError> {
    let (condition, text, number) = match wanted {
        RowSelection::All => ("?1 = '' AND ?2", "", 1),
        RowSelection::Named(text) => (
            "substr(session_id, 1, length(?1)) = ?1 OR session_id = (SELECT session_id FROM sessions \
             WHERE state = 'dead' AND name = ?1 ORDER BY created_at DESC LIMIT ?2)",
            text,
            1,
        ),
        RowSelection::CreatedSince(since) => ("created_at >= ?1 AND ?2", since, 1),
        RowSelection::Outdated { before, most } => (
            "ended_at <= ?1 OR session_id IN (SELECT session_id FROM sessions WHERE state = 'dead' \
             ORDER BY ended_at DESC, rowid DESC LIMIT -1 OFFSET ?2) \
             OR session_id IN (SELECT session_id FROM sessions WHERE state = 'dead' \
             AND (transient OR start_error IS NOT NULL) ORDER BY created_at DESC LIMIT -1 OFFSET ?3)",
            before,
            most.and_then(|most| i64::try_from(most).ok())
                .unwrap_or(i64::MAX),
        ),
    };
    let rows = format!(
        "SELECT * FROM sessions WHERE state = 'dead' AND ({condition}) ORDER BY created_at, session_id"
    );
    let mut rows = query_as(AssertSqlSafe(rows)).bind(text).bind(number);
    if matches!(wanted, RowSelection::Outdated { .. }) {
        rows = rows.bind(MAX_PAST as i64);
    }
    Ok(rows.fetch_all(store.readers()).await?)
}

/// Counts the ended sessions that are not among those with these ids.
pub(super) async fn count_ended(store: &Store, except: &[String]) -> Result<u64, StoreError> {
    let count = "SELECT count(*) FROM sessions WHERE state = 'dead' \
        AND session_id NOT IN (SELECT value FROM json_each(?1))";
    let except = serde_json::to_string(except).unwrap_or_default();
    let count: i64 = query_scalar(count)
        .bind(except)
        .fetch_one(store.readers())
        .await?;
    Ok(u64::try_from(count).unwrap_or(0))
}

/// Returns those of the ids to which no session with a directory belongs. Transient sessions that have ended need no
/// directory: at most a recording is left there that could not be made into a tape.
pub(super) async fn without_session(
    store: &Store,
    ids: &[&str],
) -> Result<HashSet<String>, StoreError> {
    let strays = "SELECT value FROM json_each(?1) WHERE NOT EXISTS (SELECT 1 FROM sessions \
        WHERE session_id = value AND NOT (transient AND state = 'dead'))";
    let ids = serde_json::to_string(ids).unwrap_or_default();
    let strays: Vec<String> = query_scalar(strays)
        .bind(ids)
        .fetch_all(store.readers())
        .await?;
    Ok(strays.into_iter().collect())
}
