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

/// Folders with documents. Those in the root count as well.
const FOLDERS: [&str; 4] = [".github", "client/plugin", "docs", "examples"];

fn documents() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = FOLDERS.iter().map(|folder| root().join(folder)).collect();
    let mut entries = entries_of(&root());
    while let Some(folder) = folders.pop() {
        let entries_here = entries_of(&folder);
        folders.extend(entries_here.iter().filter(|path| path.is_dir()).cloned());
        entries.extend(entries_here);
    }
    entries.retain(|path| path.extension().is_some_and(|end| end == "md"));
    entries
}

fn entries_of(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// Returns a document's lines without blocks of code.
fn prose(document: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    document.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// Returns a line without its code spans.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect()
}

/// Returns the anchors that GitHub makes: those of the headings, and those in HTML.
fn anchors(document: &str) -> Vec<String> {
    let mut anchors: Vec<String> = Vec::new();
    for line in prose(document) {
        let texts = line.trim_start_matches('#').strip_prefix(' ');
        if let Some(heading) = texts.filter(|_| line.starts_with('#')) {
            let name = anchor(heading);
            let suffixes = (1..).map(|count| format!("{name}-{count}"));
            let mut names = std::iter::once(name.clone()).chain(suffixes);
            anchors.extend(names.find(|name| !anchors.contains(name)));
        }
        for name in values(&without_code(line), &["id=\"", "name=\""], '"') {
            anchors.push(name);
        }
    }
    anchors
}

/// Returns the anchor of the first heading with this text.
fn anchor(heading: &str) -> String {
    // The target of a link in a heading is not part of its text.
    let mut text = String::new();
    for (at, part) in heading.split("](").enumerate() {
        text.push_str(if at == 0 {
            part
        } else {
            part.split_once(')').map_or("", |(_, rest)| rest)
        });
    }
    let is_kept = |c: &char| c.is_alphanumeric() || matches!(c, '-' | '_' | ' ');
    let text = text.trim().to_lowercase();
    text.chars()
        .filter(is_kept)
        .collect::<String>()
        .replace(' ', "-")
}

/// Returns what follows one of `starts`, up to `end`.
fn values(text: &str, starts: &[&str], end: char) -> Vec<String> {
    let found = starts.iter().flat_map(|start| text.split(start).skip(1));
    found
        .map(|rest| rest.split(end).next().unwrap_or_default().to_owned())
        .collect()
}

/// Returns the targets of links and images, in Markdown and HTML.
fn targets(document: &str) -> Vec<String> {
    let mut targets = Vec::new();
    for line in prose(document) {
        let line = without_code(line);
        targets.extend(values(&line, &["]("], ')'));
        targets.extend(values(&line, &["href=\"", "src=\"", "srcset=\""], '"'));
        let reference = line.trim_start().strip_prefix('[');
        targets.extend(reference.and_then(|text| Some(text.split_once("]: ")?.1.to_owned())));
    }
    targets
}

#[test]
fn links_between_documents_lead_somewhere() {
    let mut broken = Vec::new();
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        for target in targets(&text) {
            let (file, anchor) = target.split_once('#').unwrap_or((&target, ""));
            if file.contains("://") || file.starts_with("mailto:") {
                continue;
            }
            let there = match file {
                "" => document.clone(),
                file => document.parent().unwrap().join(file),
            };
            let is_there = there.exists()
                && (anchor.is_empty()
                    || fs::read_to_string(&there)
                        .is_ok_and(|text| anchors(&text).iter().any(|name| name == anchor)));
            if !is_there {
                broken.push(format!("{} links to {target}", document.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn the_index_of_the_documents_has_all_of_them() {
    let index = fs::read_to_string(root().join("docs/README.md")).unwrap();
    let names = entries_of(&root().join("docs")).into_iter();
    let names = names.map(|path| path.file_name().unwrap().to_string_lossy().into_owned());
    let mut pages = names.filter(|name| name.ends_with(".md") && name != "README.md");
    let missing = pages.find(|name| !index.contains(&format!("]({name})")));
    assert_eq!(missing, None);
}

#[test]
fn anchors_and_links_are_found_as_github_finds_them() {
    let document = "\
# The `end` of it: a/b
## Twice
```sh
# no heading
ls [a](no-link.md)
```
## Twice
### [noun](noun.md)
<a id=\"by-hand\"></a> [one](a.md#b), ![two](img/b.svg), `[c](no-link.md)`
<img src=\"img/d.svg\"> [three]

[three]: e.md
";
    assert_eq!(
        anchors(document),
        ["the-end-of-it-ab", "twice", "twice-1", "noun", "by-hand"]
    );
    assert_eq!(
        targets(document),
        ["noun.md", "a.md#b", "img/b.svg", "img/d.svg", "e.md"]
    );
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
