//! Rows of the table `sessions`.

use super::{Store, StoreError};
use serde::{Deserialize, Serialize};
use sqlx::SqliteConnection;

/// A session as the database has it.
#[derive(Debug, Clone, Serialize, Deserialize, sqlx::FromRow)]
pub(crate) struct SessionRow {
    pub(crate) session_id: String,
    pub(crate) name: Option<String>,
    pub(crate) program: String,
    /// JSON list of texts.
    pub(crate) args: String,
    pub(crate) cwd: String,
    pub(crate) timeout: f64,
    pub(crate) created_at: String,
    pub(crate) last_activity: String,
    pub(crate) persist: bool,
    pub(crate) encoding: String,
    pub(crate) pid: i32,
    pub(crate) exitstatus: Option<i32>,
    pub(crate) signal: Option<i32>,
    pub(crate) state: String,
    pub(crate) end_reason: Option<String>,
    pub(crate) ended_at: Option<String>,
    pub(crate) terminal_rows: u16,
    pub(crate) terminal_cols: u16,
    pub(crate) shell: bool,
    pub(crate) transient: bool,
    pub(crate) session_timeout_s: f64,
    pub(crate) max_session_runtime_s: f64,
    pub(crate) output_lines: i64,
    pub(crate) output_bytes: i64,
    pub(crate) rotated_at: Option<String>,
    /// JSON list of `{offset, length}`.
    pub(crate) gaps: String,
    /// The program configuration it was started with.
    #[serde(default)]
    #[sqlx(default)]
    pub(crate) config: Option<String>,
    #[serde(default)]
    #[sqlx(default)]
    pub(crate) success: Option<bool>,
}

/// All columns; the order is that of [`replace`].
const UPSERT: &str = "INSERT INTO sessions (session_id, name, program, args, cwd, timeout, created_at, last_activity, \
    persist, encoding, pid, exitstatus, signal, state, end_reason, ended_at, terminal_rows, terminal_cols, shell, transient, \
    session_timeout_s, max_session_runtime_s, output_lines, output_bytes, rotated_at, gaps, config, success) \
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28) \
    ON CONFLICT (session_id) DO UPDATE SET last_activity = ?8, exitstatus = ?12, signal = ?13, state = ?14, \
    end_reason = ?15, ended_at = ?16, terminal_rows = ?17, terminal_cols = ?18, output_lines = ?23, output_bytes = ?24, \
    rotated_at = ?25, gaps = ?26, success = ?28";

pub(super) async fn replace(
    connection: &mut SqliteConnection,
    row: &SessionRow,
) -> sqlx::Result<()> {
    sqlx::query(UPSERT)
        .bind(&row.session_id)
        .bind(&row.name)
        .bind(&row.program)
        .bind(&row.args)
        .bind(&row.cwd)
        .bind(row.timeout)
        .bind(&row.created_at)
        .bind(&row.last_activity)
        .bind(row.persist)
        .bind(&row.encoding)
        .bind(row.pid)
        .bind(row.exitstatus)
        .bind(row.signal)
        .bind(&row.state)
        .bind(&row.end_reason)
        .bind(&row.ended_at)
        .bind(row.terminal_rows)
        .bind(row.terminal_cols)
        .bind(row.shell)
        .bind(row.transient)
        .bind(row.session_timeout_s)
        .bind(row.max_session_runtime_s)
        .bind(row.output_lines)
        .bind(row.output_bytes)
        .bind(&row.rotated_at)
        .bind(&row.gaps)
        .bind(&row.config)
        .bind(row.success)
        .execute(connection)
        .await
        .map(drop)
}

pub(super) async fn delete(connection: &mut SqliteConnection, id: &str) -> sqlx::Result<()> {
    sqlx::query("DELETE FROM sessions WHERE session_id = ?1")
        .bind(id)
        .execute(connection)
        .await
        .map(drop)
}

impl Store {
    /// Returns every session row, oldest first.
    pub(crate) async fn sessions(&self) -> Result<Vec<SessionRow>, StoreError> {
        Ok(
            sqlx::query_as("SELECT * FROM sessions ORDER BY created_at, session_id")
                .fetch_all(&self.readers)
                .await?,
        )
    }
}
