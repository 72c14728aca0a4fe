//! The work tree that a directory belongs to.

use crate::error::{GitResult, RepositoryError, Result};
use crate::open;
use git2::{Commit, ErrorCode, Repository};
use std::io;
use std::path::{Path, PathBuf};

/// A work tree and its folders. All paths are absolute, with links resolved.
/// It holds no handle: each method opens the repository, which is cheap, so that a `git gc` or a removed `.git` between
/// two calls is noticed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkTree {
    pub root: PathBuf,
    /// The git folder of this work tree; linked work trees have their own.
    pub git_dir: PathBuf,
    /// The git folder that all linked work trees share.
    pub common_dir: PathBuf,
}

impl WorkTree {
    /// Returns the work tree that the directory `path` is in, also with an unborn branch or a detached head.
    pub fn find(path: &Path) -> Result<Self> {
        std::fs::read_dir(path).map_err(|error| unreadable(path, error))?;
        let repository = open::discover(path)?;
        let Some(root) = repository.workdir() else {
            return Err(RepositoryError::Bare(path.to_owned()));
        };
        let tree = Self {
            root: resolve(root)?,
            git_dir: resolve(repository.path())?,
            common_dir: resolve(repository.commondir())?,
        };
        // Whatever is done in a git folder is part of no work tree.
        let path = resolve(path)?;
        if path.starts_with(&tree.git_dir) || path.starts_with(&tree.common_dir) {
            return Err(RepositoryError::NoRepository(path));
        }
        Ok(tree)
    }

    /// Returns the id of the commit that is checked out; nothing on an unborn branch.
    pub fn head(&self) -> Result<Option<String>> {
        self.with(|repository| Ok(head_of(repository)?.map(|commit| commit.id().to_string())))
    }

    /// Does work that only libgit2 can fail at.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&Repository) -> GitResult<T>) -> Result<T> {
        work(&*self.open()?).map_err(|error| self.git(error))
    }

    /// Opens the repository, and only this one: if `.git` was removed, not the one that the directory would then be in.
    pub(crate) fn open(&self) -> Result<open::Opened> {
        let gone = || RepositoryError::Gone {
            root: self.root.clone(),
            git_dir: self.git_dir.clone(),
        };
        let repository = open::open(&self.root).map_err(|error| match error {
            RepositoryError::NoRepository(_) => gone(),
            error => error,
        })?;
        if resolve(repository.path())? != self.git_dir {
            return Err(gone());
        }
        Ok(repository)
    }

    pub(crate) fn git(&self, error: git2::Error) -> RepositoryError {
        RepositoryError::git(&self.root, error)
    }

    /// Returns the reason for an error of something that writes objects.
    pub(crate) fn not_written(&self, error: git2::Error) -> RepositoryError {
        let objects = self.common_dir.join("objects");
        match rustix::fs::access(&objects, rustix::fs::Access::WRITE_OK) {
            Ok(()) => self.git(error),
            Err(_) => RepositoryError::NotWritable(objects),
        }
    }
}

/// Returns the commit that is checked out; nothing on an unborn branch.
pub(crate) fn head_of(repository: &Repository) -> GitResult<Option<Commit<'_>>> {
    match repository.head().and_then(|head| head.peel_to_commit()) {
        Err(error) if error.code() == ErrorCode::UnbornBranch => Ok(None),
        head => head.map(Some),
    }
}

fn resolve(path: &Path) -> Result<PathBuf> {
    path.canonicalize().map_err(|error| unreadable(path, error))
}

fn unreadable(path: &Path, source: io::Error) -> RepositoryError {
    let path = path.to_owned();
    match source.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            RepositoryError::NoDirectory(path)
        }
        _ => RepositoryError::NotReadable { path, source },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_repository::{git, repository, sh};
    use crate::{Lock, identify};

    #[test]
    fn every_directory_and_link_leads_to_one_work_tree() {
        let folder = repository();
        std::fs::create_dir_all(folder.path().join("a b/c")).unwrap();
        let links = tempfile::tempdir().unwrap();
        let link = links.path().join("link");
        std::os::unix::fs::symlink(folder.path(), &link).unwrap();
        let tree = WorkTree::find(folder.path()).unwrap();
        assert_eq!(tree.root, folder.path().canonicalize().unwrap());
        assert_eq!(tree.git_dir, tree.root.join(".git"));
        assert_eq!(tree.common_dir, tree.git_dir);
        assert_eq!(WorkTree::find(&link.join("a b/c")).unwrap(), tree);
        let head = git(folder.path(), &["rev-parse", "HEAD"]);
        assert_eq!(tree.head().unwrap().unwrap(), head.trim());
    }

    #[test]
    fn a_linked_work_tree_has_its_own_git_folder_and_lock_and_shares_the_rest() {
        let folder = repository();
        let other = tempfile::tempdir().unwrap();
        let path = other.path().join("linked");
        let add = ["worktree", "add", "-q", path.to_str().unwrap()];
        git(folder.path(), &add);
        let main = WorkTree::find(folder.path()).unwrap();
        let linked = WorkTree::find(&path).unwrap();
        assert_eq!(linked.git_dir, main.git_dir.join("worktrees/linked"));
        assert_eq!(linked.common_dir, main.git_dir);
        let _held = Lock::try_acquire(&main, "").unwrap();
        Lock::try_acquire(&linked, "").unwrap();
        let [one, two] = [folder.path(), &path].map(|path| identify(path).unwrap());
        assert_eq!(one.key, two.key);
        assert_ne!(one.root, two.root);
    }

    #[test]
    fn a_git_folder_elsewhere_is_that_of_a_normal_repository() {
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (root, separate) = (folder.path(), other.path().join("separate"));
        let option = format!("--separate-git-dir={}", separate.display());
        let script = format!("git init -q -b main {option}; git config user.name dev; git config user.email dev@example.com
            echo a > a.txt; git add .; git commit -q -m a; mkdir inner");
        sh(root, &script);
        let tree = WorkTree::find(&root.join("inner")).unwrap();
        assert_eq!(tree.root, root.canonicalize().unwrap());
        assert_eq!(tree.git_dir, separate.canonicalize().unwrap());
        assert_eq!(identify(&root.join("inner")).unwrap().root, root);
        let before = tree.snapshot().unwrap();
        std::fs::write(root.join("a.txt"), "b\n").unwrap();
        let diff = tree.diff(&before, &tree.snapshot().unwrap()).unwrap();
        assert!(String::from_utf8_lossy(&diff).contains("-a\n+b\n"));
        git(root, &["checkout", "-q", "a.txt"]);
        tree.apply(&diff).unwrap();
        assert_eq!(std::fs::read_to_string(root.join("a.txt")).unwrap(), "b\n");
        let fresh = other.path().join("fresh");
        let linked = tree.new_linked(&fresh, "ccd/1").unwrap().make().unwrap();
        assert_eq!(linked.common_dir, tree.git_dir);
        std::fs::remove_dir_all(&separate).unwrap();
        let error = tree.head().unwrap_err();
        assert!(matches!(error, RepositoryError::Gone { .. }), "{error}");
    }

    #[test]
    fn a_directory_without_a_work_tree_is_an_error_that_says_why() {
        let folder = tempfile::tempdir().unwrap();
        let none = WorkTree::find(folder.path()).unwrap_err();
        assert!(matches!(none, RepositoryError::NoRepository(_)), "{none}");
        let gone = WorkTree::find(&folder.path().join("x")).unwrap_err();
        assert!(matches!(gone, RepositoryError::NoDirectory(_)), "{gone}");
        git(folder.path(), &["init", "-q", "--bare"]);
        let bare = WorkTree::find(folder.path()).unwrap_err();
        assert!(matches!(bare, RepositoryError::Bare(_)), "{bare}");
    }

    #[test]
    fn a_repository_of_another_user_is_refused() {
        let folder = repository();
        // Only root can give files away; others cannot make what this test needs.
        for path in [folder.path().to_owned(), folder.path().join(".git")] {
            if std::os::unix::fs::chown(path, Some(12345), None).is_err() {
                eprintln!("skipped: only root can give files to another user");
                return;
            }
        }
        let error = WorkTree::find(folder.path()).unwrap_err();
        assert!(matches!(error, RepositoryError::OtherOwner(_)), "{error}");
        assert!(error.to_string().contains("safe.directory"));
    }

    #[test]
    fn a_removed_git_folder_is_noticed_also_inside_another_repository() {
        let outer = repository();
        let inner = outer.path().join("inner");
        git(outer.path(), &["init", "-q", inner.to_str().unwrap()]);
        let tree = WorkTree::find(&inner).unwrap();
        std::fs::remove_dir_all(inner.join(".git")).unwrap();
        let error = tree.head().unwrap_err();
        assert!(matches!(error, RepositoryError::Gone { .. }), "{error}");
    }
}
