//! What is looked at again when a memory is read. A part that cannot be read is nothing.

use super::facts::{Sourced, SuiteFacts};
use super::project::Project;
use std::time::{Instant, SystemTime};

pub(crate) fn branch(project: &Project) -> Option<String> {
    match &project.work_tree {
        Some(tree) => tree.branch().ok(),
        None => Some("unknown".to_owned()),
    }
}

/// Returns the reports of tests that were written after a time, the newest first.
pub(crate) fn reports_since(
    project: &Project,
    since: SystemTime,
    deadline: Instant,
) -> Option<Vec<Sourced<SuiteFacts>>> {
    let found = super::reports::reports(&project.root, Some(since), deadline);
    Some(found.ok()?.value)
}
