//! The table `hook_events` of `ccd.sqlite`: each payload, without its secrets.

use ccd_store::{Connection, SqlResult, Store, Write, insert, query, query_scalar};

ccd_store::row! {
    /// A payload.
    #[derive(Debug, Clone)]
    pub(crate) struct PayloadRow {
        pub(crate) delivery_id: String,
        pub(crate) at: String,
        pub(crate) event: String,
        pub(crate) session_id: String,
        pub(crate) repo_id: String,
        /// JSON of at most 64 KiB.
        pub(crate) payload: String,
    }
}

/// A change to the table.
#[derive(Debug)]
pub(crate) enum PayloadWrite {
    /// Stores payloads, each once.
    Record(Vec<PayloadRow>),
    /// Deletes those of all that is given.
    Forget {
        repo_id: Option<String>,
        session_id: Option<String>,
        before: Option<String>,
    },
}

impl Write for PayloadWrite {
    async fn apply(&self, connection: &mut Connection) -> SqlResult<()> {
        match self {
            Self::Record(rows) => {
                insert(
                    connection,
                    "INSERT OR IGNORE INTO hook_events ({columns}) {values}",
                    rows,
                )
                .await
            }
            Self::Forget {
                repo_id,
                session_id,
                before,
            } => {
                let delete = "DELETE FROM hook_events
                    WHERE (?1 IS NULL OR repo_id = ?1) AND (?2 IS NULL OR session_id = ?2) AND (?3 IS NULL OR at < ?3)";
                let delete = query(delete).bind(repo_id).bind(session_id).bind(before);
                delete.execute(connection).await.map(drop)
            }
        }
    }
}

/// Returns the newest payloads of a session, oldest first.
pub(crate) async fn payloads_of(
    store: &Store,
    session_id: &str,
    limit: u32,
) -> SqlResult<Vec<String>> {
    let newest = query_scalar(
        "SELECT payload FROM (SELECT payload, at, rowid FROM hook_events WHERE session_id = ?1 ORDER BY at DESC, rowid DESC LIMIT ?2)
            ORDER BY at, rowid",
    );
    newest
        .bind(session_id)
        .bind(limit)
        .fetch_all(store.readers())
        .await
}

/// Returns how many payloads there are.
pub(crate) async fn payload_count(store: &Store) -> SqlResult<u64> {
    let count: i64 = query_scalar("SELECT count(*) FROM hook_events")
        .fetch_one(store.readers())
        .await?;
    Ok(count.unsigned_abs())
}
