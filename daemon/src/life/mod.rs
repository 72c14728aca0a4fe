//! The life of the process: one daemon per socket and base directory, its parts, which are started in order and stopped
//! in reverse, the service manager, and signals.

mod args;
#[cfg(any(target_os = "macos", test))]
mod launchd;
mod lock;
mod run;
mod service;
mod serving;
mod shutdown;
mod socket;
mod terminals;
mod wiring;

pub(crate) use args::Args;
pub(crate) use lock::LockError;
pub(crate) use run::{LocksAndSocket, StartError, load_config, prepare, serve};
pub(crate) use terminals::Terminals;
