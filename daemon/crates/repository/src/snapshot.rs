//! The state of a work tree as a tree of the object database.

use crate::WorkTree;
use crate::error::{GitResult, RepositoryError, Result};
use crate::open::open;
use git2::{Delta, DiffOptions, Index, IndexEntry, IndexTime, ObjectType, Oid, Repository};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Files up to this length pass through git's built-in filters (line ends, `ident`), which hold them in memory. Longer
/// ones are streamed as they are.
const FILTERED_LEN: u64 = 32 << 20;

/// Flags of an index entry, see gitformat-index(5), section "extended".
const INTENT_TO_ADD: u16 = 1 << 13;
const SKIP_WORKTREE: u16 = 1 << 14;
pub(crate) const GITLINK_MODE: u32 = 0o160_000;

impl WorkTree {
    /// Returns the id of a tree that is `HEAD` plus everything dirty or untracked that is not ignored.
    /// Only objects are written: index, references and stash stay as they are, so a `git gc --prune=now` removes the
    /// tree. An `index.lock` of somebody else does not matter. Files whose times and lengths match the index are not
    /// read again.
    /// Programs of filters (Git LFS) are not run: a pointer file stays a pointer; a changed file of a filter is stored
    /// as it is in the work tree. A submodule or a nested repository is the id of its commit; a nested repository
    /// without a commit is left out. A conflicted file is its text in the work tree.
    pub fn snapshot(&self) -> Result<String> {
        Ok(self.snapshot_and_repositories()?.0)
    }

    /// Returns the snapshot, and the paths of the repositories inside the work tree.
    pub(crate) fn snapshot_and_repositories(&self) -> Result<(String, BTreeSet<PathBuf>)> {
        let repository = self.open()?;
        let mut index = self.read_index(&repository)?;
        let dirty = self.dirty(&repository, &index)?;
        self.add_all(&repository, &mut index, &dirty)?;
        let tree = index
            .write_tree()
            .map_err(|error| self.not_written(error))?;
        let links = index.iter().filter(|entry| entry.mode == GITLINK_MODE);
        let mut repositories: BTreeSet<PathBuf> =
            links.map(|entry| as_path(&entry.path).to_owned()).collect();
        // One without a commit has no entry.
        let directories = dirty.into_iter().map(|dirty| dirty.path);
        repositories.extend(directories.filter(|path| self.root.join(path).is_dir()));
        Ok((tree.to_string(), repositories))
    }

    /// Returns the index, to be changed in memory only. Without files that are only marked to be added: they have no
    /// content there, and so are untracked.
    pub(crate) fn read_index(&self, repository: &Repository) -> Result<Index> {
        let git = |error| self.git(error);
        let mut index = repository.index().map_err(git)?;
        let marked: Vec<Vec<u8>> = index
            .iter()
            .filter(|entry| entry.flags_extended & INTENT_TO_ADD != 0)
            .map(|entry| entry.path)
            .collect();
        for path in marked {
            index.remove(as_path(&path), 0).map_err(git)?;
        }
        Ok(index)
    }

    /// Returns the paths at which the work tree differs from `index`.
    pub(crate) fn dirty(&self, repository: &Repository, index: &Index) -> Result<Vec<Dirty>> {
        let mut options = DiffOptions::new();
        options
            .include_untracked(true)
            .recurse_untracked_dirs(true)
            .include_typechange(true);
        let diff = repository
            .diff_index_to_workdir(Some(index), Some(&mut options))
            .map_err(|error| self.git(error))?;
        let mut dirty = Vec::new();
        for delta in diff.deltas() {
            let file = match delta.status() {
                Delta::Deleted => delta.old_file(),
                _ => delta.new_file(),
            };
            let path = file.path_bytes().unwrap_or_default();
            // A nested repository is reported as a directory.
            let path = as_path(path.strip_suffix(b"/").unwrap_or(path)).to_owned();
            // A sparse checkout leaves files out on purpose.
            if delta.status() == Delta::Deleted && is_left_out(index, &path) {
                continue;
            }
            dirty.push(Dirty {
                path,
                is_deleted: delta.status() == Delta::Deleted,
                is_untracked: delta.status() == Delta::Untracked,
            });
        }
        Ok(dirty)
    }

    /// Makes `index` have what the work tree has at the dirty paths.
    pub(crate) fn add_all<'a>(
        &self,
        repository: &Repository,
        index: &mut Index,
        dirty: impl IntoIterator<Item = &'a Dirty>,
    ) -> Result<()> {
        let mut present = Vec::new();
        for Dirty {
            path, is_deleted, ..
        } in dirty
        {
            // Not looked up: a parent of a deleted file may be a link to where there is one.
            let found = if *is_deleted {
                Err(io::ErrorKind::NotFound.into())
            } else {
                self.root.join(path).symlink_metadata()
            };
            match found {
                Ok(metadata) => present.push((path, metadata)),
                Err(error) if is_missing(&error) => {
                    index.remove_path(path).map_err(|error| self.git(error))?;
                }
                Err(source) => return Err(unreadable(path, source)),
            }
        }
        // Only now: a new directory may have the name of a removed file, and the other way round.
        for (path, metadata) in present {
            if metadata.is_dir() {
                self.add_repository(index, path)?;
            } else if metadata.is_symlink() || metadata.is_file() {
                self.add_file(repository, index, path, &metadata)?;
            }
        }
        Ok(())
    }

    fn add_repository(&self, index: &mut Index, path: &Path) -> Result<()> {
        let git = |error| self.git(error);
        let head = || {
            let nested = open(&self.root.join(path)).ok()?;
            Some(nested.head().ok()?.peel_to_commit().ok()?.id())
        };
        match head() {
            Some(head) => {
                index.remove_path(path).map_err(git)?;
                index.add(&entry(path, head, GITLINK_MODE)).map_err(git)
            }
            // A plain directory where a file or a submodule was, or a repository without a commit.
            None => match index.get_path(path, 0) {
                Some(known) if known.mode != GITLINK_MODE => index.remove_path(path).map_err(git),
                _ => Ok(()),
            },
        }
    }

    fn add_file(
        &self,
        repository: &Repository,
        index: &mut Index,
        path: &Path,
        metadata: &Metadata,
    ) -> Result<()> {
        let git = |error| self.git(error);
        if metadata.is_symlink() || metadata.len() <= FILTERED_LEN {
            match index.add_path(path) {
                Ok(()) => return Ok(()),
                Err(error) if metadata.is_symlink() => return Err(self.not_written(error)),
                // Mostly `core.safecrlf`, which refuses line ends that would not come back: store the file as it is.
                Err(_) => {}
            }
        }
        let Some((blob, mode)) = self.stream(repository, index, path, metadata)? else {
            return index.remove_path(path).map_err(git);
        };
        index.remove_path(path).map_err(git)?;
        index.add(&entry(path, blob, mode)).map_err(git)
    }

    /// Writes a file to the object database, in constant memory. Returns nothing if the file is gone meanwhile.
    fn stream(
        &self,
        repository: &Repository,
        index: &Index,
        path: &Path,
        metadata: &Metadata,
    ) -> Result<Option<(Oid, u32)>> {
        let mut file = match File::open(self.root.join(path)) {
            Ok(file) => file,
            Err(error) if is_missing(&error) => return Ok(None),
            Err(source) => return Err(unreadable(path, source)),
        };
        let len = usize::try_from(metadata.len()).unwrap_or(usize::MAX);
        let odb = repository.odb().map_err(|error| self.git(error))?;
        let mut writer = odb
            .writer(len, ObjectType::Blob)
            .map_err(|error| self.not_written(error))?;
        // An error here is one of reading, of a full disk, or of a file that changes its length.
        io::copy(&mut file, &mut writer).map_err(|source| unreadable(path, source))?;
        let blob = writer.finalize().map_err(|error| self.not_written(error))?;
        let known = index.get_path(path, 0).map(|entry| entry.mode);
        let trusts_mode = repository
            .config()
            .and_then(|config| config.get_bool("core.filemode"))
            .unwrap_or(true);
        let is_executable = match known {
            Some(mode) if !trusts_mode => mode & 0o100 != 0,
            _ => trusts_mode && metadata.permissions().mode() & 0o100 != 0,
        };
        Ok(Some((
            blob,
            if is_executable { 0o100_755 } else { 0o100_644 },
        )))
    }
}

/// A path at which the work tree differs from the index.
#[derive(Debug)]
pub(crate) struct Dirty {
    pub path: PathBuf,
    pub is_deleted: bool,
    pub is_untracked: bool,
}

pub(crate) fn as_path(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}

/// Says whether a sparse checkout leaves `path` out.
pub(crate) fn is_left_out(index: &Index, path: &Path) -> bool {
    let entry = index.get_path(path, 0);
    entry.is_some_and(|entry| entry.flags_extended & SKIP_WORKTREE != 0)
}

/// Returns whether there is nothing at the path of the error.
pub(crate) fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

fn unreadable(path: &Path, source: io::Error) -> RepositoryError {
    RepositoryError::NotReadable {
        path: path.to_owned(),
        source,
    }
}

/// Returns an entry that git compares by content, because it has no times.
pub(crate) fn entry(path: &Path, id: Oid, mode: u32) -> IndexEntry {
    IndexEntry {
        ctime: IndexTime::new(0, 0),
        mtime: IndexTime::new(0, 0),
        dev: 0,
        ino: 0,
        mode,
        uid: 0,
        gid: 0,
        file_size: 0,
        id,
        flags: 0,
        flags_extended: 0,
        path: path.as_os_str().as_bytes().to_vec(),
    }
}

/// Returns the paths in conflict, or nothing if there are none.
pub(crate) fn conflicts(index: &Index) -> GitResult<Option<Vec<PathBuf>>> {
    if !index.has_conflicts() {
        return Ok(None);
    }
    let mut paths = Vec::new();
    for conflict in index.conflicts()? {
        let conflict = conflict?;
        let entry = conflict.our.or(conflict.their).or(conflict.ancestor);
        paths.extend(entry.map(|entry| as_path(&entry.path).to_owned()));
    }
    paths.sort_unstable();
    paths.dedup();
    Ok(Some(paths))
}
