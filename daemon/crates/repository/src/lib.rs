//! Git repositories: whose directory it is, and commits without touching the work tree. Only this crate knows git2.

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "tests fail by panicking"))]

mod branch;
mod identity;
#[cfg(test)]
mod test_repository;

pub use branch::{BranchError, commit_file};
pub use identity::{Identity, identify};
