//! Runs of the executor: a repository, a Claude Code or its stand-in, and a daemon that runs it.

mod api;
mod claude;
mod executor;
mod repository;
mod state;

pub(crate) use api::{bash, tool};
pub(crate) use claude::Claude;
pub(crate) use executor::{Executor, Ran};
pub(crate) use repository::{COMMITTED, Repository};
