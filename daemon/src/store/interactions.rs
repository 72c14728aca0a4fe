//! Rows of the table `interactions`.

use super::{Store, StoreError};
use sqlx::{QueryBuilder, SqliteConnection};

/// A row of the interaction log.
#[derive(Debug, Clone, sqlx::FromRow)]
pub(crate) struct InteractionRow {
    /// Given by the database; 0 before.
    #[sqlx(default)]
    pub(crate) id: i64,
    pub(crate) session_id: String,
    pub(crate) timestamp: String,
    pub(crate) action: String,
    pub(crate) input_text: Option<String>,
    pub(crate) output_text: Option<String>,
    pub(crate) pattern_matched: Option<String>,
    pub(crate) client: Option<String>,
    pub(crate) client_pid: Option<i32>,
    pub(crate) start_offset: Option<i64>,
    pub(crate) end_offset: Option<i64>,
    /// JSON.
    #[sqlx(default)]
    pub(crate) form: Option<String>,
}

/// Rows of one statement: each statement is a trip to the database's thread, whatever it inserts.
const ROWS_PER_INSERT: usize = 32;

const COLUMNS: &str = "session_id, timestamp, action, input_text, output_text, pattern_matched, client, client_pid, \
                       start_offset, end_offset, form";

/// Appends rows; those of sessions that are gone are skipped.
pub(super) async fn insert(
    connection: &mut SqliteConnection,
    rows: &[InteractionRow],
) -> sqlx::Result<()> {
    for rows in rows.chunks(ROWS_PER_INSERT) {
        let mut query = QueryBuilder::new(format!(
            "INSERT INTO interactions ({COLUMNS}) SELECT * FROM ("
        ));
        query.push_values(rows, |mut values, row| {
            values
                .push_bind(&row.session_id)
                .push_bind(&row.timestamp)
                .push_bind(&row.action)
                .push_bind(&row.input_text)
                .push_bind(&row.output_text)
                .push_bind(&row.pattern_matched)
                .push_bind(&row.client)
                .push_bind(row.client_pid)
                .push_bind(row.start_offset)
                .push_bind(row.end_offset)
                .push_bind(&row.form);
        });
        // SQLite calls the columns of a list of values so.
        query.push(") WHERE column1 IN (SELECT session_id FROM sessions)");
        query.build().execute(&mut *connection).await?;
    }
    Ok(())
}

/// Keeps the newest `keep` rows of each session.
pub(super) async fn trim(connection: &mut SqliteConnection, keep: i64) -> sqlx::Result<()> {
    let full: Vec<(String,)> = sqlx::query_as(
        "SELECT session_id FROM interactions GROUP BY session_id HAVING count(*) > ?1",
    )
    .bind(keep)
    .fetch_all(&mut *connection)
    .await?;
    for (session_id,) in full {
        sqlx::query(
            "DELETE FROM interactions WHERE session_id = ?1 AND id <= \
             (SELECT id FROM interactions WHERE session_id = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)",
        )
        .bind(session_id)
        .bind(keep)
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

impl Store {
    /// Where the last row about output of a session ends; 0 when there is none.
    pub(crate) async fn recorded_upto(&self, session: &str) -> Result<u64, StoreError> {
        let upto: Option<i64> = sqlx::query_scalar(
            "SELECT MAX(end_offset) FROM interactions WHERE session_id = ?1 AND action = 'RECV'",
        )
        .bind(session)
        .fetch_one(&self.readers)
        .await?;
        Ok(upto.and_then(|upto| u64::try_from(upto).ok()).unwrap_or(0))
    }

    /// Returns the newest `limit` rows of a session before the row `before`, oldest first.
    pub(crate) async fn interactions(
        &self,
        session_id: &str,
        limit: i64,
        before: i64,
    ) -> Result<Vec<InteractionRow>, StoreError> {
        let mut rows: Vec<InteractionRow> = sqlx::query_as(
            "SELECT * FROM interactions WHERE session_id = ?1 AND id < ?2 ORDER BY id DESC LIMIT ?3",
        )
        .bind(session_id)
        .bind(before)
        .bind(limit)
        .fetch_all(&self.readers)
        .await?;
        rows.reverse();
        Ok(rows)
    }
}
