//! Files and folders that change, by the system's own notices (crate `notify`, which no other crate knows).
//!
//! A [`Watcher`] belongs to one thread, which says what to watch and waits for [`Changes`]; a [`Handle`] belongs to
//! everybody else. Reads are never reported: the system is not even asked for them. Where the system reports nothing
//! (its limits are reached, or there are more than [`MAX_FOLDERS`] folders), everything counts as changed twice a
//! second.
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "tests fail by panicking"))]

mod inbox;
mod links;
#[cfg(test)]
mod tests;
mod watcher;

pub use inbox::{Changes, MAX_FILES};
pub use watcher::{Handle, MAX_FOLDERS, Renewal, Watcher};
