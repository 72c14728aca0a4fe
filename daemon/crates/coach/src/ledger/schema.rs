//! `ledger.sqlite`.

use super::LedgerWrite;
use ccd_store::{Column, Schema, Synchronous};

/// The seed's tables and indexes, to the letter, and tables of our own, all of which are named `ccd_*`.
pub(crate) const LEDGER: Schema<LedgerWrite> = Schema::new(
    Synchronous::Full,
    &[
        (
            "ledger",
            include_str!("../../migrations/ledger/0001_ledger.sql"),
        ),
        (
            "evidence",
            include_str!("../../migrations/ledger/0002_evidence.sql"),
        ),
    ],
)
.shared_with_others("ccd_migrations", COLUMNS)
.with_cache_kib(crate::CACHE_KIB);

/// Columns that the tables of an older program may lack. A default that is not constant cannot be added.
const COLUMNS: &[Column] = &[
    column("candidates", "normalized_text", "TEXT"),
    column("candidates", "title", "TEXT"),
    column("candidates", "candidate_type", "TEXT"),
    column("candidates", "trigger_condition", "TEXT"),
    column("candidates", "action", "TEXT"),
    column("candidates", "current_scope", "TEXT DEFAULT 'project'"),
    column("candidates", "repo_ids", "TEXT DEFAULT '[]'"),
    column("candidates", "evidence", "TEXT DEFAULT '[]'"),
    column("candidates", "confidence", "REAL DEFAULT 0.0"),
    column("candidates", "count", "INTEGER DEFAULT 1"),
    column("candidates", "status", "TEXT DEFAULT 'pending'"),
    column("candidates", "first_seen", "TEXT"),
    column("candidates", "last_seen", "TEXT"),
    column("candidates", "promoted_at", "TEXT"),
    column("candidates", "created_at", "TEXT"),
    column("candidates", "updated_at", "TEXT"),
    column("promotions", "from_scope", "TEXT"),
    column("promotions", "to_scope", "TEXT"),
    column("promotions", "reason", "TEXT"),
    column("promotions", "promoted_at", "TEXT"),
];

const fn column(table: &'static str, name: &'static str, definition: &'static str) -> Column {
    Column {
        table,
        name,
        definition,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::{
        Change, Page, evidence_ids, evidence_of, fingerprints, guards_and_lost, known, page,
        promotions, statuses,
    };
    use ccd_store::{Connection, Opening, SqlResult, Write, query, query_as};

    /// Databases remember each migration that was ever released, and refuse one that has changed since.
    const REMEMBERED: [(i64, &str, &str); 2] = [
        (1, "ledger", "1AFCEC947DA4B4DB"),
        (2, "evidence", "13F18DFDFFACD182"),
    ];

    struct Sql(&'static str);

    impl Write for Sql {
        async fn apply(&self, connection: &mut Connection) -> SqlResult<()> {
            query(self.0).execute(connection).await.map(drop)
        }
    }

    const FIRST: Schema<Sql> = Schema::new(
        Synchronous::Full,
        &[(
            "ledger",
            include_str!("../../migrations/ledger/0001_ledger.sql"),
        )],
    )
    .shared_with_others("ccd_migrations", &[]);

    /// Another program, which writes the same tables.
    const OTHER: Schema<Sql> =
        Schema::new(Synchronous::Normal, &[]).shared_with_others("other", &[]);

    #[tokio::test]
    async fn a_ledger_of_the_first_version_keeps_its_evidence() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger.sqlite");
        let older = FIRST.open(&path, Opening::First).await.unwrap().database;
        let rows = Sql("INSERT INTO ccd_evidence VALUES
            ('b', 'one', '2026-01-02T00:00:00Z', 'second \"quote\"', 's', 'r'),
            ('a', 'one', '2026-01-01T00:00:00Z', 'first', '', ''),
            ('c', 'two', '2026-01-01T00:00:00Z', 'other', 's', 'r')");
        older.commit(rows).await.unwrap();
        older.close().await;

        let ledger = LEDGER.open(&path, Opening::First).await.unwrap().database;
        let rows = query_as(
            "SELECT version, description, substr(hex(checksum), 1, 16) FROM ccd_migrations ORDER BY version",
        );
        let rows: Vec<(i64, String, String)> = rows.fetch_all(ledger.readers()).await.unwrap();
        let rows = rows
            .iter()
            .map(|(version, name, checksum)| (*version, name.as_str(), checksum.as_str()));
        assert_eq!(rows.collect::<Vec<_>>(), REMEMBERED);
        let evidence = evidence_of(&ledger, "one", 10).await.unwrap();
        let quotes = evidence.iter().map(|piece| piece.quote.as_str());
        assert_eq!(quotes.collect::<Vec<_>>(), ["first", "second \"quote\""]);
        assert_eq!(evidence[0].session_id, None);
        assert_eq!(evidence[1].session_id.as_deref(), Some("s"));
        let ids = evidence_ids(&ledger, &["one"], &["a", "c", "d"]).await;
        assert_eq!(ids.unwrap()["one"], ["a"]);
        let retain = Change::Retain {
            rejected: "2000-01-01".to_owned(),
            evidence: "2026-01-02".to_owned(),
        };
        ledger.commit(LedgerWrite(vec![retain])).await.unwrap();
        assert_eq!(evidence_of(&ledger, "one", 10).await.unwrap().len(), 1);
    }

    #[tokio::test]
    async fn what_cannot_be_read_hides_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger.sqlite");
        let ledger = LEDGER.open(&path, Opening::First).await.unwrap().database;
        let other = OTHER.open(&path, Opening::First).await.unwrap().database;
        for rows in [
            "INSERT INTO ccd_guards VALUES ('f1', 'Bash', 'rm', 'no', '[\"r\"]', '1', 0), ('f2', 'Bash', 'rm', 'no', 'broken', '2', 0),
                ('f3', 'Bash', 'rm', CAST(x'6eff' AS TEXT), NULL, '3', 0)",
            "INSERT INTO ccd_groups VALUES ('failure', 'k', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '[\"one\"]', 'none', 1),
                ('failure', 'l', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'broken', 'none', 1), ('odd', 'm', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '[]', 'none', 1)",
            "INSERT INTO candidates (fingerprint, title, status, count, confidence, last_seen) VALUES
                ('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'good', 'pending', 2, 0.5, '1'), ('bbbbbbbbbbbbbbbb', x'62ff', x'01', 'many', 'high', '2')",
            "INSERT INTO promotions (id, fingerprint, reason) VALUES ('p', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'why'), ('q', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', x'ff')",
            "INSERT INTO ccd_evidence_lists (fingerprint, newest, pieces) VALUES
                ('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '1', '[[\"e\", \"1\", \"quote\", \"\", \"\"], \"text\"]'), ('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '2', 'broken')",
        ] {
            other.commit(Sql(rows)).await.unwrap();
        }
        let (guards, lost) = guards_and_lost(&ledger).await.unwrap();
        let guards: Vec<_> = guards
            .iter()
            .map(|one| (&*one.fingerprint, &*one.reason))
            .collect();
        assert_eq!(guards, [("f1", "no"), ("f3", "n\u{fffd}")]);
        assert_eq!(lost, 1);
        let known = known(&ledger).await.unwrap();
        let keys = known
            .iter()
            .flat_map(|one| &one.groups)
            .map(|one| &*one.key);
        assert_eq!(keys.collect::<Vec<_>>(), ["k"]);
        let listed = page(
            &ledger,
            Page {
                limit: 9,
                ..Page::default()
            },
        )
        .await
        .unwrap();
        let titles: Vec<_> = listed.iter().map(|row| (&*row.title, row.count)).collect();
        assert_eq!(titles, [("b\u{fffd}", 0), ("good", 2)]);
        assert_eq!(fingerprints(&ledger).await.unwrap().len(), 2);
        assert_eq!(promotions(&ledger).await.unwrap().len(), 2);
        assert_eq!(
            evidence_of(
                &ledger,
                "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                9
            )
            .await
            .unwrap()
            .len(),
            1
        );
        assert_eq!(statuses(&ledger).await.unwrap()["pending"], 1);
    }
}
