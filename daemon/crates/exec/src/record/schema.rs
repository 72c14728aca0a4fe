//! `exec.sqlite`.

use super::ExecWrite;
use ccd_store::{Schema, Synchronous};

/// The seed's tables, whose columns are the fields of its entities, and columns of our own. Migrations are only appended.
pub(crate) const EXEC: Schema<ExecWrite> = Schema::new(
    Synchronous::Normal,
    &[
        ("executions", include_str!("../../migrations/0001_exec.sql")),
        ("tape", include_str!("../../migrations/0002_tape.sql")),
    ],
);

#[cfg(test)]
mod tests {
    use super::EXEC;
    use ccd_store::{Opening, query_as};

    /// Databases remember each migration that was ever released, and refuse one that has changed since.
    const REMEMBERED: [(i64, &str, &str); 2] = [
        (1, "executions", "F9F32AAAEAC6468A"),
        (2, "tape", "A4B7F1F501533E19"),
    ];

    #[tokio::test]
    async fn migrations_are_only_ever_added() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("exec.sqlite");
        let opened = EXEC.open(&path, Opening::First).await.unwrap();
        let rows = query_as(
            "SELECT version, description, substr(hex(checksum), 1, 16) FROM _sqlx_migrations ORDER BY version",
        );
        let rows: Vec<(i64, String, String)> =
            rows.fetch_all(opened.database.readers()).await.unwrap();
        let rows = rows
            .iter()
            .map(|(version, name, checksum)| (*version, name.as_str(), checksum.as_str()));
        assert_eq!(rows.collect::<Vec<_>>(), REMEMBERED);
    }
}
