//! What was done last, as git knows it.

use crate::model::clip;
use ccd_protocol::memory::{MemoryRecent, MemoryRecentKind};
use ccd_repository::WorkTree;
use ccd_text::redact::redact;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

const COMMITS: usize = 3;
/// Uncommitted files that are named.
const NAMED: usize = 5;
const TEXT_CHARS: usize = 300;

/// Something that was done, without secrets and in one line.
#[must_use]
pub fn recent_of(kind: MemoryRecentKind, text: &str, at: Option<String>) -> MemoryRecent {
    let words: Vec<&str> = text.split_whitespace().collect();
    MemoryRecent {
        kind,
        text: clip(&redact(&words.join(" ")).text, TEXT_CHARS),
        at,
    }
}

fn tree(directory: &Path) -> Option<(PathBuf, WorkTree)> {
    let root = directory.canonicalize().ok()?;
    let tree = WorkTree::find(&root).ok()?;
    Some((root, tree))
}

/// Returns the branch and the last commits of a project; nothing outside git. Blocks. On a branch of its own, only its
/// commits are of interest.
#[must_use]
pub fn recent(directory: &Path) -> Vec<MemoryRecent> {
    let Some((_, tree)) = tree(directory) else {
        return Vec::new();
    };
    let ahead = tree.ahead_of_default().ok().flatten();
    let commits = ahead
        .as_ref()
        .map_or(COMMITS, |(_, ahead)| COMMITS.min(*ahead));
    let past = tree.last_commits(commits).unwrap_or_default();
    let commit = |commit: ccd_repository::PastCommit| {
        let time = Duration::from_secs(u64::try_from(commit.time_s).unwrap_or(0));
        let at = ccd_base::clock::at(SystemTime::UNIX_EPOCH + time);
        recent_of(MemoryRecentKind::Commit, &commit.subject, Some(at))
    };
    let branch = ahead.and_then(|(default, ahead)| {
        let own = tree.branch().ok().filter(|own| own != "HEAD")?;
        let commits = match ahead {
            0 => format!("no commit since {default}"),
            1 => format!("1 commit since {default}"),
            ahead => format!("{ahead} commits since {default}"),
        };
        let text = format!("{own}, {commits}");
        Some(recent_of(MemoryRecentKind::Branch, &text, None))
    });
    let past = past.into_iter().map(commit);
    branch.into_iter().chain(past).collect()
}

/// Returns the files that differ from the last commit; nothing outside git. Blocks, the longer the more files there are.
#[must_use]
pub fn uncommitted(directory: &Path) -> Option<MemoryRecent> {
    let (root, tree) = tree(directory)?;
    let changes = tree.changes().ok()?.into_iter();
    let inside = changes.filter_map(|path| {
        let path = tree.root.join(path);
        Some(
            path.strip_prefix(&root)
                .ok()?
                .to_string_lossy()
                .into_owned(),
        )
    });
    let paths: Vec<String> = inside.collect();
    let named = paths[..paths.len().min(NAMED)].join(", ");
    let more = match paths.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let text = match paths.len() {
        0 => return None,
        1 => named,
        len => format!("{len} files: {named}{more}"),
    };
    Some(recent_of(MemoryRecentKind::Uncommitted, &text, None))
}
