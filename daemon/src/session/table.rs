//! Rows of the table `sessions`.

use ccd_store::{Connection, SqlResult, Store, StoreError, Write, insert, query, query_as};
use serde::{Deserialize, Serialize};
use std::slice;

ccd_store::row! {
    /// A session as the database has it.
    #[derive(Debug, Clone, Serialize, Deserialize)]
    pub(super) struct SessionRow {
        pub(super) session_id: String,
        pub(super) name: Option<String>,
        pub(super) program: String,
        /// JSON list of texts.
        pub(super) args: String,
        pub(super) cwd: String,
        pub(super) timeout: f64,
        pub(super) created_at: String,
        pub(super) last_activity: String,
        pub(super) persist: bool,
        pub(super) encoding: String,
        pub(super) pid: i32,
        pub(super) exitstatus: Option<i32>,
        pub(super) signal: Option<i32>,
        pub(super) state: String,
        pub(super) end_reason: Option<String>,
        pub(super) ended_at: Option<String>,
        pub(super) terminal_rows: u16,
        pub(super) terminal_cols: u16,
        pub(super) shell: bool,
        pub(super) transient: bool,
        pub(super) session_timeout_s: f64,
        pub(super) max_session_runtime_s: f64,
        pub(super) output_lines: i64,
        pub(super) output_bytes: i64,
        pub(super) rotated_at: Option<String>,
        /// JSON list of `{offset, length}`.
        pub(super) gaps: String,
        /// The program configuration it was started with.
        #[serde(default)]
        pub(super) config: Option<String>,
        #[serde(default)]
        pub(super) success: Option<bool>,
    }
}

/// Inserts the row, or updates what may change of it.
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

/// Deletes a session with its interactions.
pub(super) struct DeleteSession(pub(super) String);

impl Write for DeleteSession {
    async fn apply(&self, connection: &mut Connection) -> SqlResult<()> {
        let delete = query("DELETE FROM sessions WHERE session_id = ?1");
        delete.bind(&self.0).execute(connection).await.map(drop)
    }
}

/// Returns every session row, oldest first.
pub(super) async fn sessions(store: &Store) -> Result<Vec<SessionRow>, StoreError> {
    let rows = query_as("SELECT * FROM sessions ORDER BY created_at, session_id");
    Ok(rows.fetch_all(store.readers()).await?)
}
