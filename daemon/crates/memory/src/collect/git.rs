//! Branch and conflicts.

use super::facts::{CollectedPart, GitFacts, Sourced};
use super::project::{Collector, Project};
use ccd_repository::WorkTree;
use std::path::{Path, PathBuf};
use std::time::Instant;

pub(super) struct GitCollector;

impl Collector for GitCollector {
    fn name(&self) -> &'static str {
        "git"
    }

    fn collect(&self, project: &Project, _deadline: Instant) -> Result<CollectedPart, String> {
        let Some(tree) = &project.work_tree else {
            let value = GitFacts {
                branch: "unknown".to_owned(),
                conflicts: Vec::new(),
            };
            return Ok(CollectedPart::Git(Sourced {
                value,
                source: "no git repository".to_owned(),
                at: None,
            }));
        };
        let head = tree.head().ok().flatten();
        let branch = tree.branch().map_err(|error| error.to_string())?;
        let value = GitFacts {
            branch,
            conflicts: conflicts(tree, &project.root)?,
        };
        let source = match head {
            Some(head) => format!("git {head}"),
            None => "git".to_owned(),
        };
        Ok(CollectedPart::Git(Sourced {
            value,
            source,
            at: None,
        }))
    }
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
