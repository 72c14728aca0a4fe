//! Gives back what was stashed, all of it or nothing.

use super::commit::Stash;
use super::rewrite::holds_only;
use super::trees::{WorkTreeState, changed_paths, lookup, set_index};
use crate::WorkTree;
use crate::error::{GitResult, NAMED_PATHS, RepositoryError, Result, name_paths};
use crate::snapshot::{as_path, conflicts, is_missing};
use git2::{Index, Oid, Repository, Tree};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

impl WorkTree {
    /// Gives back what [`Self::stash_save`] saved as `id`, staged files staged and untracked ones untracked, and removes
    /// the stash from `git stash list`.
    /// What was committed meanwhile is merged with it. It may run in any process, and again after one that was killed in
    /// [`Self::stash_clean`] or here.
    /// `StashConflict` if a file that the stash contains was changed and not committed meanwhile, exists again, or
    /// cannot be merged: nothing is restored, the stash stays. `Locked` also if the killed process was just writing the
    /// index: only a person can say that no other git command is running.
    pub fn stash_restore(&self, id: &str) -> Result<()> {
        let restored = self.restore(id);
        if matches!(
            restored,
            Ok(()) | Err(RepositoryError::StashConflict { .. } | RepositoryError::StashGone { .. })
        ) {
            self.remove_kept();
        }
        restored
    }

    fn restore(&self, id: &str) -> Result<()> {
        let git = |error| self.git(error);
        let mut repository = self.open()?;
        self.refuse_lock()?;
        let position = self.stash_position(id)?;
        let conflicting = |paths: String| RepositoryError::StashConflict {
            root: self.root.clone(),
            id: id.to_owned(),
            position,
            paths,
        };
        let now = self.state().map_err(|error| match error {
            RepositoryError::Unmerged { paths, .. } => conflicting(paths),
            other => other,
        })?;
        let stash = Stash::load(&repository, id).map_err(git)?;
        if !is_restored(&repository, &stash, &now).map_err(git)? {
            let conflict = |paths: &[PathBuf]| conflicting(name_paths(paths, NAMED_PATHS));
            let plan = Plan::new(&repository, &stash, &now).map_err(git)?;
            let mut plan = plan.map_err(|paths| conflict(&paths))?;
            let obstacles = self.obstacles(&repository, &plan, &stash, &now);
            let obstacles = obstacles.map_err(git)?;
            if !obstacles.is_empty() {
                return Err(conflict(&obstacles));
            }
            self.carry_out(&repository, &mut plan, &stash, &now)
                .map_err(git)?;
        }
        self.put_folders_back(&stash).map_err(git)?;
        drop(stash);
        // Again, because somebody may have stashed something meanwhile.
        let position = self.stash_position(id)?;
        repository.stash_drop(position).map_err(git)?;
        self.remove_empty_log();
        Ok(())
    }

    /// Removes the log of the stash if that was the only one: git does so, libgit2 leaves an empty file.
    pub(super) fn remove_empty_log(&self) {
        let log = self.common_dir.join("logs/refs/stash");
        if log.metadata().is_ok_and(|metadata| metadata.len() == 0) {
            let _ = std::fs::remove_file(log); // it does no harm either
        }
    }

    fn carry_out(
        &self,
        repository: &Repository,
        plan: &mut Plan,
        stash: &Stash<'_>,
        now: &WorkTreeState,
    ) -> GitResult<()> {
        // A file that a killed process had not put aside yet stays as it is.
        let files = now.files(repository)?;
        let mut paths = std::mem::take(&mut plan.paths);
        paths.retain(|path| self.is_kept(stash, path) || files.lookup(path) != plan.wanted(path));
        self.put_back(repository, &mut plan.target, &paths, stash)?;
        let from = repository.find_tree(now.staged)?;
        let to = repository.find_tree(plan.staged)?;
        set_index(repository, &from, &to, &paths)
    }

    /// Returns the paths of the plan at which the work tree has something that would be lost.
    fn obstacles(
        &self,
        repository: &Repository,
        plan: &Plan,
        stash: &Stash<'_>,
        now: &WorkTreeState,
    ) -> GitResult<Vec<PathBuf>> {
        let staged = repository.find_tree(now.staged)?;
        let files = now.files(repository)?;
        let removed: BTreeSet<&Path> = plan
            .paths
            .iter()
            .filter(|path| plan.target.get_path(path, 0).is_none())
            .map(PathBuf::as_path)
            .collect();
        let is_free = |path: &Path| {
            let present = files.lookup(path);
            let wanted = plan.wanted(path);
            let staged = lookup(&staged, path);
            // What was in `HEAD` then is what a process left that was killed while it made the work tree clean.
            if present.is_some() {
                return [wanted, staged, lookup(&stash.base, path)].contains(&present);
            }
            if wanted.is_none() {
                return true; // gone already
            }
            if let Some(parent) = self.blocking_parent(path) {
                return removed.contains(parent);
            }
            // An ignored file is in no tree; a folder must become empty.
            let full = self.root.join(path);
            match full.symlink_metadata() {
                Ok(metadata) => metadata.is_dir() && holds_only(&full, &self.root, &removed),
                Err(error) => is_missing(&error),
            }
        };
        let obstacles = plan.paths.iter().filter(|path| !is_free(path));
        Ok(obstacles.cloned().collect())
    }
}

struct Plan {
    paths: Vec<PathBuf>,
    /// What the work tree is to have there; what is missing here is removed.
    target: Index,
    staged: Oid,
}

impl Plan {
    /// Returns the id and mode of the file that is to be at `path`.
    fn wanted(&self, path: &Path) -> Option<(Oid, u32)> {
        let entry = self.target.get_path(path, 0);
        entry.map(|entry| (entry.id, entry.mode))
    }

    /// Returns the plan, or the paths that cannot be merged.
    fn new(
        repository: &Repository,
        stash: &Stash<'_>,
        now: &WorkTreeState,
    ) -> GitResult<std::result::Result<Self, Vec<PathBuf>>> {
        let ours = repository.find_tree(now.staged)?;
        let mut staged = repository.merge_trees(&stash.base, &ours, &stash.staged, None)?;
        let mut target = repository.merge_trees(&stash.base, &ours, &stash.files.tracked, None)?;
        for index in [&staged, &target] {
            if let Some(paths) = conflicts(index)? {
                return Ok(Err(paths));
            }
        }
        let staged = staged.write_tree_to(repository)?;
        let tracked = repository.find_tree(target.write_tree_to(repository)?)?;
        let mut paths = changed_paths(repository, Some(&ours), Some(&tracked))?;
        if let Some(untracked) = &stash.files.untracked {
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

/// Says whether everything of the stash is there: nothing was removed yet, or the process that restored it was killed
/// just before it removed the stash.
fn is_restored(repository: &Repository, stash: &Stash<'_>, now: &WorkTreeState) -> GitResult<bool> {
    let has = |now: Oid, from: Option<&Tree<'_>>, to: &Tree<'_>| {
        let now = repository.find_tree(now)?;
        let paths = changed_paths(repository, from, Some(to))?;
        let is_there = |path: &PathBuf| lookup(&now, path) == lookup(to, path);
        GitResult::Ok(paths.iter().all(is_there))
    };
    let untracked = match (&stash.files.untracked, now.untracked) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(files), Some(now)) => has(now, None, files)?,
    };
    Ok(untracked
        && has(now.staged, Some(&stash.base), &stash.staged)?
        && has(now.tracked, Some(&stash.base), &stash.files.tracked)?)
}
