//! Git repositories: whose directory it is, commits without touching the work tree, and what a run changes in one. Only
//! this crate knows git2.
//!
//! For a run: [`WorkTree::find`] the work tree, take its [`Lock`], look at [`WorkTree::changes`], take a
//! [`WorkTree::snapshot`] before and after, and compare them with [`WorkTree::diff`] and [`WorkTree::commits`].
//! Everything blocks.

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "tests fail by panicking"))]

mod branch;
mod changes;
mod commits;
mod diff;
mod error;
mod identity;
mod lock;
mod patch;
#[cfg(test)]
mod random_tests;
mod restore;
mod rewrite;
mod snapshot;
#[cfg(test)]
mod snapshot_tests;
mod stash;
#[cfg(test)]
mod stash_tests;
#[cfg(test)]
mod test_repository;
mod work_tree;

pub use branch::{BranchError, commit_file};
pub use changes::Change;
pub use commits::COMMITS_LEN;
pub use diff::DIFF_LEN;
pub use error::{RepositoryError, name_paths};
pub use identity::{Identity, identify};
pub use lock::{Holder, LOCK_FILE, Lock, LockError};
pub use patch::{FileChange, FileStatus, files};
pub use work_tree::WorkTree;
