//! Writes and removes files of the work tree.

use super::commit::Stash;
use crate::WorkTree;
use crate::error::GitResult;
use crate::snapshot::{GITLINK_MODE, is_missing};
use git2::build::CheckoutBuilder;
use git2::{Index, Repository};
use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, UTIME_NOW, utimensat};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

/// The folder in the git folder of the work tree with everything that a stash needs there. It is removed with the stash.
const FOLDER: &str = "ccd-stash";

/// The folder in it where files are made.
const MADE: &str = "made";

const LINK_MODE: u32 = 0o120_000;

impl WorkTree {
    /// Returns the parent of `path` that is a file or a link, if there is one: nothing is at `path` then, whatever the
    /// link leads to.
    pub(crate) fn blocking_parent<'a>(&self, path: &'a Path) -> Option<&'a Path> {
        parents(path).find(|parent| is_file_at(&self.root.join(parent)))
    }

    /// Makes the work tree have what `target` has at `paths`: nothing is merged and nothing else is touched.
    /// Submodules stay as they are. The files that are there are moved to the folder of the stash `id`, so that
    /// [`Self::put_back`] restores them with their permissions and to the byte.
    /// New files are made elsewhere and then moved: a process that is killed leaves each path as it was, as it is to be,
    /// or empty, and a full disk is noticed first.
    pub(crate) fn put_aside(
        &self,
        repository: &Repository,
        target: &mut Index,
        paths: &[PathBuf],
        id: &str,
    ) -> GitResult<()> {
        let (present, missing) = split(target, paths);
        let kept = self.kept_folder(id);
        let made = self.make(repository, target, &present)?;
        std::fs::create_dir_all(&kept).map_err(failed(&kept))?;
        for path in paths {
            self.keep_folders(&kept, path).map_err(failed(path))?;
        }
        let keep = |path: &Path| {
            if is_file_at(&self.root.join(path)) && self.blocking_parent(path).is_none() {
                move_file(&self.root, &kept, path)
            } else {
                // deleted, or a nested repository or submodule
                Ok(())
            }
        };
        // First what goes: a file may get the name of a folder.
        for path in missing {
            keep(path)
                .and_then(|()| self.remove(path))
                .map_err(failed(path))?;
        }
        for path in present {
            keep(path)
                .and_then(|()| self.put(&made, path))
                .map_err(failed(path))?;
        }
        self.remove_made();
        Ok(())
    }

    /// Makes the work tree have what `target` has at `paths`, as [`Self::put_aside`] does. Files that are to be as they were
    /// come from the folder of the stash. They get a new time, so that build tools notice that they differ from what a
    /// run has just built.
    pub(crate) fn put_back(
        &self,
        repository: &Repository,
        target: &mut Index,
        paths: &[PathBuf],
        stash: &Stash<'_>,
    ) -> GitResult<()> {
        let (present, missing) = split(target, paths);
        let folder = self.kept_folder(&stash.id);
        let (kept, others): (Vec<&PathBuf>, Vec<&PathBuf>) =
            present.into_iter().partition(|path| {
                let entry = target.get_path(path, 0);
                let is_merged =
                    entry.map(|entry| (entry.id, entry.mode)) != stash.files.lookup(path);
                !is_merged && self.is_kept(stash, path)
            });
        let made = self.make(repository, target, &others)?;
        for path in missing {
            self.remove(path).map_err(failed(path))?;
        }
        for path in kept {
            self.put(&folder, path)
                .and_then(|()| renew_time(&self.root.join(path)))
                .map_err(failed(path))?;
        }
        for path in others {
            self.put(&made, path).map_err(failed(path))?;
        }
        self.remove_made();
        Ok(())
    }

    /// Makes the folders again that the work tree had when the stash was put aside: git knows of none that is empty.
    pub(crate) fn put_folders_back(&self, stash: &Stash<'_>) -> GitResult<()> {
        let kept = self.kept_folder(&stash.id);
        make_folders(&kept, &self.root, Path::new("")).map_err(failed(&kept))
    }

    /// Makes the folders that lead to `path`, and those in it, in the folder of the stash.
    fn keep_folders(&self, kept: &Path, path: &Path) -> io::Result<()> {
        if self.blocking_parent(path).is_some() {
            return Ok(());
        }
        for parent in parents(path) {
            if !is_folder(&self.root.join(parent)) {
                return Ok(());
            }
            make_folder(&self.root, kept, parent)?;
        }
        let full = self.root.join(path);
        // A nested repository or submodule stays where it is.
        if !is_folder(&full) || full.join(".git").symlink_metadata().is_ok() {
            return Ok(());
        }
        make_folders(&self.root, kept, path)
    }

    /// Returns the paths of `target` among `paths` that [`Self::put_aside`] could not write without removing ignored files:
    /// a folder with such files, or one that is the parent of the path.
    pub(crate) fn blocked(&self, target: &Index, paths: &[PathBuf]) -> Vec<PathBuf> {
        let is_removed = |path: &&Path| target.get_path(path, 0).is_none();
        let removed = paths.iter().map(PathBuf::as_path).filter(is_removed);
        let removed: BTreeSet<&Path> = removed.collect();
        let is_blocked = |path: &&PathBuf| {
            let full = self.root.join(path);
            match (target.get_path(path, 0), self.blocking_parent(path)) {
                (None, _) => false,
                (Some(_), Some(parent)) => !removed.contains(parent),
                (Some(entry), None) => {
                    entry.mode != GITLINK_MODE
                        && is_folder(&full)
                        && !holds_only(&full, &self.root, &removed)
                }
            }
        };
        paths.iter().filter(is_blocked).cloned().collect()
    }

    /// Removes everything that [`Self::put_aside`] and [`Self::put_back`] keep in the git folder.
    pub(crate) fn remove_kept(&self) {
        let _ = std::fs::remove_dir_all(self.git_dir.join(FOLDER));
    }

    pub(crate) fn is_kept(&self, stash: &Stash<'_>, path: &Path) -> bool {
        is_file_at(&self.kept_folder(&stash.id).join(path))
    }

    fn kept_folder(&self, id: &str) -> PathBuf {
        self.git_dir.join(FOLDER).join(id)
    }

    /// Makes the files of `target` at `paths` in a folder, and returns it.
    fn make(
        &self,
        repository: &Repository,
        target: &mut Index,
        paths: &[&PathBuf],
    ) -> GitResult<PathBuf> {
        self.remove_made();
        let folder = self.git_dir.join(FOLDER).join(MADE);
        std::fs::create_dir_all(&folder).map_err(failed(&folder))?;
        make_files(repository, target, paths, &folder)?;
        Ok(folder)
    }

    fn remove_made(&self) {
        let _ = std::fs::remove_dir_all(self.git_dir.join(FOLDER).join(MADE));
    }

    fn put(&self, folder: &Path, path: &Path) -> io::Result<()> {
        let full = self.root.join(path);
        if is_folder(&full) {
            // What is left of a folder has no files any more.
            std::fs::remove_dir_all(&full)?;
        }
        move_file(folder, &self.root, path)
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

/// Returns the paths that `target` has, without submodules, and those that it does not have.
fn split<'a>(target: &Index, paths: &'a [PathBuf]) -> (Vec<&'a PathBuf>, Vec<&'a PathBuf>) {
    let (mut present, missing): (Vec<&PathBuf>, Vec<_>) = paths
        .iter()
        .partition(|path| target.get_path(path, 0).is_some());
    present.retain(|path| {
        let entry = target.get_path(path, 0);
        entry.is_some_and(|entry| entry.mode != GITLINK_MODE)
    });
    (present, missing)
}

/// Moves the file or link `path` from one folder to the same path in another, over what is there. Folders that are
/// missing get the permissions that they have in the first.
fn move_file(from: &Path, to: &Path, path: &Path) -> io::Result<()> {
    for parent in parents(path) {
        make_folder(from, to, parent)?;
    }
    let (old, new) = (from.join(path), to.join(path));
    match std::fs::rename(&old, &new) {
        // A linked work tree may be on another disk than its git folder.
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            if new.symlink_metadata().is_ok() {
                std::fs::remove_file(&new)?;
            }
            match std::fs::read_link(&old) {
                Ok(link) => symlink(link, &new)?,
                Err(_) => std::fs::copy(&old, &new).map(drop)?,
            }
            std::fs::remove_file(old)
        }
        other => other,
    }
}

/// Makes the folder `path` of one folder in another, with its permissions, unless something is there.
fn make_folder(from: &Path, to: &Path, path: &Path) -> io::Result<()> {
    let new = to.join(path);
    match new.symlink_metadata() {
        Err(error) if is_missing(&error) => {
            let permissions = from.join(path).metadata()?.permissions();
            // At once, as far as the umask allows: the process may be killed before the next step.
            let mode = permissions.mode() & 0o7777;
            std::fs::DirBuilder::new().mode(mode).create(&new)?;
            std::fs::set_permissions(&new, permissions)
        }
        found => found.map(drop),
    }
}

/// Makes `path` and all folders in it, as [`make_folder`] does; not below something else that is there.
fn make_folders(from: &Path, to: &Path, path: &Path) -> io::Result<()> {
    let here = from.join(path);
    if !is_folder(&here) {
        return Ok(());
    }
    make_folder(from, to, path)?;
    if !is_folder(&to.join(path)) {
        return Ok(());
    }
    for entry in std::fs::read_dir(here)? {
        make_folders(from, to, &path.join(entry?.file_name()))?;
    }
    Ok(())
}

fn renew_time(path: &Path) -> io::Result<()> {
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: UTIME_NOW,
    };
    let times = Timestamps {
        last_access: now,
        last_modification: now,
    };
    Ok(utimensat(CWD, path, &times, AtFlags::SYMLINK_NOFOLLOW)?)
}

/// Makes the files of `target` at `paths` in an empty folder.
fn make_files(
    repository: &Repository,
    target: &mut Index,
    paths: &[&PathBuf],
    folder: &Path,
) -> GitResult<()> {
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
            write(&folder.join(path), blob.content(), entry.mode).map_err(failed(path))?;
        } else {
            checkout.path(path.as_path());
            is_empty = false;
        }
    }
    // Without a path it would be the whole tree.
    if is_empty {
        Ok(())
    } else {
        repository.checkout_index(Some(target), Some(&mut checkout))
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

/// Makes a failure at `path` one of libgit2.
fn failed(path: &Path) -> impl Fn(io::Error) -> git2::Error {
    move |error| git2::Error::from_str(&format!("{}: {error}", path.display()))
}

fn is_file(mode: i32) -> bool {
    mode & 0o170_000 == 0o100_000
}

/// Returns the directories that `path` is in, the top one first.
fn parents(path: &Path) -> impl Iterator<Item = &Path> {
    let parents: Vec<&Path> = path.ancestors().skip(1).collect();
    parents.into_iter().rev()
}

/// Says whether there is a file, a link, or anything else but a folder.
fn is_file_at(path: &Path) -> bool {
    path.symlink_metadata()
        .is_ok_and(|metadata| !metadata.is_dir())
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
