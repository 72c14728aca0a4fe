//! Rows of the table `sessions`.

use ccd_store::{Connection, SqlResult, Store, StoreError, Write, insert, query, query_as};
use serde::{Deserialize, Serialize};
use std::slice;

ccd_store::row! {
    /// A session in the database.
    #[derive(Debug, Clone, Serialize, Deserialize)]
    pub(in crate::session) struct SessionRow {
        pub(in crate::session) session_id: String,
        pub(in crate::session) name: Option<String>,
        pub(in crate::session) program: String,
        /// JSON list of strings.
        pub(in crate::session) args: String,
        pub(in crate::session) cwd: String,
        pub(in crate::session) timeout: f64,
        pub(in crate::session) created_at: String,
        pub(in crate::session) last_activity: String,
        pub(in crate::session) persist: bool,
        pub(in crate::session) encoding: String,
        pub(in crate::session) pid: i32,
        pub(in crate::session) exitstatus: Option<i32>,
        pub(in crate::session) signal: Option<i32>,
        pub(in crate::session) state: String,
        pub(in crate::session) end_reason: Option<String>,
        pub(in crate::session) ended_at: Option<String>,
        pub(in crate::session) terminal_rows: u16,
        pub(in crate::session) terminal_cols: u16,
        pub(in crate::session) shell: bool,
        pub(in crate::session) transient: bool,
        pub(in crate::session) session_timeout_s: f64,
        pub(in crate::session) max_session_runtime_s: f64,
        pub(in crate::session) output_lines: i64,
        pub(in crate::session) output_bytes: i64,
        pub(in crate::session) rotated_at: Option<String>,
        /// JSON list of `{offset, length}`.
        pub(in crate::session) gaps: String,
        /// The program configuration that started it.
        #[serde(default)]
        pub(in crate::session) config: Option<String>,
        #[serde(default)]
        pub(in crate::session) success: Option<bool>,
        /// See [`Facts::started_by`](crate::session::facts::Facts::started_by).
        #[serde(default)]
        pub(in crate::session) started_by: Option<String>,
        /// Why the program could not be started: then the session was never alive.
        #[serde(default)]
        pub(in crate::session) start_error: Option<String>,
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

/// Deletes a session and its interactions.
pub(in crate::session) struct DeleteSession(pub(super) String);

impl Write for DeleteSession {
    async fn apply(&self, connection: &mut Connection) -> SqlResult<()> {
        let delete = query("DELETE FROM sessions WHERE session_id = ?1");
        delete.bind(&self.0).execute(connection).await.map(drop)
    }
}

/// Returns every session row, oldest first.
pub(in crate::session) async fn sessions(store: &Store) -> Result<Vec<SessionRow>, StoreError> {
    let rows = query_as("SELECT * FROM sessions ORDER BY created_at, session_id");
    Ok(rows.fetch_all(store.readers()).await?)
}
