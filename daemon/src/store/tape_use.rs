//! Rows of the table `tape_use`.

use super::{Store, StoreError};
use ccd_store::{Connection, SqlResult, insert, query, query_as};

ccd_store::row! {
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub(crate) struct TapeUseRow {
        pub(crate) root: String,
        pub(crate) tape_id: String,
        /// Exchanges played since it was recorded.
        pub(crate) used: i64,
        pub(crate) used_at: String,
    }
}

#[derive(Debug)]
pub(crate) enum Write {
    TapeUse(Vec<TapeUseRow>),
    ForgetTapeUse { root: String, tape_ids: Vec<String> },
}

impl ccd_store::Write for Write {
    async fn apply(&self, connection: &mut Connection) -> SqlResult<()> {
        match self {
            Self::TapeUse(rows) => {
                let statement = "INSERT OR REPLACE INTO tape_use ({columns}) {values}";
                insert(connection, statement, rows).await?;
            }
            Self::ForgetTapeUse { root, tape_ids } => {
                for tape_id in tape_ids {
                    let forget = query("DELETE FROM tape_use WHERE root = ?1 AND tape_id = ?2");
                    let forget = forget.bind(root).bind(tape_id);
                    forget.execute(&mut *connection).await?;
                }
            }
        }
        Ok(())
    }
}

pub(crate) async fn tape_use(store: &Store, root: &str) -> Result<Vec<TapeUseRow>, StoreError> {
    let rows = query_as("SELECT * FROM tape_use WHERE root = ?1").bind(root);
    Ok(rows.fetch_all(store.readers()).await?)
}

/// Returns the tapes of all roots that were last played before a time.
pub(crate) async fn tapes_used_before(
    store: &Store,
    time: &str,
) -> Result<Vec<TapeUseRow>, StoreError> {
    let rows = query_as("SELECT * FROM tape_use WHERE used_at < ?1").bind(time);
    Ok(rows.fetch_all(store.readers()).await?)
}
