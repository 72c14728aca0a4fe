//! What is dirty in a work tree.

use crate::WorkTree;
use crate::error::Result;
use crate::snapshot::{as_path, is_left_out};
use git2::{Status, StatusOptions};
use std::path::PathBuf;

/// A path that is not as in `HEAD`. More than one of the flags may be set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Relative to the top directory, with the exact bytes; `to_string_lossy` is for people. A nested repository is one
    /// path without what is in it.
    pub path: PathBuf,
    /// The index differs from `HEAD`.
    pub is_staged: bool,
    /// The work tree differs from the index, or has an unresolved conflict.
    pub is_modified: bool,
    pub is_untracked: bool,
}

impl WorkTree {
    /// Returns everything dirty that is not ignored, in git's order. A submodule counts as `git status` counts it.
    /// Programs of filters (Git LFS) are not run: a file of a filter whose time or length is not as in the index counts
    /// as modified, whatever its content.
    pub fn changes(&self) -> Result<Vec<Change>> {
        let repository = self.open()?;
        let index = repository.index().map_err(|error| self.git(error))?;
        let mut options = StatusOptions::new();
        options
            .include_untracked(true)
            .recurse_untracked_dirs(true)
            .include_ignored(false);
        let statuses = repository
            .statuses(Some(&mut options))
            .map_err(|error| self.git(error))?;
        let mut changes = Vec::new();
        for entry in statuses.iter() {
            let path = entry.path_bytes();
            let path = as_path(path.strip_suffix(b"/").unwrap_or(path));
            let status = entry.status();
            let is_modified = status.intersects(MODIFIED)
                || (status.contains(Status::WT_DELETED) && !is_left_out(&index, path));
            let change = Change {
                path: path.to_owned(),
                is_staged: status.intersects(STAGED),
                is_modified,
                is_untracked: status.contains(Status::WT_NEW),
            };
            if change.is_staged || change.is_modified || change.is_untracked {
                changes.push(change);
            }
        }
        Ok(changes)
    }
}

const STAGED: Status = Status::INDEX_NEW
    .union(Status::INDEX_MODIFIED)
    .union(Status::INDEX_DELETED)
    .union(Status::INDEX_RENAMED)
    .union(Status::INDEX_TYPECHANGE);

const MODIFIED: Status = Status::WT_MODIFIED
    .union(Status::WT_TYPECHANGE)
    .union(Status::WT_RENAMED)
    .union(Status::CONFLICTED);
