//! The holder owns every terminal: it starts the programs, reads their output into shared rings, and reaps them.
//! It is one thread that does not know the protocol or the log. Everything else is up to the worker: it reads the
//! rings, writes to the terminals, and serves the clients.

mod descriptors;
mod error;
mod floods;
mod fork_exec;
mod handle;
#[cfg(not(portable))]
mod hold;
#[cfg(not(portable))]
mod join;
mod launch;
mod lent;
mod link;
mod outlive;
mod packet;
mod path_bytes;
#[cfg_attr(portable, path = "portable/mod.rs")]
#[cfg_attr(not(portable), path = "linux/mod.rs")]
mod platform;
mod processes;
mod reader;
mod resolve;
mod ring;
mod slot_set;
mod slots;
mod source;
#[cfg_attr(portable, path = "no_worker.rs")]
mod supervise;
mod terminal;
mod umask;

pub use descriptors::{DescriptorLimits, raise_descriptor_limit};
pub use error::SpawnError;
pub use handle::{Adopted, AtWork, Holder, HolderNews, Spawned};
#[cfg(not(portable))]
pub use hold::{Held, hold};
#[cfg(not(portable))]
pub use join::{Welcomed, join};
pub use lent::{LentRead, LentTerminal};
#[cfg(feature = "fuzzing")]
pub use link::port::messages_in;
pub(crate) use link::port::{Port, blob, read_blob, send_over};
pub use link::wake::NewsReceiver;
pub use link::wire::{HandOver, HandoverCause, SpawnSpec, VERSION as WIRE_VERSION};
pub use outlive::{outlive_file_limit, outlive_signals};
#[cfg(not(portable))]
pub use platform::hear_signals;
pub use platform::{KeptFile, claim_children};
#[cfg(not(portable))]
use processes::set_holder;
pub use processes::{
    Frozen, Leader, Process, ProcessTable, ProcessTables, SESSION_VARIABLE, Traces, holder_pid,
    is_daemon, kill_below, name_daemon, signal_all, signal_frozen,
};
pub use resolve::{c_string, resolve};
pub use ring::layout::{Gap, VERSION as RING_VERSION};
pub use ring::{Exit, Ring, RingError};
#[cfg(not(portable))]
pub use supervise::DaemonEnd;
pub use umask::{make_files_private, with_mask};

#[cfg(test)]
mod tests;
