//! Watches files and directories through the system's notifications (crate `notify`, which no other crate uses).
//! A [`Watcher`] belongs to one thread, which chooses what to watch and waits for [`Changes`]; all others use a
//! [`Handle`]. Reads are never reported: the system is not even asked for them. If the system cannot report changes
//! (its limits are reached, or there are more than [`MAX_FOLDERS`] directories), everything counts as changed twice a
//! second.
//!
//! Layers, top first; none uses one before it: `watcher` → `inbox`, `links`, `shared`.
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "tests fail by panicking"))]

mod inbox;
mod links;
mod shared;
#[cfg(test)]
mod tests;
mod watcher;

pub use inbox::{Changes, MAX_FILES};
pub use shared::is_shared;
pub use watcher::{Handle, MAX_FOLDERS, Renewal, Watcher};
