//! How a session ends: by its program, by an order, by a limit, with its client or with its holder.

mod close;
mod holder_died;
mod kill;
mod leftovers;
mod owner;
mod past;
mod signal;
mod success;
mod task;

pub(super) use leftovers::end_orphans;
pub(super) use owner::OwnerWanted;
pub(super) use past::MAX_PAST;
pub(super) use task::{CLOSE_GRACE, run, signal_group, sleep_until};
