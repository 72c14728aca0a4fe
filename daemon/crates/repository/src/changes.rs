//! What is dirty in a work tree.

use crate::WorkTree;
use crate::error::Result;
use crate::snapshot::{as_path, is_left_out};
use git2::{Status, StatusOptions};
use std::path::PathBuf;

impl WorkTree {
    /// Returns the paths of everything dirty that is not ignored, in git's order, relative to the top directory and with the
    /// exact bytes; `to_string_lossy` is for people. A submodule counts as `git status` counts it. A nested repository is one
    /// path without what is in it.
    /// Programs of filters (Git LFS) are not run: a file of a filter whose time or length is not as in the index counts
    /// as modified, whatever its content.
    pub fn changes(&self) -> Result<Vec<PathBuf>> {
        self.with(|repository| {
            let index = repository.index()?;
            let mut options = StatusOptions::new();
            options
                .include_untracked(true)
                .recurse_untracked_dirs(true)
                .include_ignored(false);
            let mut changes = Vec::new();
            for entry in repository.statuses(Some(&mut options))?.iter() {
                let path = entry.path_bytes();
                let path = as_path(path.strip_suffix(b"/").unwrap_or(path));
                let mut status = entry.status();
                if status.contains(Status::WT_DELETED) && is_left_out(&index, path) {
                    status.remove(Status::WT_DELETED);
                }
                if !status.difference(Status::IGNORED).is_empty() {
                    changes.push(path.to_owned());
                }
            }
            Ok(changes)
        })
    }
}
