//! Git repositories: the project of a directory, commits without touching the work tree, and what a run changes in one. Only
//! this crate knows git2.
//! For a run: [`WorkTree::find`] the work tree, take its [`Lock`], look at [`WorkTree::changes`], take a
//! [`WorkTree::snapshot`] before and after, and compare them with [`WorkTree::diff`] and [`WorkTree::commits`]. A dirty
//! work tree can be put aside: [`WorkTree::stash_save`], [`WorkTree::stash_clean`], [`WorkTree::stash_restore`].
//! [`WorkTree::apply`] repeats the changes of a run.
//! Everything blocks. No program of the user's configuration is run: no hook, filter, text conversion or external diff.
//!
//! Layers, top first; none uses one before it: `changes`, `linked`, `stash`, `state` → `apply`, `commits`, `diff`,
//! `ignored`, `lock`, `nested`, `past`, `program`, `snapshot` → `work_tree`, `branch`, `identity` → `open` → `error`, `owner`,
//! `patch`.

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "tests fail by panicking"))]

mod apply;
mod branch;
mod changes;
mod commits;
mod diff;
mod error;
mod identity;
mod ignored;
mod linked;
mod lock;
mod nested;
mod open;
mod owner;
mod past;
mod patch;
mod program;
mod snapshot;
mod stash;
mod state;
#[cfg(test)]
mod test_repository;
#[cfg(test)]
mod tests;
mod work_tree;

pub use branch::{BranchError, commit_file};
pub use error::{RepositoryError, name_paths};
pub use identity::{Identity, identify};
pub use ignored::IgnoreRules;
pub use linked::NewLinked;
pub use lock::{Lock, LockError};
pub use nested::Nested;
pub use owner::distrust;
pub use past::PastCommit;
pub use patch::{FileChange, files};
pub use state::CommitsSince;
pub use work_tree::WorkTree;
