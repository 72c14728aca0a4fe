//! Linked work trees.

use crate::WorkTree;
use crate::error::{RepositoryError, Result};
use std::path::Path;
use std::process::{Command, Output};

/// How much of git's messages is kept.
const MESSAGE_LEN: usize = 4096;

impl WorkTree {
    /// Makes a linked work tree at `path`, which must not exist, with a new branch at `HEAD`. The git program makes it, and
    /// runs the repository's hook `post-checkout`, as the user's own `git worktree add` does.
    ///
    /// git exits with the status of the hook. By then the work tree is complete: of one that fails before, git itself
    /// removes all but the branch.
    ///
    /// # Errors
    ///
    /// `Unborn`, `GitMissing`, `GitFailed`; neither the work tree nor the branch is there then.
    pub fn add_linked(&self, path: &Path, branch: &str) -> Result<Self> {
        if self.head()?.is_none() {
            return Err(RepositoryError::Unborn(self.root.clone()));
        }
        let had_branch = self.branches()?.contains_key(branch);
        let output = self
            .git_program(&["worktree", "add", "-q", "-b", branch, "--"])
            .arg(path)
            .arg("HEAD")
            .output()
            .map_err(RepositoryError::GitMissing)?;
        let is_made = |tree: &Self| {
            tree.common_dir == self.common_dir && tree.branch().is_ok_and(|at| at == branch)
        };
        let made = Self::find(path);
        match made {
            made if output.status.success() => made,
            Ok(tree) if output.status.code().is_some() && !had_branch && is_made(&tree) => Ok(tree),
            _ => {
                if !had_branch {
                    self.remove_linked(path, branch);
                }
                Err(self.failed("worktree add", &output))
            }
        }
    }

    /// Removes a linked work tree and its branch, in which nothing was done. What is not there, or has changed meanwhile,
    /// stays as it is.
    pub fn remove_linked(&self, path: &Path, branch: &str) {
        let remove: &[&str] = &["worktree", "remove", "--"];
        let path = path.as_os_str();
        for (words, last) in [
            (remove, path),
            (&["branch", "-d", "-q", "--"], branch.as_ref()),
        ] {
            let _ = self.git_program(words).arg(last).output();
        }
    }

    fn git_program(&self, words: &[&str]) -> Command {
        let mut git = Command::new("git");
        git.current_dir(&self.root)
            .args(words)
            .stdin(std::process::Stdio::null())
            .env_remove("GIT_DIR")
            .env_remove("GIT_WORK_TREE")
            .env_remove("GIT_INDEX_FILE");
        git
    }

    /// Returns git's reason for a failure, or how it ended if it gave none.
    fn failed(&self, command: &'static str, output: &Output) -> RepositoryError {
        let said = String::from_utf8_lossy(&output.stderr);
        let message = match said.trim() {
            "" => output.status.to_string(),
            said => said.chars().take(MESSAGE_LEN).collect(),
        };
        RepositoryError::GitFailed {
            root: self.root.clone(),
            command,
            message,
        }
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

    fn hook(folder: &Path, script: &str) {
        use std::os::unix::fs::PermissionsExt;
        let hook = folder.join(".git/hooks/post-checkout");
        std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
        std::fs::write(&hook, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(hook, PermissionsExt::from_mode(0o755)).unwrap();
    }

    #[test]
    fn a_hook_that_fails_is_no_failure_and_a_failure_leaves_nothing_and_has_a_reason() {
        let filter = ["config", "filter.bad.smudge", "echo no filter >&2; false"];
        for (script, filters, expected) in [
            ("exit 3", false, None),
            ("echo no hook >&2; exit 1", false, None),
            ("kill -9 $$", false, None),
            ("exit 0", true, Some("no filter")),
            ("exit 3", true, Some("smudge filter bad failed")),
        ] {
            let folder = repository();
            let root = folder.path();
            crate::test_repository::commit(root, ".gitattributes", "*.txt filter=bad\n");
            hook(root, script);
            if filters {
                git(root, &filter);
                git(root, &["config", "filter.bad.required", "true"]);
            }
            let tree = WorkTree::find(root).unwrap();
            let other = tempfile::tempdir().unwrap();
            let path = other.path().join("fresh");
            let made = tree.add_linked(&path, "ccd/1");
            let listed = git(root, &["worktree", "list"]).lines().count();
            let branches = git(root, &["branch", "--list", "ccd/*"]);
            match expected {
                None => {
                    assert_eq!(made.unwrap().head().unwrap(), tree.head().unwrap());
                    assert_eq!((listed, &*branches), (2, "+ ccd/1\n"), "{script}");
                    tree.remove_linked(&path, "ccd/1");
                    assert_eq!(git(root, &["branch", "--list", "ccd/*"]), "");
                }
                Some(reason) => {
                    let error = made.unwrap_err().to_string();
                    assert!(error.contains(reason), "{error}");
                    assert_eq!((listed, &*branches), (1, ""), "{script}");
                }
            }
            assert!(!path.exists());
        }
    }

    #[test]
    fn a_branch_that_was_there_before_stays() {
        let folder = repository();
        git(folder.path(), &["branch", "ccd/1"]);
        let tree = WorkTree::find(folder.path()).unwrap();
        let other = tempfile::tempdir().unwrap();
        let error = tree.add_linked(&other.path().join("fresh"), "ccd/1");
        let error = error.unwrap_err().to_string();
        assert!(error.contains("already exists"), "{error}");
        assert_ne!(git(folder.path(), &["branch", "--list", "ccd/1"]), "");
    }

    #[test]
    fn work_in_a_linked_work_tree_is_not_removed() {
        let folder = repository();
        let tree = WorkTree::find(folder.path()).unwrap();
        let other = tempfile::tempdir().unwrap();
        let path = other.path().join("fresh");
        tree.add_linked(&path, "ccd/1").unwrap();
        std::fs::write(path.join("new.txt"), "x").unwrap();
        tree.remove_linked(&path, "ccd/1");
        assert!(path.join("new.txt").exists());
        assert_eq!(git(&path, &["branch", "--show-current"]).trim(), "ccd/1");
    }
}
