//! Files that need attention: failing tests first, then open points by urgency.

use super::blockers::chosen;
use crate::collect::facts::Facts;
use ccd_protocol::memory::{FileReference, Priority, TestResults};

pub(super) fn files(facts: &Facts, tests: &TestResults) -> Vec<FileReference> {
    let mut files: Vec<FileReference> = Vec::new();
    let conflicts = facts.git.iter().flat_map(|git| &git.value.conflicts);
    files.extend(conflicts.map(|path| FileReference {
        path: path.clone(),
        line: None,
        reason: "Merge conflict".to_owned(),
        priority: Priority::High,
    }));
    let failures = tests.unit.failures.iter().chain(&tests.e2e.failures);
    let failures = failures.filter(|failure| !failure.file.is_empty());
    files.extend(failures.map(|failure| FileReference {
        path: failure.file.clone(),
        line: failure.line,
        reason: "Failing test".to_owned(),
        priority: Priority::High,
    }));
    let plan = facts.plan.as_ref().map(|plan| &plan.value);
    let comments = chosen(&facts.comments, plan).into_iter();
    files.extend(comments.map(|comment| FileReference {
        path: comment.path.clone(),
        line: Some(comment.line),
        reason: format!("{} comment", comment.keyword.word()),
        priority: comment.priority(),
    }));
    files.sort_by_key(|file| file.priority);
    // Many tests fail in one place; it is named once.
    let mut seen = std::collections::HashSet::new();
    files.retain(|file| seen.insert((file.path.clone(), file.line)));
    files
}
