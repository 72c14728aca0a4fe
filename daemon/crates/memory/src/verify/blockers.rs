//! Whether what blockers are about is still so: missing files, files with comments, conflicts.

use super::Verified;
use crate::collect::Project;
use ccd_protocol::memory::{BlockerEntry, FileReference, SessionMemory};
use ccd_text::redact::{MASK, redact};
use std::collections::HashSet;
use std::path::{Component, Path};

/// Files that are looked for.
const MAX_PATHS: usize = 50;

/// What a blocker says of its file.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Missing,
    Comment,
    Conflict,
}

/// Returns the file that a blocker is about.
fn subject(blocker: &BlockerEntry) -> Option<(Kind, &str)> {
    let text = &blocker.description;
    if let Some(path) = blocker.title.strip_prefix("Missing file ") {
        return Some((Kind::Missing, path));
    }
    if let Some(path) = text.strip_prefix("git has an unresolved conflict in ") {
        return Some((Kind::Conflict, path));
    }
    // Such as `FIXME comment in PATH:LINE`.
    let (word, place) = text.split_once(" comment in ")?;
    let is_word = word.bytes().all(|byte| byte.is_ascii_uppercase());
    Some((Kind::Comment, place.rsplit_once(':').filter(|_| is_word)?.0))
}

pub(super) fn is_conflict(blocker: &BlockerEntry) -> bool {
    subject(blocker).is_some_and(|(kind, _)| kind == Kind::Conflict)
}

fn is_of_comment(file: &FileReference) -> bool {
    file.reason.ends_with(" comment")
}

/// Returns the files that have to be there or not, each once.
pub(super) fn paths(memory: &SessionMemory) -> Vec<String> {
    let blockers = memory.blockers.iter().filter_map(subject);
    let blockers = blockers.filter(|(kind, _)| *kind != Kind::Conflict);
    let files = memory.files_needing_attention.iter();
    let files = files.filter(|file| is_of_comment(file));
    let all = blockers.map(|(_, path)| path);
    let all = all.chain(files.map(|file| &*file.path));
    let mut seen = HashSet::new();
    let exact = all.filter(|path| is_exact(path) && seen.insert(*path));
    exact.take(MAX_PATHS).map(str::to_owned).collect()
}

/// False for a path whose name is not known in full, and for one that is not in the project.
fn is_exact(path: &str) -> bool {
    let is_inside = |part| matches!(part, Component::Normal(_));
    !path.contains(MASK)
        && !path.contains('\u{fffd}')
        && !path.ends_with('…')
        && Path::new(path).components().all(is_inside)
}

/// Says of each path whether something is there.
pub(super) fn present(project: &Project, paths: Vec<String>) -> Vec<(String, bool)> {
    let is_there = |path: &String| project.root.join(path).symlink_metadata().is_ok();
    let looked_at = paths.into_iter().map(|path| (is_there(&path), path));
    looked_at.map(|(is_there, path)| (path, is_there)).collect()
}

impl Verified {
    pub(super) fn files(&mut self, looked_at: Vec<(String, bool)>) {
        for (path, is_there) in looked_at {
            let missing = Some((Kind::Missing, &*path));
            let mut blockers = self.current.memory.blockers.iter();
            let (was, now, fact) = match (blockers.any(|one| subject(one) == missing), is_there) {
                (true, true) => ("missing", "exists", "exists now"),
                (true, false) => ("missing", "missing", "is still missing"),
                (false, true) => continue,
                (false, false) => ("exists", "gone", "is gone"),
            };
            self.look_of(&path, (was, now), format!("{path} {fact}"));
        }
    }

    pub(super) fn conflicts(&mut self, conflicts: Vec<String>) {
        // The memory has them without secrets.
        let conflicts: Vec<_> = conflicts.iter().map(|path| redact(path).text).collect();
        let subjects = self.current.memory.blockers.iter().filter_map(subject);
        let known = subjects.filter(|(kind, _)| *kind == Kind::Conflict);
        let known: Vec<String> = known.map(|(_, path)| path.to_owned()).collect();
        for path in known {
            let (now, fact) = match conflicts.iter().any(|one| *one == path) {
                true => ("conflict", "is not resolved yet"),
                false => ("resolved", "is resolved"),
            };
            self.look_of(
                &path,
                ("conflict", now),
                format!("the conflict in {path} {fact}"),
            );
        }
    }

    /// Adds what a look at a file says; if it is not as it was, what blockers and files say of it is left out.
    fn look_of(&mut self, path: &str, (was, now): (&str, &str), fact: String) {
        self.add(fact, was == now, was, now);
        if was != now {
            self.drop_blockers(|one| subject(one).is_some_and(|(_, other)| other == path));
            let is_shown =
                |file: &FileReference| is_of_comment(file) || file.reason == "Merge conflict";
            self.drop_files(|file| file.path == path && is_shown(file));
        }
    }
}
