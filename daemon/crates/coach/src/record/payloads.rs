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
                let put = "INSERT OR IGNORE INTO hook_events ({columns}) {values}";
                insert(connection, put, rows).await
            }
            Self::Forget(selection) => {
                let delete = format!(
                    "DELETE FROM hook_events WHERE {}",
                    Selection::condition("at")
                );
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
    let newest = newest.bind(session_id).bind(limit);
    newest.fetch_all(store.readers()).await
}

/// Counts the payloads of a selection; also returns the time of the oldest.
pub(crate) async fn selected_payloads(
    store: &Store,
    selection: &Selection,
) -> SqlResult<(u64, Option<String>)> {
    let which = Selection::condition("at");
    let count = format!("SELECT count(*), min(at) FROM hook_events WHERE {which}");
    selection.count(store.readers(), count).await
}
