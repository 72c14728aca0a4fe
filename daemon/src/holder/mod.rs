//! The holder owns every terminal: it starts the programs, reads what they print into shared rings and reaps them.
//!
//! It is one thread that knows neither the protocol nor the log. Everything else is the worker's: it takes from the
//! rings, writes to the terminals, and tells the clients.

mod descriptors;
mod error;
mod handle;
#[cfg(target_os = "linux")]
mod launch;
#[cfg(target_os = "linux")]
mod poller;
#[cfg(target_os = "linux")]
mod posix_spawn;
#[cfg(target_os = "linux")]
mod reader;
#[cfg(not(target_os = "linux"))]
#[path = "reader_unsupported.rs"]
mod reader;
mod resolve;
mod ring;
mod ring_file;
mod ring_layout;
#[cfg(target_os = "linux")]
mod signals;
#[cfg(target_os = "linux")]
mod slots;
#[cfg(target_os = "linux")]
mod terminal;
mod tree;
mod umask;
mod wake;

pub(crate) use descriptors::{DescriptorLimits, raise_descriptor_limit};
pub(crate) use error::SpawnError;
pub(crate) use handle::{Holder, SpawnSpec, Spawned};
pub(crate) use resolve::{c_string, resolve};
pub(crate) use ring::{Exit, Ring};
pub(crate) use ring_layout::Gap;
#[cfg(target_os = "linux")]
pub(crate) use signals::block_sigchld;
pub(crate) use tree::{Process, descendants, orphans, signal_all};
pub(crate) use umask::{Umask, make_files_private};
pub(crate) use wake::Wakes;

#[cfg(all(test, target_os = "linux"))]
mod tests;
