//! Commits one file to a new branch, without touching work tree and index.

use crate::error::RepositoryError;
use crate::open::discover;
use git2::FileMode;
use git2::build::TreeUpdateBuilder;
use std::path::Path;

#[derive(Debug, thiserror::Error)]
pub enum BranchError {
    #[error(transparent)]
    Repository(#[from] RepositoryError),
    #[error("the branch {0} exists already")]
    Exists(String),
    #[error("{0:?} is not a name for a branch")]
    Name(String),
    #[error("git: {0}")]
    Git(#[from] git2::Error),
}

/// Commits `content` as the file `path`, relative to the work tree of `root`, to the new branch `branch` on top of
/// `HEAD`. Returns the commit's id.
/// On an error, nothing has changed.
pub fn commit_file(
    root: &Path,
    branch: &str,
    path: &Path,
    content: &[u8],
    message: &str,
) -> Result<String, BranchError> {
    let repository = discover(root)?;
    let reference = format!("refs/heads/{branch}");
    if !git2::Branch::name_is_valid(branch)? {
        return Err(BranchError::Name(branch.to_owned()));
    }
    if repository.find_reference(&reference).is_ok() {
        return Err(BranchError::Exists(branch.to_owned()));
    }
    let parent = repository.head()?.peel_to_commit()?;
    let tree = parent.tree()?;
    let mode = match tree.get_path(path).map(|entry| entry.filemode()) {
        Ok(mode) if mode == i32::from(FileMode::BlobExecutable) => FileMode::BlobExecutable,
        _ => FileMode::Blob,
    };
    let blob = repository.blob(content)?;
    let tree = TreeUpdateBuilder::new()
        .upsert(path.as_os_str().as_encoded_bytes(), blob, mode)
        .create_updated(&repository, &tree)?;
    let tree = repository.find_tree(tree)?;
    let author = repository.signature()?;
    let commit = repository.commit(
        Some(&reference),
        &author,
        &author,
        message,
        &tree,
        &[&parent],
    )?;
    Ok(commit.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_repository::{git, repository};

    #[test]
    fn a_commit_to_a_branch_has_the_file_and_touches_nothing_else() {
        let folder = repository();
        let root = folder.path();
        std::fs::write(root.join("a.txt"), "changed\n").unwrap();
        std::fs::write(root.join("new.txt"), "staged\n").unwrap();
        git(root, &["add", "new.txt"]);
        let before = git(root, &["status", "--porcelain"]);
        let path = Path::new("docs/RULES.md");
        let commit = commit_file(root, "coach/rule", path, b"rule\n", "A rule\n").unwrap();
        assert_eq!(git(root, &["status", "--porcelain"]), before);
        assert_eq!(git(root, &["branch", "--show-current"]), "main\n");
        assert_eq!(git(root, &["rev-parse", "coach/rule"]).trim(), commit);
        assert_eq!(git(root, &["show", "coach/rule:docs/RULES.md"]), "rule\n");
        assert_eq!(
            git(root, &["diff", "--name-only", "main", "coach/rule"]),
            "docs/RULES.md\n"
        );
        let again = commit_file(root, "coach/rule", path, b"", "x").unwrap_err();
        assert!(matches!(again, BranchError::Exists(_)), "{again}");
    }

    #[test]
    fn bad_names_and_directories_without_a_repository_are_refused() {
        let folder = repository();
        let bad = commit_file(folder.path(), "a..b", Path::new("x"), b"", "x").unwrap_err();
        assert!(matches!(bad, BranchError::Name(_)), "{bad}");
        let empty = tempfile::tempdir().unwrap();
        let none = commit_file(empty.path(), "b", Path::new("x"), b"", "x").unwrap_err();
        assert!(
            none.to_string().contains("not in a git repository"),
            "{none}"
        );
    }
}
