//! Which files the repository contains, and whether the links of its documents work.

use super::sources::{files, root};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn folders_of_tests_stay_small_enough_to_be_looked_through() {
    let cases = root().join("tests/cases");
    let mut counts: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for file in files(&cases) {
        *counts.entry(file.parent().unwrap().to_owned()).or_default() += 1;
    }
    let large = counts.iter().find(|(_, count)| **count > 15);
    assert_eq!(large, None);
}

#[test]
fn the_licence_is_there_and_the_changelog_names_what_is_new() {
    let read = |name| fs::read_to_string(root().join(name)).unwrap();
    assert!(read("LICENSE").contains("MIT License"));
    let changes = read("CHANGELOG.md");
    let names_it = changes.contains(env!("CARGO_PKG_VERSION")) || changes.contains("Unreleased");
    assert!(names_it, "{changes}");
}

/// Returns the documents in the root and in `docs/`.
fn documents() -> Vec<PathBuf> {
    let folders = [root(), root().join("docs")].into_iter();
    let entries = folders.flat_map(|folder| fs::read_dir(folder).unwrap());
    let paths = entries.map(|entry| entry.unwrap().path());
    let is_document = |path: &PathBuf| path.extension().is_some_and(|end| end == "md");
    paths.filter(is_document).collect()
}

/// Returns the anchors by which links refer to the headings of a document.
fn anchors(document: &Path) -> Vec<String> {
    let text = fs::read_to_string(document).unwrap();
    let headings = text.lines().filter_map(|line| {
        let heading = line.trim_start_matches('#').strip_prefix(' ')?;
        line.starts_with('#').then_some(heading)
    });
    let name = |heading: &str| {
        let heading = heading.trim().to_lowercase().replace(' ', "-");
        heading.replace(|c: char| !c.is_alphanumeric() && c != '-' && c != '_', "")
    };
    headings.map(name).collect()
}

#[test]
fn links_between_documents_lead_somewhere() {
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        for (at, _) in text.match_indices("](") {
            let target = text[at + 2..].split(')').next().unwrap();
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            if file.contains("://") || file.contains(' ') {
                continue;
            }
            let there = match file {
                "" => document.clone(),
                file => document.parent().unwrap().join(file),
            };
            let is_there = match anchor {
                "" => there.exists(),
                anchor => anchors(&there).iter().any(|name| name == anchor),
            };
            assert!(is_there, "{} links to {target}", document.display());
        }
    }
}

/// Returns the file or directory that a document means by `name`; `None` if it is no path. `CRATE:PATH` is a path in the
/// sources of a crate of the daemon.
fn path_of(name: &str) -> Option<PathBuf> {
    if name.contains(['<', '*', ' ']) || name.contains("::") {
        return None;
    }
    let tops = ["base", "client", "daemon", "docs", "policy", "protocol"];
    let mut tops = tops.into_iter().chain(["tests"]);
    let top = name.split_once('/').map(|(top, _)| top);
    let root = root();
    match name.split_once(':') {
        Some((package, path)) => {
            let sources = format!("daemon/crates/{package}/src");
            Some(root.join(sources).join(path))
        }
        None if tops.any(|known| top == Some(known)) => Some(root.join(name)),
        None if name.ends_with('/') || name.ends_with(".rs") => {
            Some(root.join("daemon/src").join(name))
        }
        None => None,
    }
}

#[test]
fn paths_that_the_architecture_names_exist() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    // Code in the text, without blocks of it.
    let parts = text.split("```").step_by(2);
    let names = parts.flat_map(|part| part.split('`').skip(1).step_by(2));
    let paths = names.filter(|name| !["lib.rs", "mod.rs"].contains(name));
    let missing: Vec<&str> = paths
        .filter(|name| path_of(name).is_some_and(|path| !path.exists()))
        .collect();
    assert!(missing.is_empty(), "{missing:#?}");
}
