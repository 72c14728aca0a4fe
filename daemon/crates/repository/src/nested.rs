//! Repositories inside a work tree: submodules, and others. A snapshot has only the commits that they have checked out.

use crate::error::Result;
use crate::work_tree::head_of;
use crate::{WorkTree, files};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The id of git's tree without entries.
const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/// The repositories inside a work tree by path, those inside them included, each with its snapshot.
pub type Nested = BTreeMap<PathBuf, String>;

impl WorkTree {
    /// Returns the snapshot, and those of the repositories inside. One that cannot be read is left out, as is a submodule
    /// that is not checked out.
    pub fn snapshot_with_nested(&self) -> Result<(String, Nested)> {
        let (snapshot, paths) = self.snapshot_and_repositories()?;
        let mut nested = Nested::new();
        for path in paths {
            let Some(tree) = self.inside(&path) else {
                continue;
            };
            if let Ok((snapshot, deeper)) = tree.snapshot_with_nested() {
                let deeper = deeper.into_iter();
                nested.extend(deeper.map(|(inner, snapshot)| (path.join(inner), snapshot)));
                nested.insert(path, snapshot);
            }
        }
        Ok((snapshot, nested))
    }

    /// Returns the paths of files inside nested repositories that are not as before, by repository. One that is new, or whose
    /// new commit `is_in_diff` says to be known already, is compared with the commit that it has checked out.
    pub fn nested_changes(
        &self,
        before: &Nested,
        after: &Nested,
        is_in_diff: impl Fn(&Path) -> bool,
    ) -> Result<BTreeMap<PathBuf, Vec<String>>> {
        let mut changes = BTreeMap::new();
        for (path, after) in after {
            let Some(tree) = self.inside(path) else {
                continue;
            };
            let before = match before.get(path).filter(|_| !is_in_diff(path)) {
                Some(before) => before.clone(),
                None => tree.head_tree()?,
            };
            let diff = tree.diff(&before, after)?;
            let names = files(&diff).into_iter().map(|file| path.join(file.path));
            let names: Vec<String> = names
                .map(|name| name.to_string_lossy().into_owned())
                .collect();
            if !names.is_empty() {
                changes.insert(path.clone(), names);
            }
        }
        Ok(changes)
    }

    /// Returns the repository whose work tree is at `path`; nothing if that is a part of this one.
    fn inside(&self, path: &Path) -> Option<Self> {
        let root = self.root.join(path);
        Self::find(&root).ok().filter(|tree| tree.root == root)
    }

    fn head_tree(&self) -> Result<String> {
        self.with(|repository| {
            Ok(match head_of(repository)? {
                Some(commit) => commit.tree_id().to_string(),
                None => EMPTY_TREE.to_owned(),
            })
        })
    }
}
