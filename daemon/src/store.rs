//! `ccd.sqlite`, shared by sessions, the interaction log, jobs and tape usage: each area has its own rows.

pub(crate) use ccd_store::{Opening, Store, StoreError};

use ccd_store::{AnyWrite, Schema, Synchronous};

/// The migrations of all areas, in the order in which they were added.
/// A build that is rolled back uses the tables of a newer one: a change keeps what older builds read and write.
const MIGRATIONS: &[(&str, &str)] = &[
    ("sessions", include_str!("../migrations/0001_sessions.sql")),
    (
        "job entries",
        include_str!("../migrations/0002_job_entries.sql"),
    ),
    ("programs", include_str!("../migrations/0003_programs.sql")),
    ("tapes", include_str!("../migrations/0004_tapes.sql")),
    ("history", include_str!("../migrations/0005_history.sql")),
    ("hooks", include_str!("../migrations/0006_hooks.sql")),
    (
        "compact history",
        include_str!("../migrations/0007_compact_history.sql"),
    ),
    (
        "created by",
        include_str!("../migrations/0008_created_by.sql"),
    ),
];

pub(crate) const SCHEMA: Schema<dyn AnyWrite> = Schema::new(Synchronous::Normal, MIGRATIONS);

#[cfg(test)]
mod history_tests;
#[cfg(test)]
mod tests {
    use super::*;
    use ccd_store::query_as;

    /// Databases remember each migration that was ever released, and refuse one that has changed since.
    const REMEMBERED: [(i64, &str, &str); 8] = [
        (1, "sessions", "F55C7E9D9174221D"),
        (2, "job entries", "495C1FA5FED1E6C6"),
        (3, "programs", "C713E7FA022C5078"),
        (4, "tapes", "7265E4DDE8C81F4D"),
        (5, "history", "3E66C355AD50A048"),
        (6, "hooks", "548ABAAF6F531A56"),
        (7, "compact history", "0C1C76A9671E3716"),
        (8, "created by", "6E973916E54B00C6"),
    ];

    #[tokio::test]
    async fn migrations_are_only_ever_added() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ccd.sqlite");
        let opened = SCHEMA.open(&path, Opening::First).await.unwrap();
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
