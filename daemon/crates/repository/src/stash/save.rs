//! Puts everything dirty aside in the user's stash.

use super::commit::{Stash, push};
use super::trees::{WorkTreeState, changed_paths, set_index};
use crate::WorkTree;
use crate::error::{GitResult, NAMED_PATHS, RepositoryError, Result, name_paths};
use crate::snapshot::{Dirty, conflicts};
use crate::work_tree::head_of;
use git2::Index;
use std::path::PathBuf;

impl WorkTree {
    /// Saves everything dirty (staged, modified, untracked; not ignored) on top of `git stash list`, as
    /// `git stash push --include-untracked` does, but leaves the work tree as it is. Returns the id of the stash's
    /// commit, or nothing if the work tree is clean.
    /// The caller writes the id down and then calls [`Self::stash_clean`]. If the process dies between or in these,
    /// [`Self::stash_restore`] repairs everything. If it dies before the id is written down, [`Self::stash_find`] knows
    /// the id by the `message`, which must be unique.
    /// Left alone: the contents of submodules and nested repositories. A file that is only marked to be added
    /// (`git add -N`) comes back untracked.
    /// On an error, nothing was stashed.
    pub fn stash_save(&self, message: &str) -> Result<Option<String>> {
        let repository = self.open()?;
        self.refuse_lock()?;
        let Some(head) = head_of(&repository).map_err(|error| self.git(error))? else {
            return Err(RepositoryError::Unborn(self.root.clone()));
        };
        let (state, clean) = (self.state()?, head.tree_id());
        // A killed process may have left it, and moving the reference would write to it first, see `push`.
        self.remove_empty_log();
        if state.staged == clean && state.tracked == clean && state.untracked.is_none() {
            return Ok(None);
        }
        let id = push(&repository, &head, &state, message);
        let id = id.map_err(|error| self.not_written(error))?;
        Ok(Some(id.to_string()))
    }

    /// Makes the work tree and the index clean, after [`Self::stash_save`] returned `id`. Ignored files stay.
    /// On an error, nothing was removed, and [`Self::stash_restore`] removes the stash.
    pub fn stash_clean(&self, id: &str) -> Result<()> {
        let git = |error| self.git(error);
        let repository = self.open()?;
        self.refuse_lock()?;
        self.stash_position(id)?;
        let stash = Stash::load(&repository, id).map_err(git)?;
        if self.state()? != stash.state() {
            return Err(RepositoryError::Changed(self.root.clone()));
        }
        let plan = || -> GitResult<(Index, Vec<PathBuf>)> {
            let (base, files) = (Some(&stash.base), &stash.files);
            let mut target = Index::new()?;
            target.read_tree(&stash.base)?;
            let mut paths = changed_paths(&repository, base, Some(&files.tracked))?;
            paths.extend(changed_paths(&repository, None, files.untracked.as_ref())?);
            // A file that `git rm --cached` left on the disk is in both.
            paths.sort_unstable();
            paths.dedup();
            Ok((target, paths))
        };
        let (mut target, paths) = plan().map_err(git)?;
        let blocked = self.blocked(&target, &paths);
        if !blocked.is_empty() {
            return Err(RepositoryError::Blocked {
                root: self.root.clone(),
                paths: name_paths(&blocked, NAMED_PATHS),
            });
        }
        // The index first, so that a process that is killed leaves files that `stash_restore` knows to be the stash's.
        set_index(&repository, &stash.staged, &stash.base, &paths)
            .and_then(|()| self.put_aside(&repository, &mut target, &paths, id))
            .map_err(git)
    }

    /// Refuses while another git command writes the index or the stash, before anything is touched.
    pub(crate) fn refuse_lock(&self) -> Result<()> {
        let index = self.git_dir.join("index.lock");
        let stash = self.common_dir.join("refs/stash.lock");
        let log = self.common_dir.join("logs/refs/stash.lock");
        let mut locks = [index, stash, log].into_iter();
        let held = locks.find(|lock| lock.symlink_metadata().is_ok());
        held.map_or(Ok(()), |lock| Err(RepositoryError::Locked(lock)))
    }

    /// Writes the three trees that a stash consists of, and nothing else.
    pub(crate) fn state(&self) -> Result<WorkTreeState> {
        let git = |error| self.git(error);
        let write = |index: &mut Index| index.write_tree().map_err(|error| self.not_written(error));
        // A handle of its own: a repository hands out one index, and what is added to it here must not be written.
        let repository = self.open()?;
        let mut index = self.read_index(&repository)?;
        if let Some(paths) = conflicts(&index).map_err(git)? {
            return Err(RepositoryError::Unmerged {
                root: self.root.clone(),
                paths: name_paths(&paths, NAMED_PATHS),
            });
        }
        let staged = write(&mut index)?;
        let dirty = self.dirty(&repository, &index)?;
        let (untracked, tracked): (Vec<Dirty>, Vec<Dirty>) =
            dirty.into_iter().partition(|dirty| dirty.is_untracked);
        self.add_all(&repository, &mut index, &tracked)?;
        let tracked = write(&mut index)?;
        index.clear().map_err(git)?;
        // Nested repositories stay where they are.
        let files = untracked.iter().filter(|dirty| {
            let metadata = self.root.join(&dirty.path).symlink_metadata();
            metadata.is_ok_and(|metadata| !metadata.is_dir())
        });
        self.add_all(&repository, &mut index, files)?;
        let untracked = (!index.is_empty()).then(|| write(&mut index));
        Ok(WorkTreeState {
            staged,
            tracked,
            untracked: untracked.transpose()?,
        })
    }
}
