//! Violations of the agreed process.

use super::finding::{Detail, Finding, command, content, text_of};
use super::known::GroupKind;
use super::wording::{Wording, code, one_line};
use crate::command::{parse, primary, violation_base};
use crate::event::Event;
use crate::fingerprint::CandidateType;
use serde_json::Value;

/// One violation.
#[derive(Debug, Clone)]
pub(super) enum Violation {
    /// A squash that nobody asked for, with the base command.
    Squash { base: String },
    /// An edit of a file that another tool owns.
    OwnedFile { folder: &'static Folder },
    /// A kind that this version does not know, with the base command.
    Other { kind: String, base: String },
}

/// A folder whose files are written by a tool.
#[derive(Debug)]
pub(super) struct Folder {
    key: &'static str,
    marks: &'static [&'static str],
    /// Names the kind in the trigger: paths are all one in a fingerprint.
    name: &'static str,
    action: &'static str,
}

/// Returns a finding for each violation of an event, each group once.
pub(super) fn findings(event: &Event) -> Vec<Finding> {
    let violations = event.context.get("violations").and_then(Value::as_array);
    let mut findings: Vec<Finding> = Vec::new();
    for violation in violations.into_iter().flatten() {
        let Some((key, violation, quoted)) = read(event, violation) else {
            continue;
        };
        if findings.iter().all(|finding| finding.key != key) {
            findings.push(Finding::new(
                GroupKind::Violation,
                key,
                &quoted,
                Detail::Violation(violation),
            ));
        }
    }
    findings
}

impl Violation {
    pub(super) fn confidence(&self, n: f64) -> f64 {
        match self {
            Self::Squash { .. } => (0.70 + 0.05 * n).min(0.95),
            Self::OwnedFile { .. } => (0.75 + 0.05 * n).min(0.95),
            Self::Other { .. } => 0.55,
        }
    }

    pub(super) fn wording(&self) -> Option<Wording> {
        match self {
            Self::Squash { base } => {
                let base = code(base);
                Wording::new(
                    CandidateType::Antipattern,
                    &format!("Do not squash with {base} unless the user asks for it"),
                    &format!("when about to squash commits with {base}"),
                    "keep the commits as they are; squash only if the user asks for it or the repository demands it",
                )
            }
            Self::OwnedFile { folder } => Wording::new(
                CandidateType::Rule,
                &format!("Do not edit {}; {}", folder.name, folder.action),
                &format!("when about to edit {}", folder.name),
                folder.action,
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

const FOLDERS: &[Folder] = &[
    Folder {
        key: "plugin cache",
        marks: &[".claude/plugins/cache/"],
        name: "a file in the plugin cache",
        action: "change the plugin in its own repository: the cache is overwritten by the next update",
    },
    Folder {
        key: "plugin marketplace",
        marks: &[".claude/plugins/marketplaces/"],
        name: "a file of a plugin marketplace",
        action: "change the marketplace in its own repository: the local copy is overwritten by the next update",
    },
    Folder {
        key: "installed skill",
        marks: &[".claude/skills/"],
        name: "an installed skill",
        action: "change the skill in the repository that it comes from, and install it from there",
    },
    Folder {
        key: "bare repository",
        marks: &["/.bare/", "/.bare"],
        name: "the inside of a bare git repository",
        action: "use git commands or a worktree; never write files of the git database by hand",
    },
];

fn read(event: &Event, violation: &Value) -> Option<(String, Violation, String)> {
    let of = |name: &str| {
        violation
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let line = [of("command"), command(event)]
        .into_iter()
        .find(|text| !text.is_empty())
        .unwrap_or_default();
    let file = [
        of("file_path"),
        of("file"),
        text_of(event, "file"),
        text_of(event, "file_path"),
    ];
    match of("kind") {
        "" => None,
        "unauthorized_squash" => {
            let base = squash_base(line)?;
            let key = format!("unauthorized_squash {base}");
            Some((key, Violation::Squash { base }, line.to_owned()))
        }
        "cache_path_edit" => {
            // The file is relative to the repository in some events; the pattern that matched names the folder as well.
            let pattern = of("pattern").replace('\\', "");
            let path = file.into_iter().chain([content(event), &pattern]);
            let (folder, path) = path
                .filter_map(|path| Some((folder_of(path)?, path.to_owned())))
                .next()?;
            Some((
                format!("cache_path_edit {}", folder.key),
                Violation::OwnedFile { folder },
                path,
            ))
        }
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

/// Returns the base of the part of a line that squashes, or of the part that it is about.
fn squash_base(line: &str) -> Option<String> {
    let squashing = parse(line).into_iter().find(|command| {
        command.has_flag("--squash") || command.words.iter().any(|word| word == "squash")
    });
    let base = violation_base(&squashing.or_else(|| primary(line))?);
    Some(without_number(&base).to_owned())
}

/// `gh pr merge 42` and `gh pr merge` are one command.
fn without_number(base: &str) -> &str {
    base.trim_end_matches(|c: char| c.is_ascii_digit() || c == ' ' || c == '#')
}

fn folder_of(path: &str) -> Option<&'static Folder> {
    FOLDERS.iter().find(|folder| {
        folder.marks.iter().any(|mark| {
            path.contains(mark) && (*mark != "/.bare" || path.trim_end_matches('$').ends_with(mark))
        })
    })
}
