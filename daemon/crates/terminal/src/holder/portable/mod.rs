//! The holder's interfaces to systems other than Linux: select, pipes, SIGCHLD, and fork.
//! `linux` has the same items. On Linux the feature `portable` selects this directory, so that its code is tested.

mod event;
mod kept_file;
mod memory_file;
mod packets;
mod poller;
mod signals;

pub(super) use super::fork_exec::on_terminal;
pub(super) use event::WakeEvent;
pub use kept_file::KeptFile;
pub(super) use memory_file::memory_file;
pub(super) use packets::{kind_of, receive, report_flushes};
pub(super) use poller::Poller;
pub(super) use signals::ChildSignals;
pub use signals::claim_children;
