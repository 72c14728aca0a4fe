//! Output on its way from the ring to readers and to the log.

mod logger;
mod pump;
mod read;
mod streams;
mod thread;

pub(crate) use logger::{Logger, SessionLog};
pub(crate) use read::wait_for_published;
pub(crate) use streams::Streams;
