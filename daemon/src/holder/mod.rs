//! The holder owns every terminal: it starts the programs, reads what they print into shared rings and reaps them.
//!
//! It is one thread that knows neither the protocol nor the log. Everything else is the worker's: it takes from the
//! rings, writes to the terminals, and tells the clients.

mod board;
mod descriptors;
mod error;
mod floods;
mod handle;
mod launch;
#[cfg_attr(portable, path = "portable/mod.rs")]
#[cfg_attr(not(portable), path = "linux/mod.rs")]
mod platform;
mod port;
mod process;
mod process_table;
mod reader;
mod resolve;
mod ring;
mod ring_file;
mod ring_layout;
mod slot_set;
mod slots;
mod source;
mod terminal;
mod umask;
mod wake;
mod wire;

pub(crate) use descriptors::{DescriptorLimits, raise_descriptor_limit};
pub(crate) use error::SpawnError;
pub(crate) use handle::{Holder, HolderNews, Spawned};
pub(crate) use platform::claim_children;
pub(crate) use process::{Process, name_daemon, signal_all};
pub(crate) use process_table::{ProcessTable, ProcessTables, SESSION_VARIABLE};
pub(crate) use resolve::{c_string, resolve};
pub(crate) use ring::{Exit, Ring};
pub(crate) use ring_layout::Gap;
pub(crate) use umask::{Umask, make_files_private};
pub(crate) use wake::Wakes;
pub(crate) use wire::SpawnSpec;

#[cfg(test)]
mod tests;
