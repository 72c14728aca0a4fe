//! The work tree before a run.

use crate::error::{self, ExecError};
use crate::request::RunRequest;
use ccd_protocol::exec::{DirtyWorktree, worktree_branch};
use ccd_repository::{Nested, NewLinked, WorkTree, name_paths};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Dirty paths that a message names.
const NAMED_PATHS: usize = 10;

/// The start of the message of our stashes; the id of the run follows.
pub(crate) const STASH_MESSAGE: &str = "ccd exec ";

/// Where the run works.
#[derive(Debug, Clone)]
pub(crate) struct RunDirectory {
    pub(crate) tree: WorkTree,
    /// The directory in it.
    pub(crate) cwd: PathBuf,
}

/// The state of the work tree, to compare with.
#[derive(Debug, Clone)]
pub(crate) struct Before {
    pub(crate) snapshot: String,
    pub(crate) head: Option<String>,
    pub(crate) tips: Vec<String>,
    /// Not known of a run that an earlier process has started.
    pub(crate) more: Option<MoreBefore>,
}

/// What is not recorded with a run, because it only makes warnings.
#[derive(Debug, Clone, Default)]
pub(crate) struct MoreBefore {
    pub(crate) nested: Nested,
    pub(crate) branch: String,
    pub(crate) branches: BTreeMap<String, String>,
    /// How often `HEAD` had moved.
    pub(crate) head_moves: usize,
    pub(crate) stashes: Vec<String>,
}

impl RunDirectory {
    /// Checks whether a run may start in its state. Blocks.
    pub(crate) fn checked(self, request: &RunRequest) -> Result<Self, ExecError> {
        if request.dirty_worktree == DirtyWorktree::Block {
            let changes = self.tree.changes()?;
            if !changes.is_empty() {
                let named = |path: PathBuf| {
                    let is_repository = self.tree.root.join(&path).join(".git").exists();
                    let mut name = path.into_os_string();
                    if is_repository {
                        name.push(" (a repository of its own)");
                    }
                    PathBuf::from(name)
                };
                let paths: Vec<PathBuf> = changes.into_iter().map(named).collect();
                return Err(ExecError::Dirty {
                    root: self.tree.root,
                    paths: name_paths(&paths, NAMED_PATHS),
                });
            }
        }
        Ok(self)
    }

    /// Plans the fresh work tree of a run. Blocks.
    pub(crate) fn new_linked(
        &self,
        request_id: &str,
        worktrees: &Path,
    ) -> Result<NewLinked, ExecError> {
        let failed = error::folder("the directory of work trees cannot be created");
        ccd_store::folder::prepare_private(worktrees).map_err(failed)?;
        let (path, branch) = self.fresh_names(request_id, worktrees);
        Ok(self.tree.new_linked(&path, &branch)?)
    }

    /// Returns the same directory of another work tree, or its top directory if it does not have that. Blocks.
    pub(crate) fn moved_to(&self, tree: WorkTree) -> Self {
        let below = self
            .cwd
            .strip_prefix(&self.tree.root)
            .unwrap_or(Path::new(""));
        let cwd = tree.root.join(below);
        let cwd = if cwd.is_dir() { cwd } else { tree.root.clone() };
        Self { tree, cwd }
    }

    /// Removes the fresh work tree of a run that was not started. Blocks.
    pub(crate) fn remove_fresh(&self, request_id: &str, worktrees: &Path) {
        let (path, branch) = self.fresh_names(request_id, worktrees);
        if path.exists() {
            self.tree.remove_linked(&path, &branch);
        }
    }

    /// Returns the path and the branch of the fresh work tree of a run.
    fn fresh_names(&self, request_id: &str, worktrees: &Path) -> (PathBuf, String) {
        let name = self.tree.repository().file_name().unwrap_or_default();
        let branch = worktree_branch(request_id);
        let short = branch.trim_start_matches("ccd/");
        let path = worktrees.join(format!("{}-{short}", name.to_string_lossy()));
        (path, branch)
    }

    /// Takes the state; `stash` is the one of this run. Blocks.
    pub(crate) fn look(&self, stash: Option<&str>) -> Result<Before, ExecError> {
        let (snapshot, nested) = self.tree.snapshot_with_nested()?;
        let mut stashes = self.tree.stashes()?;
        stashes.retain(|id| Some(&**id) != stash);
        Ok(Before {
            snapshot,
            head: self.tree.head()?,
            tips: self.tree.tips()?,
            more: Some(MoreBefore {
                nested,
                branch: self.tree.branch()?,
                branches: self.tree.branches()?,
                head_moves: self.tree.head_moves()?,
                stashes,
            }),
        })
    }
}
