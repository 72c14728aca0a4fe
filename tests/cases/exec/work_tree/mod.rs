//! The repository before a run, and what the run changed in it.

mod bad_repository;
mod changes;
pub(super) mod dirty;
mod fresh;
mod history;
mod hostile;
mod nested;
