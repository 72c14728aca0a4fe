//! What is looked at again when a memory is read. A part that cannot be read is nothing.

use super::facts::{Sourced, SuiteFacts};
use super::project::Project;
use ccd_repository::CommitsSince;
use std::time::{Instant, SystemTime};

pub(crate) fn branch(project: &Project) -> Option<String> {
    match &project.work_tree {
        Some(tree) => tree.branch().ok(),
        None => Some("unknown".to_owned()),
    }
}

/// Returns how `HEAD` differs from a commit; nothing inside if that does not exist any more.
pub(crate) fn commits(project: &Project, commit: &str, max: usize) -> Option<Option<CommitsSince>> {
    project.work_tree.as_ref()?.commits_since(commit, max).ok()
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

/// Returns the files with an unresolved conflict.
pub(crate) fn conflicts(project: &Project) -> Option<Vec<String>> {
    super::git::conflicts(project.work_tree.as_ref()?, &project.root).ok()
}
