//! Rows of the interaction log: the view `interactions` of the table `history`, which stores them in less space.

use ccd_store::{
    Connection, SqlResult, Store, StoreError, Write, insert, query, query_as, query_scalar,
};

ccd_store::row! {
    #[derive(Debug, Clone, Default)]
    pub struct InteractionRow {
        pub session_id: String,
        pub timestamp: String,
        pub action: String,
        pub input_text: Option<String>,
        pub output_text: Option<String>,
        pub pattern_matched: Option<String>,
        pub client: Option<String>,
        pub client_pid: Option<i32>,
        pub start_offset: Option<i64>,
        pub end_offset: Option<i64>,
        /// JSON.
        pub form: Option<String>,
        pub error_kind: Option<String>,
        pub waited_ms: Option<i64>,
        /// Exit status of a command or of the program.
        pub exit_code: Option<i32>,
    }
    reads {
        /// Assigned by the database; 0 before.
        pub id: i64,
    }
}

/// Appends to the interaction log; rows of sessions that no longer exist are skipped.
pub(super) struct Interactions(pub(super) Vec<InteractionRow>);

impl Write for Interactions {
    async fn apply(&self, connection: &mut Connection) -> SqlResult<()> {
        let statement = "WITH new ({columns}) AS ({values}) INSERT INTO interactions ({columns}) \
            SELECT * FROM new WHERE session_id IN (SELECT session_id FROM sessions)";
        insert(connection, statement, &self.0).await
    }
}

/// Deletes all but the newest `keep` rows of each session.
pub struct TrimInteractions {
    pub keep: i64,
}

impl Write for TrimInteractions {
    async fn apply(&self, connection: &mut Connection) -> SqlResult<()> {
        let full: Vec<(String,)> = query_as(
            "SELECT session_id FROM interactions GROUP BY session_id HAVING count(*) > ?1",
        )
        .bind(self.keep)
        .fetch_all(&mut *connection)
        .await?;
        for (session_id,) in full {
            query(
                "DELETE FROM interactions WHERE session_id = ?1 AND id <= \
                 (SELECT id FROM interactions WHERE session_id = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)",
            )
            .bind(session_id)
            .bind(self.keep)
            .execute(&mut *connection)
            .await?;
        }
        Ok(())
    }
}

/// Returns the end of the last row about output of a session; 0 if there is none.
pub async fn recorded_upto(store: &Store, session: &str) -> Result<u64, StoreError> {
    let query =
        "SELECT MAX(end_offset) FROM interactions WHERE session_id = ?1 AND action = 'RECV'";
    let upto: Option<i64> = query_scalar(query)
        .bind(session)
        .fetch_one(store.readers())
        .await?;
    Ok(upto.and_then(|upto| u64::try_from(upto).ok()).unwrap_or(0))
}

/// Returns the newest `limit` rows of a session before the row `before`, oldest first.
pub async fn interactions(
    store: &Store,
    session_id: &str,
    limit: i64,
    before: i64,
) -> Result<Vec<InteractionRow>, StoreError> {
    let query =
        "SELECT * FROM interactions WHERE session_id = ?1 AND id < ?2 ORDER BY id DESC LIMIT ?3";
    let mut rows: Vec<InteractionRow> = query_as(query)
        .bind(session_id)
        .bind(before)
        .bind(limit)
        .fetch_all(store.readers())
        .await?;
    rows.reverse();
    Ok(rows)
}
