//! The table `hook_events` of `ccd.sqlite`: each payload, without its secrets.

use super::Selection;
use ccd_store::{Connection, SqlResult, Store, Write, insert, query_scalar};

ccd_store::row! {
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

const SELECTED: &str = "(?1 IS NULL OR repo_id IN (SELECT value FROM json_each(?1))) AND (?2 IS NULL OR session_id = ?2) AND (?3 IS NULL OR at < ?3)";

#[derive(Debug)]
pub(crate) enum PayloadWrite {
    /// Stores payloads, each once.
    Record(Vec<PayloadRow>),
    Forget(Selection),
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
            Self::Forget(selection) => {
                let delete = format!("DELETE FROM hook_events WHERE {SELECTED}");
                selection.delete(connection, delete).await
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

/// Counts the payloads of a selection; also returns the time of the oldest.
pub(crate) async fn selected_payloads(
    store: &Store,
    selection: &Selection,
) -> SqlResult<(u64, Option<String>)> {
    let count = format!("SELECT count(*), min(at) FROM hook_events WHERE {SELECTED}");
    selection.count(store.readers(), count).await
}
