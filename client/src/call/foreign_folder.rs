//! Directories of other users above a path: they keep this user out, and this user cannot change their mode.

use rustix::fs::{Access, access};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// A directory of another user that this one may not enter.
#[derive(Debug, thiserror::Error)]
#[error("the directory {} belongs to user {owner}, not to user {us}", .path.display())]
pub(crate) struct ForeignFolder {
    path: PathBuf,
    owner: u32,
    us: u32,
}

impl ForeignFolder {
    /// Returns the first one on the way to `path`.
    pub(crate) fn above(path: &Path) -> Option<Self> {
        let us = rustix::process::geteuid().as_raw();
        let folders: Vec<&Path> = path.ancestors().skip(1).collect();
        let closed = folders.into_iter().rev().find_map(|folder| {
            // Whose a directory is can be read even if it is closed.
            let owner = folder.metadata().ok()?.uid();
            access(folder, Access::EXEC_OK)
                .is_err()
                .then_some((folder, owner))
        });
        let (path, owner) = closed.filter(|(_, owner)| *owner != us)?;
        Some(Self {
            path: path.to_owned(),
            owner,
            us,
        })
    }
}
