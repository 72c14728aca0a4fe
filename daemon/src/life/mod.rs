//! The life of the process: one daemon for a socket and a base folder, its parts started in order and taken down in reverse, the
//! service manager, signals.

mod args;
mod lock;
mod run;
mod service;
mod serving;
mod shutdown;
mod socket;

pub(crate) use args::Args;
pub(crate) use lock::LockError;
pub(crate) use run::{Ground, StartError, Terminals, prepare, serve};
