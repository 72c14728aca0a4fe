//! The work tree before a run.

use crate::error::ExecError;
use crate::request::Request;
use ccd_protocol::exec::DirtyWorktree;
use ccd_repository::{WorkTree, name_paths};
use std::path::{Path, PathBuf};

/// Dirty paths that a message names.
const NAMED_PATHS: usize = 10;

/// The start of the message of our stashes; the id of the run follows.
pub(crate) const STASH_MESSAGE: &str = "ccd exec ";

/// Where the run works.
#[derive(Debug, Clone)]
pub(crate) struct Place {
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
}

impl Place {
    /// Returns the fresh work tree of a run, or else checks the given one. Blocks.
    pub(crate) fn checked(
        self,
        request: &Request,
        request_id: &str,
        worktrees: &Path,
    ) -> Result<Self, ExecError> {
        if request.worktree {
            return self.fresh(request_id, worktrees);
        }
        if request.dirty_worktree == DirtyWorktree::Block {
            let changes = self.tree.changes()?;
            if !changes.is_empty() {
                let paths: Vec<&Path> = changes.iter().map(|change| &*change.path).collect();
                return Err(ExecError::Dirty {
                    root: self.tree.root,
                    paths: name_paths(&paths, NAMED_PATHS),
                });
            }
        }
        Ok(self)
    }

    /// Makes a linked work tree, and stays in the same directory of it if it has that.
    fn fresh(self, request_id: &str, worktrees: &Path) -> Result<Self, ExecError> {
        let failed = |error: ccd_store::folder::FolderError| ExecError::System {
            what: "the directory of work trees cannot be created",
            source: std::io::Error::other(error),
        };
        ccd_store::folder::prepare_private(worktrees).map_err(failed)?;
        let name = self.tree.repository().file_name().unwrap_or_default();
        let short: String = request_id.chars().take(8).collect();
        let path = worktrees.join(format!("{}-{short}", name.to_string_lossy()));
        let tree = self.tree.add_linked(&path, &format!("ccd/{short}"))?;
        let below = self
            .cwd
            .strip_prefix(&self.tree.root)
            .unwrap_or(Path::new(""));
        let cwd = tree.root.join(below);
        let cwd = if cwd.is_dir() { cwd } else { tree.root.clone() };
        Ok(Self { tree, cwd })
    }

    /// Takes the state. Blocks.
    pub(crate) fn look(&self) -> Result<Before, ExecError> {
        Ok(Before {
            snapshot: self.tree.snapshot()?,
            head: self.tree.head()?,
            tips: self.tree.tips()?,
        })
    }
}
