//! The work tree after a run: what changed, and back to what it was.

use super::before::Before;
use super::history::GitHistory;
use crate::error::ExecError;
use ccd_protocol::ErrorCode;
use ccd_protocol::exec::DiffInfo;
use ccd_repository::{FileChange, RepositoryError, WorkTree, files};
use std::path::Path;

/// Longest diff of which each file's part is repeated in `diff_info`.
const MAX_PARTS_BYTES: usize = 16 << 20;

#[derive(Debug, Clone, Default)]
pub(crate) struct Changes {
    pub(crate) diff: String,
    /// The diff, if it is not UTF-8.
    bytes: Option<Vec<u8>>,
    pub(crate) files: Vec<String>,
    pub(crate) commit_hash: Option<String>,
    pub(crate) commits: Vec<String>,
    pub(crate) tree_after: Option<String>,
    pub(crate) warnings: Vec<String>,
}

impl Changes {
    /// Returns the diff exactly.
    pub(crate) fn diff_bytes(&self) -> &[u8] {
        self.bytes.as_deref().unwrap_or(self.diff.as_bytes())
    }
}

pub(crate) fn changes(tree: &WorkTree, before: &Before) -> Result<Changes, RepositoryError> {
    let (after, nested) = tree.snapshot_with_nested()?;
    let history = GitHistory::since(tree, before)?;
    let mut warnings = history.warnings;
    let diff = tree.diff(&before.snapshot, &after)?;
    let mut paths: Vec<String> = files(&diff).into_iter().map(|file| file.path).collect();
    if let Some(more) = &before.more {
        let is_in_diff = |path: &Path| paths.iter().any(|file| Path::new(file) == path);
        let changes = tree.nested_changes(&more.nested, &nested, is_in_diff)?;
        for (repository, inside) in changes {
            warnings.push(format!(
                "the run changed files inside {}, which is a repository of its own: the diff does not have them",
                repository.display()
            ));
            paths.extend(inside);
        }
    }
    paths.sort_unstable();
    paths.dedup();
    let (diff, bytes) = match String::from_utf8(diff) {
        Ok(text) => (text, None),
        Err(error) => {
            let bytes = error.into_bytes();
            (String::from_utf8_lossy(&bytes).into_owned(), Some(bytes))
        }
    };
    if bytes.is_some() {
        warnings.push(format!(
            "the diff has text that is not UTF-8, replaced by U+FFFD; git diff {} {after} prints it",
            before.snapshot
        ));
    }
    Ok(Changes {
        warnings,
        diff,
        bytes,
        files: paths,
        commit_hash: history.head,
        commits: history.commits,
        tree_after: Some(after),
    })
}

/// Returns what to say of a `stash` that was not restored, and of which kind that error is. In a recovery, the process that was
/// killed may have restored it already.
pub(crate) fn restored(
    restored: Result<(), ExecError>,
    stash: &str,
    is_recovery: bool,
) -> Result<(), (String, &'static str)> {
    use RepositoryError::{StashConflict, StashGone};
    let told = match &restored {
        Ok(()) => return Ok(()),
        Err(ExecError::Repository(StashGone { .. })) if is_recovery => return Ok(()),
        // These say themselves how to get it back.
        Err(error @ ExecError::Repository(StashGone { .. } | StashConflict { .. })) => {
            error.to_string()
        }
        Err(error) => format!(
            "{error}. What was put away is in the stash {stash}: run git stash pop --index once this is solved"
        ),
    };
    Err((told, ErrorCode::StashConflict.kind()))
}

/// Returns the files of a diff.
pub(crate) fn diff_info(diff: &str) -> Vec<DiffInfo> {
    let has_parts = diff.len() <= MAX_PARTS_BYTES;
    let info = |file: FileChange| DiffInfo {
        diff_text: match diff.get(file.range) {
            Some(part) if has_parts => part.to_owned(),
            _ => String::new(),
        },
        file_path: file.path,
        additions: file.additions as u64,
        deletions: file.deletions as u64,
        status: file.status,
        old_path: file.old_path,
    };
    files(diff.as_bytes()).into_iter().map(info).collect()
}
