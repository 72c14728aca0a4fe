//! Writes and removes files of the work tree.

use crate::WorkTree;
use crate::snapshot::{GITLINK_MODE, is_missing};
use git2::build::CheckoutBuilder;
use git2::{Index, Repository};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{OpenOptionsExt as _, symlink};
use std::path::{Path, PathBuf};

/// The folder in the git folder of the work tree where files are made. It is there only meanwhile.
const STAGING: &str = "ccd-stash";

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
    ///
    /// The files are made elsewhere and then moved: a process that is killed leaves each path as it was, as it is to be,
    /// or empty, and a full disk is noticed first.
    pub(crate) fn rewrite(
        &self,
        repository: &Repository,
        target: &mut Index,
        paths: &[PathBuf],
    ) -> Result<(), git2::Error> {
        let (present, missing): (Vec<&PathBuf>, Vec<_>) = paths
            .iter()
            .partition(|path| target.get_path(path, 0).is_some());
        let present: Vec<&PathBuf> = present
            .into_iter()
            .filter(|path| {
                let entry = target.get_path(path, 0);
                entry.is_some_and(|entry| entry.mode != GITLINK_MODE)
            })
            .collect();
        let folder = self.git_dir.join(STAGING);
        self.remove_staging();
        std::fs::create_dir(&folder).map_err(|error| failed(&folder, &error))?;
        make_files(repository, target, &present, &folder)?;
        // First what goes: a file may get the name of a folder.
        for path in missing {
            self.remove(path).map_err(|error| failed(path, &error))?;
        }
        for path in present {
            self.put(&folder.join(path), path)
                .map_err(|error| failed(path, &error))?;
        }
        std::fs::remove_dir_all(&folder).map_err(|error| failed(&folder, &error))
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

    /// Removes what a killed process left; mostly nothing.
    pub(crate) fn remove_staging(&self) {
        let _ = std::fs::remove_dir_all(self.git_dir.join(STAGING));
    }

    /// Moves a file or link to its place.
    fn put(&self, from: &Path, path: &Path) -> io::Result<()> {
        let full = self.root.join(path);
        if is_folder(&full) {
            // What is left of a folder has no files any more.
            std::fs::remove_dir_all(&full)?;
        }
        if let Some(parent) = full.parent() {
            std::fs::create_dir_all(parent)?;
        }
        match std::fs::rename(from, &full) {
            // A linked work tree may be on another disk than its git folder.
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                if full.symlink_metadata().is_ok() {
                    std::fs::remove_file(&full)?;
                }
                match std::fs::read_link(from) {
                    Ok(link) => symlink(link, full),
                    Err(_) => std::fs::copy(from, full).map(drop),
                }
            }
            other => other,
        }
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

/// Makes the files of `target` at `paths` in an empty folder.
fn make_files(
    repository: &Repository,
    target: &mut Index,
    paths: &[&PathBuf],
    folder: &Path,
) -> Result<(), git2::Error> {
    let mut checkout = CheckoutBuilder::new();
    checkout
        .target_dir(folder)
        .force()
        .recreate_missing(true)
        .update_index(false)
        .disable_pathspec_match(true);
    let head = repository.head().and_then(|head| head.peel_to_tree()).ok(); // none on an unborn branch
    let mut is_empty = true;
    for path in paths {
        let Some(entry) = target.get_path(path, 0) else {
            continue;
        };
        let was = head.as_ref().and_then(|head| head.get_path(path).ok());
        // libgit2 writes nothing where the type is not that in `HEAD` and the disk has nothing.
        if entry.mode == LINK_MODE || !was.is_none_or(|entry| is_file(entry.filemode())) {
            let blob = repository.find_blob(entry.id)?;
            write(&folder.join(path), blob.content(), entry.mode)
                .map_err(|error| failed(path, &error))?;
        } else {
            checkout.path(path.as_path());
            is_empty = false;
        }
    }
    // Without a path it would be the whole tree.
    match is_empty {
        true => Ok(()),
        false => repository.checkout_index(Some(target), Some(&mut checkout)),
    }
}

/// Writes a new link, or a new file as it is stored, without filters.
fn write(full: &Path, content: &[u8], mode: u32) -> io::Result<()> {
    if let Some(parent) = full.parent() {
        std::fs::create_dir_all(parent)?;
    }
    if mode == LINK_MODE {
        return symlink(OsStr::from_bytes(content), full);
    }
    let mut options = std::fs::OpenOptions::new();
    options
        .write(true)
        .create_new(true)
        // As git does: the umask takes away what nobody may have.
        .mode(if mode & 0o100 == 0 { 0o666 } else { 0o777 });
    options.open(full)?.write_all(content)
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
