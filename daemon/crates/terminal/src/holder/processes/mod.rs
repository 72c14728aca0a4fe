//! Processes of this machine: which of them belong to a session, and their signals.

mod process;
mod root;
mod table;

pub use process::{Process, name_daemon, signal_all};
pub use root::holder_pid;
#[cfg(not(portable))]
pub(super) use root::set_holder;
pub use table::{ProcessTable, ProcessTables, SESSION_VARIABLE};
