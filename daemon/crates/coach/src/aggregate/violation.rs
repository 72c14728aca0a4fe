//! Violations of the agreed process.

use super::wording::Wording;
use crate::event::Event;
use crate::fingerprint::CandidateType;
use crate::table::document;
use serde::Deserialize;
use serde_json::Value;
use std::sync::LazyLock;

/// An edit of a file that another tool owns. The other kinds give no rule: if nobody objects, the project merges by squashing, and
/// an objection is a correction; a claim of success repeats the user's words or the result of an earlier turn.
#[derive(Debug, Clone)]
pub(super) struct Violation(&'static Folder);

/// A folder whose files are written by a tool.
#[derive(Debug, Deserialize)]
struct Folder {
    key: String,
    marks: Vec<String>,
    /// Names the kind in the trigger: paths are all one in a fingerprint.
    name: String,
    action: String,
}

static FOLDERS: LazyLock<Vec<Folder>> =
    LazyLock::new(|| document(include_str!("owned_folders.json")));

/// Returns each violation of an event with its key and what it did, each key once.
pub(super) fn violations(event: &Event) -> Vec<(String, Violation, String)> {
    let violations = event.context.violations.as_array();
    let mut found: Vec<(String, _, _)> = Vec::new();
    for violation in violations.into_iter().flatten() {
        let read = read(event, violation);
        found.extend(read.filter(|(key, _, _)| found.iter().all(|(known, _, _)| known != key)));
    }
    found
}

impl Violation {
    pub(super) fn confidence(n: f64) -> f64 {
        (0.75 + 0.05 * n).min(0.95)
    }

    pub(super) fn wording(&self) -> Option<Wording> {
        let Folder { name, action, .. } = self.0;
        let title = format!("Do not edit {name}; {action}");
        let trigger = format!("when about to edit {name}");
        Wording::new(CandidateType::Rule, &title, &trigger, action)
    }
}

fn read(event: &Event, violation: &Value) -> Option<(String, Violation, String)> {
    let text = |name: &str| violation[name].as_str().unwrap_or_default();
    let context = &event.context;
    if text("kind") != "cache_path_edit" {
        return None;
    }
    let (own_path, own_file) = (text("file_path"), text("file"));
    let file = [own_path, own_file, &context.file, &context.file_path];
    // The file is relative to the repository in some events; the pattern that matched names the folder as well.
    let pattern = text("pattern").replace('\\', "");
    let mut paths = file.into_iter().chain([event.message(), &pattern]);
    let (folder, path) = paths.find_map(|path| Some((folder_of(path)?, path.to_owned())))?;
    let key = format!("cache_path_edit {}", folder.key);
    Some((key, Violation(folder), path))
}

fn folder_of(path: &str) -> Option<&'static Folder> {
    FOLDERS.iter().find(|folder| {
        folder.marks.iter().any(|mark| {
            path.contains(mark) && (mark != "/.bare" || path.trim_end_matches('$').ends_with(mark))
        })
    })
}
