//! What git ignores.

use crate::error::Result;
use crate::{WorkTree, open};
use std::path::{Path, PathBuf};

/// The rules of a directory on what git ignores. The rules in a directory are read when something in it is asked for.
pub struct IgnoreRules {
    repository: open::Opened,
    top: PathBuf,
}

impl IgnoreRules {
    /// Returns the rules for what is in `directory`: those of its repository or, outside one or if that ignores it, its own.
    pub fn of(directory: &Path, tree: Option<&WorkTree>) -> Result<Self> {
        if let Some(tree) = tree {
            let (repository, top) = (tree.open()?, tree.root.clone());
            let rules = Self { repository, top };
            if !rules.ignores(directory) {
                return Ok(rules);
            }
        }
        Ok(Self {
            repository: open::without_git_folder(directory)?,
            top: directory.to_owned(),
        })
    }

    /// Returns whether git ignores a file or a directory, or what it is in. libgit2 does not see that a file of rules includes what
    /// one above it ignores.
    #[must_use]
    pub fn ignores(&self, path: &Path) -> bool {
        let inside = path.strip_prefix(&self.top).unwrap_or(path);
        let is_inside = inside.components().next().is_some();
        is_inside && self.repository.is_path_ignored(inside).unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_repository::repository;

    const RULES: &str = "*.log\n!keep.log\n/top\nmade/\n";

    #[test]
    fn rules_hold_with_and_without_a_repository() {
        let folder = tempfile::tempdir().unwrap();
        let repository = repository();
        let tree = WorkTree::find(repository.path()).unwrap();
        for (root, tree) in [(folder.path(), None), (&*tree.root, Some(&tree))] {
            for folder in ["sub/made", "made", "sub/top"] {
                std::fs::create_dir_all(root.join(folder)).unwrap();
            }
            std::fs::write(root.join(".gitignore"), RULES).unwrap();
            std::fs::write(root.join("sub/.gitignore"), "c\n").unwrap();
            let rules = IgnoreRules::of(root, tree).unwrap();
            for (path, is_ignored) in [
                ("", false),
                ("a.log", true),
                ("keep.log", false),
                ("sub/a.log", true),
                ("c", false),
                ("sub/c", true),
                ("top", true),
                ("sub/top", false),
                ("sub/made", true),
                ("made/x.rs", true),
            ] {
                assert_eq!(rules.ignores(&root.join(path)), is_ignored, "{path}");
            }
            // A project in a directory that its repository ignores has its own rules.
            let rules = IgnoreRules::of(&root.join("made"), tree).unwrap();
            assert!(!rules.ignores(&root.join("made/x.rs")));
        }
    }
}
