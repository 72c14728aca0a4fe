//! Whether what blockers are about is still so: missing files, files with comments, conflicts.

use super::Verified;
use crate::collect::Now;
use ccd_protocol::memory::{BlockerEntry, FileReference, SessionMemory};
use ccd_text::redact::{MASK, redact};
use std::path::{Component, Path};

/// Files that are looked for.
const MAX_PATHS: usize = 50;

/// Returns the files that blockers name, each once.
pub(super) fn paths(memory: &SessionMemory) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    let missing = memory.blockers.iter().filter_map(missing_file);
    let comments = memory.blockers.iter().filter_map(file_of_comment);
    let files = memory
        .files_needing_attention
        .iter()
        .filter(|file| is_of_comment(file));
    for path in missing.chain(comments).chain(files.map(|file| &*file.path)) {
        if paths.len() < MAX_PATHS && is_exact(path) && !paths.iter().any(|other| other == path) {
            paths.push(path.to_owned());
        }
    }
    paths
}

/// False for a path whose name is not known in full, and for one that is not in the project.
fn is_exact(path: &str) -> bool {
    let is_inside = |part| matches!(part, Component::Normal(_));
    !path.contains(MASK)
        && !path.contains('\u{fffd}')
        && !path.ends_with('…')
        && Path::new(path).components().all(is_inside)
}

fn missing_file(blocker: &BlockerEntry) -> Option<&str> {
    blocker.title.strip_prefix("Missing file ")
}

/// Reads `FIXME comment in PATH:LINE`.
fn file_of_comment(blocker: &BlockerEntry) -> Option<&str> {
    let (word, place) = blocker.description.split_once(" comment in ")?;
    let is_word = word.bytes().all(|byte| byte.is_ascii_uppercase());
    Some(place.rsplit_once(':').filter(|_| is_word)?.0)
}

fn is_of_comment(file: &FileReference) -> bool {
    file.reason.ends_with(" comment")
}

fn conflict(blocker: &BlockerEntry) -> Option<&str> {
    blocker
        .description
        .strip_prefix("git has an unresolved conflict in ")
}

pub(super) fn is_conflict(blocker: &BlockerEntry) -> bool {
    conflict(blocker).is_some()
}

impl Verified {
    pub(super) fn files(&mut self, now: &Now) {
        let Some(present) = &now.present else {
            return;
        };
        let asked = paths(&self.current.memory);
        let mut gone = Vec::new();
        for path in asked {
            let is_there = present.contains(&path);
            let mut blockers = self.current.memory.blockers.iter();
            if blockers.any(|blocker| missing_file(blocker) == Some(&*path)) {
                let (fact, state) = match is_there {
                    true => ("exists now", "exists"),
                    false => ("is still missing", "missing"),
                };
                self.add(format!("{path} {fact}"), !is_there, "missing", state);
            } else if !is_there {
                self.add(format!("{path} is gone"), false, "exists", "gone");
                gone.push(path);
            }
        }
        self.drop_blockers(|blocker| {
            missing_file(blocker).is_some_and(|path| present.contains(path))
                || file_of_comment(blocker).is_some_and(|path| gone.iter().any(|one| one == path))
        });
        let files = &mut self.current.memory.files_needing_attention;
        files.retain(|file| !is_of_comment(file) || !gone.contains(&file.path));
    }

    pub(super) fn conflicts(&mut self, now: &Now) {
        let Some(conflicts) = &now.conflicts else {
            return;
        };
        // The memory has them without secrets.
        let is_left = |path: &str| {
            let mut conflicts = conflicts.iter();
            conflicts.any(|one| one == path || redact(one).text == path)
        };
        let blockers = self.current.memory.blockers.iter();
        let paths: Vec<String> = blockers.filter_map(conflict).map(str::to_owned).collect();
        for path in paths {
            let (fact, state) = match is_left(&path) {
                true => ("is not resolved yet", "conflict"),
                false => ("is resolved", "resolved"),
            };
            let holds = is_left(&path);
            self.add(
                format!("the conflict in {path} {fact}"),
                holds,
                "conflict",
                state,
            );
        }
        self.drop_blockers(|blocker| conflict(blocker).is_some_and(|path| !is_left(path)));
        let files = &mut self.current.memory.files_needing_attention;
        files.retain(|file| file.reason != "Merge conflict" || is_left(&file.path));
    }
}
