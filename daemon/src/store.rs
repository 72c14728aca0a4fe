//! `ccd.sqlite`, which sessions, the interaction log, jobs and the use of tapes share: each area has its rows and writes.

mod tape_use;

pub(crate) use ccd_store::{Opening, Store, StoreError};
pub(crate) use tape_use::{TapeUseRow, Write, tape_use};

use ccd_store::{AnyWrite, Schema, Synchronous};

/// The migrations of all areas, in the order in which they came.
pub(crate) const SCHEMA: Schema<dyn AnyWrite> = Schema::new(
    Synchronous::Normal,
    &[
        ("sessions", include_str!("../migrations/0001_sessions.sql")),
        (
            "job entries",
            include_str!("../migrations/0002_job_entries.sql"),
        ),
        ("programs", include_str!("../migrations/0003_programs.sql")),
        ("tapes", include_str!("../migrations/0004_tapes.sql")),
    ],
);
