//! Linked work trees.

use crate::WorkTree;
use crate::error::{RepositoryError, Result};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How much of git's messages is kept.
const MESSAGE_LEN: usize = 4096;

/// A linked work tree that is yet to be made, by the git program: whoever runs it decides how long it may take.
#[derive(Debug, Clone)]
pub struct NewLinked {
    from: WorkTree,
    path: PathBuf,
    branch: String,
    /// Something of one of its names was there before, so git will refuse.
    is_taken: bool,
}

impl WorkTree {
    /// Plans a linked work tree at `path`, which must not exist, with a new branch at `HEAD`.
    ///
    /// # Errors
    ///
    /// `Unborn`, `Gone`, `Git`.
    pub fn new_linked(&self, path: &Path, branch: &str) -> Result<NewLinked> {
        if self.head()?.is_none() {
            return Err(RepositoryError::Unborn(self.root.clone()));
        }
        let has_branch = self.branches()?.contains_key(branch);
        Ok(NewLinked {
            from: self.clone(),
            path: path.to_owned(),
            branch: branch.to_owned(),
            is_taken: has_branch || path.symlink_metadata().is_ok(),
        })
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
            .stdin(std::process::Stdio::null());
        for name in NewLinked::REMOVED_VARIABLES {
            git.env_remove(name);
        }
        git
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

impl NewLinked {
    /// Variables that git must not get: a daemon or a client that a hook started has those of another work tree.
    pub const REMOVED_VARIABLES: [&str; 3] = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"];

    /// Returns the arguments of git, which is to run in the top directory of the first work tree. It runs the repository's
    /// filters and its hook `post-checkout`, as the user's own `git worktree add` does, and these may hang.
    #[must_use]
    pub fn arguments(&self) -> [&OsStr; 8] {
        [
            "worktree".as_ref(),
            "add".as_ref(),
            "-q".as_ref(),
            "-b".as_ref(),
            self.branch.as_ref(),
            "--".as_ref(),
            self.path.as_ref(),
            "HEAD".as_ref(),
        ]
    }

    /// Returns the work tree that git has made. `code` is git's exit code, if no signal ended it, `said` its standard error.
    ///
    /// git exits with the status of the hook. By then the work tree is complete: of one that fails before, git itself
    /// removes all but the branch.
    ///
    /// # Errors
    ///
    /// `GitFailed`; neither the work tree nor the branch is there then.
    pub fn made(&self, code: Option<i32>, said: &str) -> Result<WorkTree> {
        let is_it = |tree: &WorkTree| {
            tree.common_dir == self.from.common_dir
                && tree.branch().is_ok_and(|at| at == self.branch)
        };
        match WorkTree::find(&self.path) {
            made if code == Some(0) => made,
            Ok(tree) if code.is_some() && !self.is_taken && is_it(&tree) => Ok(tree),
            _ => {
                self.undo();
                Err(self.failed(code, said))
            }
        }
    }

    /// Removes what is there of the work tree and its branch, whatever git or a hook had done until it was ended.
    pub fn undo(&self) {
        if self.is_taken {
            return;
        }
        let git = |words: &[&str], last: &OsStr| {
            let _ = self.from.git_program(words).arg(last).output();
        };
        // Twice: git locks a work tree while it makes it.
        let remove = ["worktree", "remove", "--force", "--force", "--"];
        git(&remove, self.path.as_os_str());
        // What a filter wrote after git had removed everything.
        let _ = std::fs::remove_dir_all(&self.path);
        git(&["branch", "-D", "-q", "--"], self.branch.as_ref());
    }

    /// Returns git's reason for a failure, or how it ended if it gave none.
    fn failed(&self, code: Option<i32>, said: &str) -> RepositoryError {
        let message = match (said.trim(), code) {
            ("", Some(code)) => format!("git exited with code {code}"),
            ("", None) => "a signal ended git".to_owned(),
            (said, _) => said.chars().take(MESSAGE_LEN).collect(),
        };
        RepositoryError::GitFailed {
            root: self.from.root.clone(),
            command: "worktree add",
            message,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_repository::{git, repository};

    fn add(tree: &WorkTree, path: &Path, branch: &str) -> Result<WorkTree> {
        let new = tree.new_linked(path, branch)?;
        let mut git = tree.git_program(&[]);
        let output = git.args(new.arguments()).output().unwrap();
        new.made(
            output.status.code(),
            &String::from_utf8_lossy(&output.stderr),
        )
    }

    #[test]
    fn a_linked_work_tree_is_at_head_and_belongs_to_the_same_repository() {
        let folder = repository();
        let tree = WorkTree::find(folder.path()).unwrap();
        let other = tempfile::tempdir().unwrap();
        let path = other.path().join("fresh");
        let linked = add(&tree, &path, "ccd/1").unwrap();
        assert_eq!(linked.head().unwrap(), tree.head().unwrap());
        assert_eq!(linked.repository(), tree.root);
        assert_eq!(tree.repository(), tree.root);
        assert_eq!(git(&path, &["branch", "--show-current"]).trim(), "ccd/1");
        let again = add(&tree, &path, "ccd/2").unwrap_err();
        assert!(again.to_string().contains("already exists"), "{again}");
        assert_eq!(
            WorkTree::find(&path).unwrap(),
            linked,
            "the first one stays"
        );
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
            let made = add(&tree, &path, "ccd/1");
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
        let error = add(&tree, &other.path().join("fresh"), "ccd/1");
        let error = error.unwrap_err().to_string();
        assert!(error.contains("already exists"), "{error}");
        assert_ne!(git(folder.path(), &["branch", "--list", "ccd/1"]), "");
    }

    #[test]
    fn what_was_made_until_git_was_killed_is_removed() {
        let folder = repository();
        let root = folder.path();
        let tree = WorkTree::find(root).unwrap();
        let other = tempfile::tempdir().unwrap();
        let path = other.path().join("fresh");
        let new = tree.new_linked(&path, "ccd/1").unwrap();
        git(
            root,
            &[
                "worktree",
                "add",
                "-q",
                "-b",
                "ccd/1",
                path.to_str().unwrap(),
            ],
        );
        git(root, &["worktree", "lock", path.to_str().unwrap()]);
        std::fs::write(path.join("by a hook"), "x").unwrap();
        let error = new.made(None, "").unwrap_err().to_string();
        assert!(
            error.ends_with("git worktree add failed: a signal ended git"),
            "{error}"
        );
        assert!(!path.exists());
        assert_eq!(git(root, &["worktree", "list"]).lines().count(), 1);
        assert_eq!(git(root, &["branch", "--list", "ccd/*"]), "");
    }

    #[test]
    fn work_in_a_linked_work_tree_is_not_removed() {
        let folder = repository();
        let tree = WorkTree::find(folder.path()).unwrap();
        let other = tempfile::tempdir().unwrap();
        let path = other.path().join("fresh");
        add(&tree, &path, "ccd/1").unwrap();
        std::fs::write(path.join("new.txt"), "x").unwrap();
        tree.remove_linked(&path, "ccd/1");
        assert!(path.join("new.txt").exists());
        assert_eq!(git(&path, &["branch", "--show-current"]).trim(), "ccd/1");
    }
}
