//! The holder's Linux interfaces: epoll, eventfd, signalfd, and `posix_spawn` as in glibc.
//! `portable` has the same items for every other system.

mod event;
mod kept_file;
mod memory_file;
mod packets;
mod poller;
mod posix_spawn;
mod signals;
mod worker;

pub(super) use event::WakeEvent;
pub use kept_file::KeptFile;
pub(super) use memory_file::memory_file;
pub(super) use packets::{kind_of, receive, report_flushes};
pub(super) use poller::Poller;
pub(super) use posix_spawn::on_terminal;
pub(super) use signals::{AskingSignals, ChildSignals};
pub use signals::{claim_children, hear_signals};
pub(super) use worker::{PORT, start_worker};
