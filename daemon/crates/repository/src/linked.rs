//! Linked work trees.

use crate::WorkTree;
use crate::error::{RepositoryError, Result};
use crate::program::guard;
use git2::{BranchType, WorktreeAddOptions};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// How much of git's messages is kept.
const MESSAGE_LEN: usize = 4096;

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

    /// Removes a linked work tree and its branch, in which nothing was done. If anything has changed meanwhile, all stays as
    /// it is.
    pub fn remove_linked(&self, path: &Path, branch: &str) {
        let is_unchanged = || {
            let tree = Self::find(path)?;
            let since = self.commits_since(&tree.head()?.unwrap_or_default(), 1)?;
            let is_behind = since.is_some_and(|since| since.is_descendant);
            Ok::<_, RepositoryError>(is_behind && tree.changes()?.is_empty())
        };
        if is_unchanged().unwrap_or(false) {
            self.discard(path, branch);
        }
    }

    /// Removes what is there of a linked work tree and its branch. Without git, which would look for changes and so run filters.
    fn discard(&self, path: &Path, branch: &str) {
        let all = self.common_dir.join("worktrees");
        let _ = fs::remove_dir_all(path);
        let _ = fs::remove_dir_all(all.join(path.file_name().unwrap_or_default()));
        let _ = fs::remove_dir(all); // the others are in it
        if let Ok(repository) = self.open()
            && let Ok(mut branch) = repository.find_branch(branch, BranchType::Local)
        {
            let _ = branch.delete();
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

impl NewLinked {
    /// Makes it. libgit2 does, which runs neither hooks nor filters.
    /// On an error, neither the work tree nor the branch is left.
    pub fn make(&self) -> Result<WorkTree> {
        if self.is_taken {
            let (path, branch) = (self.path.display(), &self.branch);
            return Err(self.failed(format!("{path} or the branch {branch} already exists")));
        }
        let repository = self.from.open()?;
        let make = || {
            let head = repository.head()?.peel_to_commit()?;
            let branch = repository.branch(&self.branch, &head, false)?;
            let branch = branch.into_reference();
            let mut options = WorktreeAddOptions::new();
            options.reference(Some(&branch));
            let name = self.path.file_name().unwrap_or_default();
            repository.worktree(&name.to_string_lossy(), &self.path, Some(&options))
        };
        match make() {
            Ok(_) => WorkTree::find(&self.path),
            Err(error) => {
                self.undo();
                Err(self.failed(error.message().to_owned()))
            }
        }
    }

    /// Returns the arguments with which git makes it, running in the top directory of the first work tree, and changes `env` for
    /// it. It runs the repository's filters and its hooks, as the user's own `git worktree add` does, and these may hang: whoever
    /// runs it decides how long it may take.
    #[must_use]
    pub fn setup(&self, env: &mut BTreeMap<String, String>) -> [&OsStr; 12] {
        guard(env);
        [
            "-c".as_ref(),
            "core.fsmonitor=false".as_ref(),
            "-c".as_ref(),
            "protocol.ext.allow=never".as_ref(),
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
    /// git exits with the status of the hook. By then the work tree is complete: of one that fails before, git itself
    /// removes all but the branch.
    /// On an error, neither the work tree nor the branch is left.
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
                // git's reason, or how it ended if it gave none.
                Err(self.failed(match (said.trim(), code) {
                    ("", Some(code)) => format!("git exited with code {code}"),
                    ("", None) => "a signal ended git".to_owned(),
                    (said, _) => said.chars().take(MESSAGE_LEN).collect(),
                }))
            }
        }
    }

    /// Removes what is there of the work tree and its branch, whatever git or a hook had done until it was ended.
    pub fn undo(&self) {
        if !self.is_taken {
            self.from.discard(&self.path, &self.branch);
        }
    }

    fn failed(&self, message: String) -> RepositoryError {
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
    use crate::test_repository::{commit, git, repository, sh};

    fn add(tree: &WorkTree, path: &Path, branch: &str) -> Result<WorkTree> {
        tree.new_linked(path, branch)?.make()
    }

    /// Adds one with hooks and filters.
    fn set_up(tree: &WorkTree, path: &Path, branch: &str) -> Result<WorkTree> {
        let new = tree.new_linked(path, branch)?;
        let mut env = std::env::vars().collect();
        let arguments = new.setup(&mut env);
        let mut git = std::process::Command::new("git");
        git.env_clear().envs(env).current_dir(&tree.root);
        let output = git.args(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        new.made(output.status.code(), &said)
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
        let first = WorkTree::find(&path).unwrap();
        assert_eq!(first, linked, "it stays");
    }

    fn hook(folder: &Path, script: &str) {
        use std::os::unix::fs::PermissionsExt;
        let hook = folder.join(".git/hooks/post-checkout");
        fs::create_dir_all(hook.parent().unwrap()).unwrap();
        fs::write(&hook, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(hook, PermissionsExt::from_mode(0o755)).unwrap();
    }

    #[test]
    fn a_hook_that_fails_is_no_failure_and_a_failure_leaves_nothing_and_has_a_reason() {
        let filter = "git config filter.bad.smudge 'echo no filter >&2; false'; git config filter.bad.required true";
        for (script, filters, expected) in [
            ("exit 3", false, None),
            ("echo no hook >&2; exit 1", false, None),
            ("kill -9 $$", false, None),
            ("exit 0", true, Some("no filter")),
            ("exit 3", true, Some("smudge filter bad failed")),
        ] {
            let folder = repository();
            let root = folder.path();
            commit(root, ".gitattributes", "*.txt filter=bad\n");
            hook(root, script);
            if filters {
                sh(root, filter);
            }
            let tree = WorkTree::find(root).unwrap();
            let other = tempfile::tempdir().unwrap();
            let path = other.path().join("fresh");
            let made = set_up(&tree, &path, "ccd/1");
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
    fn hooks_and_filters_run_only_if_asked_for() {
        let folder = repository();
        let root = folder.path();
        commit(root, ".gitattributes", "*.txt filter=x\n");
        sh(root, "git config filter.x.smudge 'touch ../filtered; cat'");
        hook(root, "touch ../hooked");
        let tree = WorkTree::find(root).unwrap();
        for is_asked in [false, true] {
            let other = tempfile::tempdir().unwrap();
            let path = other.path().join("fresh");
            let add = if is_asked { set_up } else { add };
            let made = add(&tree, &path, "ccd/1").unwrap();
            assert_eq!(fs::read(path.join("a.txt")).unwrap(), b"a\n");
            assert_eq!(git(&path, &["status", "--porcelain"]), "");
            for marker in ["filtered", "hooked"] {
                assert_eq!(other.path().join(marker).exists(), is_asked, "{marker}");
            }
            tree.remove_linked(&made.root, "ccd/1");
            assert!(!path.exists());
            assert_eq!(git(root, &["branch", "--list", "ccd/*"]), "");
            assert!(!root.join(".git/worktrees").exists());
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
        let at = path.display();
        let script = format!("git worktree add -q -b ccd/1 {at}; git worktree lock {at}");
        sh(root, &script);
        fs::write(path.join("by a hook"), "x").unwrap();
        let error = new.made(None, "").unwrap_err().to_string();
        let expected = "git worktree add failed: a signal ended git";
        assert!(error.ends_with(expected), "{error}");
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
        fs::write(path.join("new.txt"), "x").unwrap();
        tree.remove_linked(&path, "ccd/1");
        assert!(path.join("new.txt").exists());
        assert_eq!(git(&path, &["branch", "--show-current"]).trim(), "ccd/1");
    }
}
