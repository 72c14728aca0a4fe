//! Whether what blockers are about is still so: missing files, files with comments, conflicts.

use super::Verified;
use crate::collect::Project;
use ccd_protocol::memory::{BlockerEntry, SessionMemory};
use ccd_text::redact::{MASK, redact};
use std::collections::BTreeSet;
use std::path::{Component, Path};

const MAX_PATHS: usize = 50;

/// What the memory says of a file, `missing`, `conflict` or `exists`, and its path.
type Subject = (&'static str, String);

fn subject(blocker: &BlockerEntry) -> Option<Subject> {
    let text = &blocker.description;
    if let Some(path) = blocker.title.strip_prefix("Missing file ") {
        return Some(("missing", path.to_owned()));
    }
    if let Some(path) = text.strip_prefix("git has an unresolved conflict in ") {
        return Some(("conflict", path.to_owned()));
    }
    // Such as `FIXME comment in PATH:LINE`.
    let (word, place) = text.split_once(" comment in ")?;
    let is_word = word.bytes().all(|byte| byte.is_ascii_uppercase());
    let (path, _) = place.rsplit_once(':').filter(|_| is_word)?;
    Some(("exists", path.to_owned()))
}

/// Returns the files that have to be there or not, and those with conflicts, each once.
pub(super) fn subjects(memory: &SessionMemory) -> (Vec<Subject>, Vec<Subject>) {
    let subjects = memory.blockers.iter().filter_map(subject);
    let subjects = subjects.collect::<BTreeSet<Subject>>().into_iter();
    let (conflicts, mut files): (Vec<_>, Vec<_>) = subjects.partition(|one| one.0 == "conflict");
    files.retain(|(_, path)| is_exact(path));
    files.truncate(MAX_PATHS);
    (files, conflicts)
}

/// False for a path whose name is not known in full, and for one that is not in the project.
fn is_exact(path: &str) -> bool {
    let is_inside = |part| matches!(part, Component::Normal(_));
    !path.contains(MASK)
        && !path.contains('\u{fffd}')
        && !path.ends_with('…')
        && Path::new(path).components().all(is_inside)
}

pub(super) fn present(project: &Project, files: Vec<Subject>) -> Vec<(bool, Subject)> {
    let is_there = |path: &str| project.root.join(path).symlink_metadata().is_ok();
    let files = files.into_iter();
    files.map(|about| (is_there(&about.1), about)).collect()
}

/// Says of each file whether its conflict is there. The memory has them without secrets.
pub(super) fn conflicts(project: &Project, files: Vec<Subject>) -> Option<Vec<(bool, Subject)>> {
    let conflicts = crate::collect::conflicts(project.work_tree.as_ref()?, &project.root).ok()?;
    let is_there = |path: &str| conflicts.iter().any(|one| redact(one).text == path);
    let files = files.into_iter();
    Some(files.map(|about| (is_there(&about.1), about)).collect())
}

impl Verified {
    /// Takes of each file whether it, or its conflict, is there.
    pub(super) fn subjects(&mut self, found: Vec<(bool, Subject)>) {
        for (is_there, about) in found {
            let (was, path) = &about;
            let (now, fact) = match (*was, is_there) {
                ("missing", true) => ("exists", format!("{path} exists now")),
                ("missing", false) => ("missing", format!("{path} is still missing")),
                ("conflict", true) => (
                    "conflict",
                    format!("the conflict in {path} is not resolved yet"),
                ),
                ("conflict", false) => ("resolved", format!("the conflict in {path} is resolved")),
                (_, true) => continue,
                (_, false) => ("gone", format!("{path} is gone")),
            };
            self.add(fact, *was == now, was, now);
            if *was != now {
                self.drop_blockers(|one| subject(one).as_ref() == Some(&about));
            }
        }
    }
}
