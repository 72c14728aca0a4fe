//! Processes of this machine: which of them belong to a session, and their signals.

#[cfg(target_os = "linux")]
mod environment;
#[cfg_attr(portable, path = "freeze_portable.rs")]
mod freeze;
mod kill;
mod process;
mod root;
mod table;
mod traces;

pub use freeze::{Frozen, signal_frozen};
#[cfg(not(portable))]
pub(super) use kill::end_descendants;
pub use kill::kill_below;
pub use process::{Process, is_daemon, name_daemon, signal_all};
pub use root::holder_pid;
#[cfg(not(portable))]
pub(super) use root::set_holder;
pub use table::{ProcessTable, ProcessTables};
pub use traces::{Leader, SESSION_VARIABLE, Traces};
