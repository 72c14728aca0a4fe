//! Rows of the table `tape_use`.

use super::{Store, StoreError};
use sqlx::SqliteConnection;

/// How often a tape was played.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub(crate) struct TapeUseRow {
    pub(crate) root: String,
    pub(crate) tape_id: String,
    /// Exchanges, since it was recorded.
    pub(crate) used: i64,
    pub(crate) used_at: String,
}

/// Inserts rows or replaces them.
pub(super) async fn replace(
    connection: &mut SqliteConnection,
    rows: &[TapeUseRow],
) -> sqlx::Result<()> {
    for row in rows {
        sqlx::query(
            "INSERT OR REPLACE INTO tape_use (root, tape_id, used, used_at) VALUES (?1, ?2, ?3, ?4)",
        )
        .bind(&row.root)
        .bind(&row.tape_id)
        .bind(row.used)
        .bind(&row.used_at)
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

/// Deletes the rows of tapes that are gone.
pub(super) async fn forget(
    connection: &mut SqliteConnection,
    root: &str,
    tape_ids: &[String],
) -> sqlx::Result<()> {
    for tape_id in tape_ids {
        sqlx::query("DELETE FROM tape_use WHERE root = ?1 AND tape_id = ?2")
            .bind(root)
            .bind(tape_id)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

impl Store {
    /// Returns how often the tapes of a root were played.
    pub(crate) async fn tape_use(&self, root: &str) -> Result<Vec<TapeUseRow>, StoreError> {
        let rows = sqlx::query_as("SELECT * FROM tape_use WHERE root = ?1")
            .bind(root)
            .fetch_all(&self.readers)
            .await?;
        Ok(rows)
    }
}
