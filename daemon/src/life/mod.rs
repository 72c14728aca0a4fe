//! The life of the process: one daemon per socket and base directory, its parts, which are started in order and stopped
//! in reverse, the service manager, and signals.

mod args;
mod error;
#[cfg(any(target_os = "macos", test))]
mod launchd;
mod lock;
mod locks_and_socket;
mod prepare;
mod run;
mod service;
mod serving;
mod shutdown;
mod socket;
mod terminals;
mod thread;
mod wiring;

pub(crate) use args::Args;
pub(crate) use error::{StartError, system};
pub(crate) use lock::LockError;
pub(crate) use locks_and_socket::LocksAndSocket;
pub(crate) use prepare::{load_config, prepare};
pub(crate) use run::serve;
pub(crate) use terminals::Terminals;
