//! Gives back what was stashed, all of it or nothing.

use crate::WorkTree;
use crate::error::{NAMED_PATHS, RepositoryError, Result, name_paths};
use crate::snapshot::{GITLINK_MODE, as_path, is_missing};
use crate::stash::{Stash, State, changed_paths, conflicts, lookup, set_index};
use git2::build::CheckoutBuilder;
use git2::{Index, Oid, Repository, Tree};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

const LINK_MODE: u32 = 0o120_000;

impl WorkTree {
    /// Gives back what [`Self::stash_save`] saved as `id`, staged files staged and untracked ones untracked, and removes
    /// the stash from `git stash list`.
    ///
    /// What was committed meanwhile is merged with it. It may run in any process, and again after one that was killed in
    /// [`Self::stash_clean`] or here.
    ///
    /// # Errors
    ///
    /// `StashConflict` if a file that the stash contains was changed and not committed meanwhile, exists again, or
    /// cannot be merged: nothing is restored, the stash stays. `StashGone`, `IndexLocked`, `Unmerged`; those of
    /// [`Self::snapshot`].
    pub fn stash_restore(&self, id: &str) -> Result<()> {
        let mut repository = self.open()?;
        self.refuse_lock()?;
        let position = self.stash_position(id)?;
        let now = self.state()?;
        let stash = Stash::load(&repository, id).map_err(|error| self.git(error))?;
        if !is_restored(&repository, &stash, &now).map_err(|error| self.git(error))? {
            let conflict = |paths: &[PathBuf]| RepositoryError::StashConflict {
                root: self.root.clone(),
                id: id.to_owned(),
                position,
                paths: name_paths(paths, NAMED_PATHS),
            };
            let plan = Plan::new(&repository, &stash, &now).map_err(|error| self.git(error))?;
            let mut plan = plan.map_err(|paths| conflict(&paths))?;
            let obstacles = self
                .obstacles(&repository, &plan, &stash, &now)
                .map_err(|error| self.git(error))?;
            if !obstacles.is_empty() {
                return Err(conflict(&obstacles));
            }
            self.carry_out(&repository, &mut plan, &now)
                .map_err(|error| self.git(error))?;
        }
        drop(stash);
        repository
            .stash_drop(position)
            .map_err(|error| self.git(error))
    }

    fn carry_out(
        &self,
        repository: &Repository,
        plan: &mut Plan,
        now: &State,
    ) -> std::result::Result<(), git2::Error> {
        self.rewrite(repository, &mut plan.target, &plan.paths)?;
        let from = repository.find_tree(now.staged)?;
        set_index(repository, &from, &repository.find_tree(plan.staged)?)
    }

    /// Returns the paths of the plan at which the work tree has something that would be lost.
    fn obstacles(
        &self,
        repository: &Repository,
        plan: &Plan,
        stash: &Stash<'_>,
        now: &State,
    ) -> std::result::Result<Vec<PathBuf>, git2::Error> {
        let staged = repository.find_tree(now.staged)?;
        let tracked = repository.find_tree(now.tracked)?;
        let untracked = now
            .untracked
            .map(|id| repository.find_tree(id))
            .transpose()?;
        let removed: BTreeSet<&Path> = plan
            .paths
            .iter()
            .filter(|path| plan.target.get_path(path, 0).is_none())
            .map(PathBuf::as_path)
            .collect();
        let is_free = |path: &Path| {
            let present = lookup(&tracked, path).or_else(|| lookup(untracked.as_ref()?, path));
            let wanted = plan.target.get_path(path, 0);
            let wanted = wanted.map(|entry| (entry.id, entry.mode));
            let staged = lookup(&staged, path);
            // What was in `HEAD` then is what a process left that was killed while it made the work tree clean.
            let is_known = [wanted, staged, lookup(&stash.base, path)].contains(&present);
            if present.is_some() || staged.is_some() {
                return is_known;
            }
            // An ignored file is in no tree; a folder must become empty.
            let full = self.root.join(path);
            match full.symlink_metadata() {
                Ok(metadata) => metadata.is_dir() && holds_only(&full, &self.root, &removed),
                Err(error) => is_missing(&error) && self.has_free_parents(path, &removed),
            }
        };
        let obstacles = plan.paths.iter().filter(|path| !is_free(path));
        Ok(obstacles.cloned().collect())
    }

    /// Says whether every parent of `path` is a directory, missing, or a file that will be removed.
    fn has_free_parents(&self, path: &Path, removed: &BTreeSet<&Path>) -> bool {
        path.ancestors().skip(1).all(|parent| {
            removed.contains(parent)
                || !matches!(self.root.join(parent).symlink_metadata(), Ok(metadata) if !metadata.is_dir())
        })
    }

    /// Makes the work tree have what `target` has at `paths`: nothing is merged and nothing else is touched.
    /// Submodules stay as they are.
    pub(crate) fn rewrite(
        &self,
        repository: &Repository,
        target: &mut Index,
        paths: &[PathBuf],
    ) -> std::result::Result<(), git2::Error> {
        let mut checkout = CheckoutBuilder::new();
        checkout
            .force()
            .recreate_missing(true)
            .update_index(false)
            .disable_pathspec_match(true);
        let head = repository.head()?.peel_to_tree()?;
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
            let was = head.get_path(path).ok().map(|entry| entry.filemode());
            if entry.mode == LINK_MODE || !was.is_none_or(is_file) {
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

    /// Writes a link, or a file as it is stored, without filters: libgit2 writes nothing where the type is not that in
    /// `HEAD` and the disk has nothing.
    fn write(&self, path: &Path, content: &[u8], mode: u32) -> io::Result<()> {
        let full = self.root.join(path);
        if let Some(parent) = full.parent() {
            std::fs::create_dir_all(parent)?;
        }
        if full.is_symlink() || full.is_file() {
            std::fs::remove_file(&full)?;
        } else if full.is_dir() {
            std::fs::remove_dir(&full)?;
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
        if !self.has_free_parents(path, &BTreeSet::new()) {
            return Ok(()); // a link to elsewhere is in the way
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

/// What restoring does.
struct Plan {
    /// The paths to write or to remove.
    paths: Vec<PathBuf>,
    /// What the work tree is to have there; what is missing here is removed.
    target: Index,
    /// The tree that the index is to be.
    staged: Oid,
}

impl Plan {
    /// Returns the plan, or the paths that cannot be merged.
    fn new(
        repository: &Repository,
        stash: &Stash<'_>,
        now: &State,
    ) -> std::result::Result<std::result::Result<Self, Vec<PathBuf>>, git2::Error> {
        let ours = repository.find_tree(now.staged)?;
        let mut staged = repository.merge_trees(&stash.base, &ours, &stash.staged, None)?;
        let mut target = repository.merge_trees(&stash.base, &ours, &stash.tracked, None)?;
        for index in [&staged, &target] {
            if let Some(paths) = conflicts(index)? {
                return Ok(Err(paths));
            }
        }
        let staged = staged.write_tree_to(repository)?;
        let tracked = repository.find_tree(target.write_tree_to(repository)?)?;
        let mut paths = changed_paths(repository, Some(&ours), Some(&tracked))?;
        if let Some(untracked) = &stash.untracked {
            let mut files = Index::new()?;
            files.read_tree(untracked)?;
            let mut taken = Vec::new();
            for entry in files.iter() {
                let path = as_path(&entry.path);
                match target.get_path(path, 0) {
                    // Somebody has committed or staged another file of this name.
                    Some(other) if (other.id, other.mode) != (entry.id, entry.mode) => {
                        taken.push(path.to_owned());
                    }
                    _ => target.add(&entry)?,
                }
            }
            if !taken.is_empty() {
                return Ok(Err(taken));
            }
            paths.extend(changed_paths(repository, None, Some(untracked))?);
            paths.sort_unstable();
            paths.dedup();
        }
        Ok(Ok(Self {
            paths,
            target,
            staged,
        }))
    }
}

fn failed(path: &Path, error: &io::Error) -> git2::Error {
    git2::Error::from_str(&format!("{}: {error}", path.display()))
}

fn is_file(mode: i32) -> bool {
    mode & 0o170_000 == 0o100_000
}

/// Says whether a folder contains only files that will be removed, and folders with such.
fn holds_only(folder: &Path, root: &Path, removed: &BTreeSet<&Path>) -> bool {
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

/// Says whether everything of the stash is there: nothing was removed yet, or the process that restored it was killed
/// just before it removed the stash.
fn is_restored(
    repository: &Repository,
    stash: &Stash<'_>,
    now: &State,
) -> std::result::Result<bool, git2::Error> {
    let has = |now: Oid, from: Option<&Tree<'_>>, to: &Tree<'_>| {
        let now = repository.find_tree(now)?;
        let paths = changed_paths(repository, from, Some(to))?;
        Ok::<_, git2::Error>(
            paths
                .iter()
                .all(|path| lookup(&now, path) == lookup(to, path)),
        )
    };
    let untracked = match (&stash.untracked, now.untracked) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(files), Some(now)) => has(now, None, files)?,
    };
    Ok(untracked
        && has(now.staged, Some(&stash.base), &stash.staged)?
        && has(now.tracked, Some(&stash.base), &stash.tracked)?)
}
