//! Branch and conflicts.

use super::facts::{GitFacts, Sourced};
use super::project::Project;
use ccd_repository::WorkTree;
use std::path::{Path, PathBuf};

pub(super) fn git(project: &Project) -> Result<Sourced<GitFacts>, String> {
    let mut facts = GitFacts {
        branch: project.branch()?,
        conflicts: Vec::new(),
    };
    let Some(tree) = &project.work_tree else {
        return Ok(Sourced::new(facts, "no git repository", None));
    };
    facts.conflicts = conflicts(tree, &project.root)?;
    let head = tree.head().ok().flatten();
    let source = head.map_or_else(|| "git".to_owned(), |head| format!("git {head}"));
    Ok(Sourced::new(facts, source, None))
}

/// Returns the files of the project with an unresolved conflict, relative to it.
pub(crate) fn conflicts(tree: &WorkTree, root: &Path) -> Result<Vec<String>, String> {
    let conflicts = tree.conflicts().map_err(|error| error.to_string())?;
    let inside = |path: &PathBuf| {
        let path = tree.root.join(path);
        Some(path.strip_prefix(root).ok()?.to_string_lossy().into_owned())
    };
    Ok(conflicts.iter().filter_map(inside).collect())
}
