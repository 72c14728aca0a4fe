//! Runs of Claude Code: the executor.

mod bad_claude;
mod bad_repository;
mod captured;
mod changes;
mod conversations;
mod dirty;
mod limits;
mod queue;
mod real;
mod restart;
mod settings;
