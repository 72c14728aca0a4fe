//! Session memory: where a project stands, collected from its files and written to `.claude/session-memory.md`, so that the
//! next session knows it.
//! [`collect()`] looks at a project, [`save`] writes what it found without secrets and within the limits, [`read`] reads the
//! file back, [`verify()`] looks at its facts again, and [`digest()`] is what a new session gets. Everything blocks. Nothing leaves the machine, and no program is started.
//!
//! Layers, top first; none uses one before it: `digest` → `verify`, `link` → `collect`, `store` → `error`, `rules` →
//! `file` → `model`, `disk`.

#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::print_stderr,
        reason = "tests fail by panicking and say what they skip"
    )
)]

mod collect;
mod digest;
mod disk;
mod error;
#[cfg(all(test, target_os = "linux"))]
mod fault_tests;
mod file;
mod link;
mod model;
mod rules;
mod store;
#[cfg(test)]
mod store_tests;
mod verify;

pub use ccd_protocol::memory::place::MEMORY_FILE;
pub use collect::{
    COLLECT_LIMIT, Collected, Recorded, RecordedPurpose, RecordedRun, RecordedTask, collect,
    recent, recent_of, uncommitted,
};
pub use digest::{DIGEST_CHARS, digest};
pub use error::{MemoryError, Result};
pub use file::Parsed;
pub use link::{Link, link};
pub use model::{Cuts, MAX_BYTES, Notes, Provenance};
pub use rules::validate_text;
pub use store::{Saved, read, save, save_given};
pub use verify::{VERIFY_LIMIT, Verified, verify};
