//! Runs of Claude Code: the executor.

mod bad_claude;
mod bad_repository;
mod captured;
mod changes;
mod client;
mod conversations;
mod desk;
mod dirty;
mod headless;
mod limits;
mod policy_claude;
mod policy_hook;
mod queue;
mod real;
mod restart;
mod settings;
mod tape;
