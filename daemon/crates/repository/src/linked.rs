//! Linked work trees.

use crate::WorkTree;
use crate::error::{RepositoryError, Result};
use std::path::Path;
use std::process::Command;

/// How much of git's messages is kept.
const MESSAGE_LEN: usize = 4096;

impl WorkTree {
    /// Makes a linked work tree at `path`, which must not exist, with a new branch at `HEAD`. The git program makes it, and
    /// runs the repository's hook `post-checkout`, as the user's own `git worktree add` does.
    ///
    /// # Errors
    ///
    /// `Unborn`, `GitMissing`, `GitFailed`.
    pub fn add_linked(&self, path: &Path, branch: &str) -> Result<Self> {
        if self.head()?.is_none() {
            return Err(RepositoryError::Unborn(self.root.clone()));
        }
        let output = Command::new("git")
            .current_dir(&self.root)
            .args(["worktree", "add", "-q", "-b", branch, "--"])
            .arg(path)
            .arg("HEAD")
            .stdin(std::process::Stdio::null())
            .env_remove("GIT_DIR")
            .env_remove("GIT_WORK_TREE")
            .env_remove("GIT_INDEX_FILE")
            .output()
            .map_err(RepositoryError::GitMissing)?;
        if !output.status.success() {
            let message = String::from_utf8_lossy(&output.stderr);
            return Err(RepositoryError::GitFailed {
                root: self.root.clone(),
                command: "worktree add",
                message: message.trim().chars().take(MESSAGE_LEN).collect(),
            });
        }
        Self::find(path)
    }

    /// Returns the repository that this work tree belongs to: all linked work trees have the same. It is the top directory of
    /// the main work tree, or the git folder if there is none.
    #[must_use]
    pub fn repository(&self) -> &Path {
        if self.git_dir == self.common_dir {
            return &self.root;
        }
        match (self.common_dir.file_name(), self.common_dir.parent()) {
            (Some(name), Some(parent)) if name == ".git" => parent,
            _ => &self.common_dir,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_repository::{git, repository};

    #[test]
    fn a_linked_work_tree_is_at_head_and_belongs_to_the_same_repository() {
        let folder = repository();
        let tree = WorkTree::find(folder.path()).unwrap();
        let other = tempfile::tempdir().unwrap();
        let path = other.path().join("fresh");
        let linked = tree.add_linked(&path, "ccd/1").unwrap();
        assert_eq!(linked.head().unwrap(), tree.head().unwrap());
        assert_eq!(linked.repository(), tree.root);
        assert_eq!(tree.repository(), tree.root);
        assert_eq!(git(&path, &["branch", "--show-current"]).trim(), "ccd/1");
        let again = tree.add_linked(&path, "ccd/2").unwrap_err();
        assert!(again.to_string().contains("already exists"), "{again}");
    }
}
