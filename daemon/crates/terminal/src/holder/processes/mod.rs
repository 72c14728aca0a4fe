//! Processes of this machine: which of them belong to a session, and their signals.

#[cfg(target_os = "linux")]
mod environment;
#[cfg_attr(portable, path = "freeze_portable.rs")]
mod freeze;
mod process;
mod root;
mod table;

pub use freeze::{Frozen, freeze_below, signal_frozen};
pub use process::{Process, is_daemon, name_daemon, signal_all};
pub use root::holder_pid;
#[cfg(not(portable))]
pub(super) use root::set_holder;
pub use table::{ProcessTable, ProcessTables, SESSION_VARIABLE};
