//! Output on its way from the ring to readers and to the log.

mod lent;
mod logger;
mod pump;
mod read;
mod streams;
mod thread;

pub(super) use logger::{Logger, SessionLog};
pub(super) use pump::LOST_RING;
pub use read::wait_for_published;
pub(super) use streams::Streams;
