//! Writes and removes files of the work tree.

use crate::WorkTree;
use crate::snapshot::{GITLINK_MODE, is_missing};
use git2::build::CheckoutBuilder;
use git2::{Index, Repository};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

const LINK_MODE: u32 = 0o120_000;

impl WorkTree {
    /// Returns the parent of `path` that is a file or a link, if there is one: nothing is at `path` then, whatever the
    /// link leads to.
    pub(crate) fn blocking_parent<'a>(&self, path: &'a Path) -> Option<&'a Path> {
        let mut parents: Vec<&Path> = path.ancestors().skip(1).collect();
        parents.reverse();
        parents.into_iter().find(|parent| {
            let metadata = self.root.join(parent).symlink_metadata();
            metadata.is_ok_and(|metadata| !metadata.is_dir())
        })
    }

    /// Makes the work tree have what `target` has at `paths`: nothing is merged and nothing else is touched.
    /// Submodules stay as they are.
    pub(crate) fn rewrite(
        &self,
        repository: &Repository,
        target: &mut Index,
        paths: &[PathBuf],
    ) -> Result<(), git2::Error> {
        let mut checkout = CheckoutBuilder::new();
        checkout
            .force()
            .recreate_missing(true)
            .update_index(false)
            .disable_pathspec_match(true);
        let head = repository.head().and_then(|head| head.peel_to_tree()).ok(); // none on an unborn branch
        // First what goes: a file may get the name of a folder.
        let (present, missing): (Vec<_>, Vec<_>) = paths
            .iter()
            .map(|path| (path, target.get_path(path, 0)))
            .partition(|(_, entry)| entry.is_some());
        for (path, _) in missing {
            self.remove(path).map_err(|error| failed(path, &error))?;
        }
        let mut is_empty = true;
        for (path, entry) in present {
            let Some(entry) = entry.filter(|entry| entry.mode != GITLINK_MODE) else {
                continue;
            };
            // What is left of a folder has no files any more.
            if is_folder(&self.root.join(path)) {
                std::fs::remove_dir_all(self.root.join(path))
                    .map_err(|error| failed(path, &error))?;
            }
            let was = head.as_ref().and_then(|head| head.get_path(path).ok());
            if entry.mode == LINK_MODE || !was.is_none_or(|entry| is_file(entry.filemode())) {
                let blob = repository.find_blob(entry.id)?;
                self.write(path, blob.content(), entry.mode)
                    .map_err(|error| failed(path, &error))?;
                continue;
            }
            // libgit2 would write through a link.
            if self.root.join(path).is_symlink() {
                self.remove(path).map_err(|error| failed(path, &error))?;
            }
            checkout.path(path.as_path());
            is_empty = false;
        }
        // Without a path it would be the whole tree.
        match is_empty {
            true => Ok(()),
            false => repository.checkout_index(Some(target), Some(&mut checkout)),
        }
    }

    /// Returns the paths of `target` among `paths` that [`Self::rewrite`] could not write without removing ignored files:
    /// a folder with such files, or one that is the parent of the path.
    pub(crate) fn blocked(&self, target: &Index, paths: &[PathBuf]) -> Vec<PathBuf> {
        let (present, removed): (Vec<_>, Vec<_>) = paths
            .iter()
            .partition(|path| target.get_path(path, 0).is_some());
        let removed: BTreeSet<&Path> = removed.into_iter().map(PathBuf::as_path).collect();
        present
            .into_iter()
            .filter(|path| {
                let full = self.root.join(path);
                let entry = target.get_path(path, 0);
                match self.blocking_parent(path) {
                    Some(parent) => !removed.contains(parent),
                    None => {
                        entry.is_some_and(|entry| entry.mode != GITLINK_MODE)
                            && is_folder(&full)
                            && !holds_only(&full, &self.root, &removed)
                    }
                }
            })
            .cloned()
            .collect()
    }

    /// Writes a link, or a file as it is stored, without filters: libgit2 writes nothing where the type is not that in
    /// `HEAD` and the disk has nothing.
    fn write(&self, path: &Path, content: &[u8], mode: u32) -> io::Result<()> {
        let full = self.root.join(path);
        if let Some(parent) = full.parent() {
            std::fs::create_dir_all(parent)?;
        }
        if full.is_symlink() || full.is_file() {
            std::fs::remove_file(&full)?;
        }
        if mode == LINK_MODE {
            return std::os::unix::fs::symlink(OsStr::from_bytes(content), full);
        }
        let mut options = std::fs::OpenOptions::new();
        options
            .write(true)
            .create_new(true)
            // As git does: the umask takes away what nobody may have.
            .mode(if mode & 0o100 == 0 { 0o666 } else { 0o777 });
        options.open(full)?.write_all(content)
    }

    /// Removes a file and the directories that this leaves empty.
    fn remove(&self, path: &Path) -> io::Result<()> {
        if self.blocking_parent(path).is_some() {
            return Ok(());
        }
        let full = self.root.join(path);
        match full.symlink_metadata() {
            Ok(metadata) if metadata.is_dir() => return Ok(()), // a nested repository or submodule
            Ok(_) => std::fs::remove_file(&full)?,
            Err(error) if is_missing(&error) => {}
            Err(error) => return Err(error),
        }
        let folders = path.ancestors().skip(1);
        for folder in folders.filter(|folder| !folder.as_os_str().is_empty()) {
            if std::fs::remove_dir(self.root.join(folder)).is_err() {
                break;
            }
        }
        Ok(())
    }
}

fn failed(path: &Path, error: &io::Error) -> git2::Error {
    git2::Error::from_str(&format!("{}: {error}", path.display()))
}

fn is_file(mode: i32) -> bool {
    mode & 0o170_000 == 0o100_000
}

/// Says whether there is a folder, and no link to one.
fn is_folder(path: &Path) -> bool {
    path.symlink_metadata()
        .is_ok_and(|metadata| metadata.is_dir())
}

/// Says whether a folder contains only files that will be removed, and folders with such.
pub(crate) fn holds_only(folder: &Path, root: &Path, removed: &BTreeSet<&Path>) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return false;
    };
    entries.flatten().all(|entry| {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => holds_only(&path, root, removed),
            _ => path
                .strip_prefix(root)
                .is_ok_and(|path| removed.contains(path)),
        }
    })
}
