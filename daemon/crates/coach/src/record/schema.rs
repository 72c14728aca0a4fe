//! `events.sqlite`.

use super::EventWrite;
use ccd_store::{Column, Schema, Synchronous};

/// The seed's table and indexes, to the letter, and tables of our own, all of which are named `ccd_*`.
pub(crate) const EVENTS: Schema<EventWrite> = Schema::new(
    Synchronous::Normal,
    &[(
        "events",
        include_str!("../../migrations/events/0001_events.sql"),
    )],
)
.shared_with_others("ccd_migrations", COLUMNS)
.with_cache_kib(crate::CACHE_KIB);

/// Columns that the table of an older program may lack. A default that is not constant cannot be added.
const COLUMNS: &[Column] = &[
    text("event_type"),
    text("signal_type"),
    text("repo_id"),
    text("content"),
    text("context"),
    Column {
        table: "events",
        name: "processed",
        definition: "INTEGER DEFAULT 0",
    },
    text("created_at"),
];

const fn text(name: &'static str) -> Column {
    Column {
        table: "events",
        name,
        definition: "TEXT",
    }
}
