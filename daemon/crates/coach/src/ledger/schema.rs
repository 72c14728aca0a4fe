//! `ledger.sqlite`.

use super::LedgerWrite;
use ccd_store::{Column, Schema, Synchronous};

/// The seed's tables and indexes, to the letter, and tables of our own, all of which are named `ccd_*`.
pub(crate) const LEDGER: Schema<LedgerWrite> = Schema::new(
    Synchronous::Full,
    &[(
        "ledger",
        include_str!("../../migrations/ledger/0001_ledger.sql"),
    )],
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
