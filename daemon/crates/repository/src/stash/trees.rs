//! Trees and indexes, path by path.

use crate::error::GitResult;
use crate::snapshot::{as_path, entry};
use git2::{ObjectType, Oid, Repository, Tree};
use std::path::{Path, PathBuf};

/// Makes the index have what `to` has instead of `from`. Other entries keep their times and flags, except those of `written`:
/// git takes a file whose length is not that of its entry for changed, although only its line ends may be.
pub(crate) fn set_index(
    repository: &Repository,
    from: &Tree<'_>,
    to: &Tree<'_>,
    written: &[PathBuf],
) -> GitResult<()> {
    let mut index = repository.index()?;
    let mut paths = changed_paths(repository, Some(from), Some(to))?;
    let is_tracked = |path: &&PathBuf| lookup(to, path).is_some();
    paths.extend(written.iter().filter(is_tracked).cloned());
    let (present, missing): (Vec<_>, Vec<_>) = paths
        .into_iter()
        .map(|path| (lookup(to, &path), path))
        .partition(|(found, _)| found.is_some());
    for (_, path) in missing {
        index.remove_path(&path)?;
    }
    for (found, path) in present {
        if let Some((id, mode)) = found {
            index.add(&entry(&path, id, mode))?;
        }
    }
    index.write()
}

/// What is in a work tree, as ids of trees.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct WorkTreeState {
    /// The index.
    pub staged: Oid,
    /// What the work tree has of the files that the index has.
    pub tracked: Oid,
    /// Files that are neither in the index nor ignored.
    pub untracked: Option<Oid>,
}

impl WorkTreeState {
    pub(crate) fn files<'a>(&self, repository: &'a Repository) -> GitResult<Files<'a>> {
        let untracked = self.untracked.map(|id| repository.find_tree(id));
        Ok(Files {
            tracked: repository.find_tree(self.tracked)?,
            untracked: untracked.transpose()?,
        })
    }
}

/// The files of a work tree, without ignored ones.
pub(crate) struct Files<'a> {
    pub tracked: Tree<'a>,
    pub untracked: Option<Tree<'a>>,
}

impl Files<'_> {
    pub(crate) fn lookup(&self, path: &Path) -> Option<(Oid, u32)> {
        lookup(&self.tracked, path).or_else(|| lookup(self.untracked.as_ref()?, path))
    }
}

/// Returns the id and mode of a file or submodule in a tree.
pub(crate) fn lookup(tree: &Tree<'_>, path: &Path) -> Option<(Oid, u32)> {
    let entry = tree.get_path(path).ok()?;
    let mode = u32::try_from(entry.filemode()).ok()?;
    (entry.kind() != Some(ObjectType::Tree)).then_some((entry.id(), mode))
}

/// Returns the paths that two trees do not have in common; without a tree, all of the other.
pub(crate) fn changed_paths(
    repository: &Repository,
    one: Option<&Tree<'_>>,
    two: Option<&Tree<'_>>,
) -> GitResult<Vec<PathBuf>> {
    let diff = repository.diff_tree_to_tree(one, two, None)?;
    let mut paths: Vec<PathBuf> = diff
        .deltas()
        .filter_map(|delta| delta.new_file().path_bytes())
        .map(|bytes| as_path(bytes).to_owned())
        .collect();
    paths.sort_unstable();
    paths.dedup();
    Ok(paths)
}
