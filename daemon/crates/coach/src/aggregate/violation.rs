//! Violations of the agreed process.

use super::wording::{Wording, code, one_line};
use crate::command::{primary, violation_base};
use crate::event::Event;
use crate::fingerprint::CandidateType;
use crate::table::document;
use serde::Deserialize;
use serde_json::Value;
use std::sync::LazyLock;

#[derive(Debug, Clone)]
pub(super) enum Violation {
    /// An edit of a file that another tool owns.
    OwnedFile { folder: &'static Folder },
    /// A kind that this version does not know, with the base command.
    Other { kind: String, base: String },
}

/// A folder whose files are written by a tool.
#[derive(Debug, Deserialize)]
pub(super) struct Folder {
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
    pub(super) fn confidence(&self, n: f64) -> f64 {
        match self {
            Self::OwnedFile { .. } => (0.75 + 0.05 * n).min(0.95),
            Self::Other { .. } => 0.55,
        }
    }

    pub(super) fn wording(&self) -> Option<Wording> {
        match self {
            Self::OwnedFile { folder } => Wording::new(
                CandidateType::Rule,
                &format!("Do not edit {}; {}", folder.name, folder.action),
                &format!("when about to edit {}", folder.name),
                &folder.action,
            ),
            Self::Other { kind, base } => {
                let base = code(base);
                Wording::new(
                    CandidateType::Rule,
                    &format!("Ask before {base}: {kind}"),
                    &format!("when about to run {base} ({kind})"),
                    &format!("ask the user before running {base} in this way"),
                )
            }
        }
    }
}

fn read(event: &Event, violation: &Value) -> Option<(String, Violation, String)> {
    let text = |name: &str| violation[name].as_str().unwrap_or_default();
    let context = &event.context;
    let line = match text("command") {
        "" => &context.command,
        line => line,
    };
    let (own_path, own_file) = (text("file_path"), text("file"));
    let file = [own_path, own_file, &context.file, &context.file_path];
    match text("kind") {
        "" => None,
        "cache_path_edit" => {
            // The file is relative to the repository in some events; the pattern that matched names the folder as well.
            let pattern = text("pattern").replace('\\', "");
            let path = file.into_iter().chain([event.message(), &pattern]);
            let (folder, path) = path
                .filter_map(|path| Some((folder_of(path)?, path.to_owned())))
                .next()?;
            Some((
                format!("cache_path_edit {}", folder.key),
                Violation::OwnedFile { folder },
                path,
            ))
        }
        // Where nobody objects, squashing is how the project merges; an objection is a correction.
        "unauthorized_squash" => None,
        // Most are what the user said, or what an earlier turn has shown. "Did you run the tests?" makes a rule of it.
        "premature_success_claim" => None,
        kind => {
            let base = violation_base(&primary(line)?);
            let kind = one_line(&kind.replace('_', " "), 60);
            Some((
                format!("{kind} {base}"),
                Violation::Other {
                    kind,
                    base: base.clone(),
                },
                line.to_owned(),
            ))
        }
    }
}

fn folder_of(path: &str) -> Option<&'static Folder> {
    FOLDERS.iter().find(|folder| {
        folder.marks.iter().any(|mark| {
            path.contains(mark) && (mark != "/.bare" || path.trim_end_matches('$').ends_with(mark))
        })
    })
}
