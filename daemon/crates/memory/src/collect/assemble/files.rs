//! Files that need attention: failing tests first, then open points by urgency.

use super::blockers::chosen;
use crate::collect::facts::Facts;
use ccd_protocol::memory::{FileReference, Priority, TestResults};

pub(super) fn files(facts: &Facts, tests: &TestResults) -> Vec<FileReference> {
    let file = |path: &String, line, reason: String, priority| FileReference {
        path: path.clone(),
        line,
        reason,
        priority,
    };
    let urgent = |path, line, reason: &str| file(path, line, reason.to_owned(), Priority::High);
    let conflicts = facts.git.iter().flat_map(|git| &git.value.conflicts);
    let conflicts = conflicts.map(|path| urgent(path, None, "Merge conflict"));
    let failures = tests.unit.failures.iter().chain(&tests.e2e.failures);
    let failures = failures.filter(|failure| !failure.file.is_empty());
    let failures = failures.map(|failure| urgent(&failure.file, failure.line, "Failing test"));
    let plan = facts.plan.as_ref().map(|plan| &plan.value);
    let comments = chosen(&facts.comments, plan).into_iter().map(|comment| {
        let reason = format!("{} comment", comment.keyword.word());
        file(
            &comment.path,
            Some(comment.line),
            reason,
            comment.priority(),
        )
    });
    let mut files: Vec<FileReference> = conflicts.chain(failures).chain(comments).collect();
    files.sort_by_key(|file| file.priority);
    // Many tests fail in one place; it is named once.
    let mut seen = std::collections::HashSet::new();
    files.retain(|file| seen.insert((file.path.clone(), file.line)));
    files
}
