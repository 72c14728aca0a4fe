//! Where the reports of a project are.

use super::pattern;
use crate::collect::paths::{known, relative};
use crate::disk::{MANIFEST_BYTES, names, read};
use regex::Regex;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

const MAX_ENTRIES: usize = 2000;
/// Parts of a project.
const MAX_MODULES: usize = 60;

/// The part of the project that a run is of, and its reports; both relative to the project.
pub(super) type Group = (PathBuf, Vec<PathBuf>);

/// How settings say where a report goes.
static CONFIGURED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?:junit-?xml|outputFile\w*|outputName|PLAYWRIGHT_\w+|mochaFile)\W{1,60}(?:\w+\s*:\s*['"])?([\w./@-]+\.(?:xml|json))\b"#,
    )
});

/// Returns the possible reports of each run.
pub(super) fn groups(root: &Path) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for module in modules(root) {
        let mut single = configured(root, &module);
        single.extend(list(root, &module, false, |name| is_report(name, false)));
        for folder in known("reports") {
            let files = list(root, &module.join(folder), false, |name| {
                is_report(name, true)
            });
            single.extend(files);
        }
        let single = single.into_iter().map(|path| (module.clone(), vec![path]));
        groups.extend(single);
        for folder in known("run") {
            let folders = match folder.strip_suffix("/*") {
                Some(parent) => list(root, &module.join(parent), true, |_| true),
                None => vec![module.join(folder)],
            };
            let is_xml = |name: &str| name.ends_with(".xml");
            let run = |folder: PathBuf| (module.clone(), list(root, &folder, false, is_xml));
            groups.extend(folders.into_iter().map(run));
        }
    }
    groups
}

/// Returns the project itself and the directories in it that have a manifest, down to two levels.
fn modules(root: &Path) -> Vec<PathBuf> {
    let is_own = |name: &str| !name.starts_with('.') && known("other").all(|other| other != name);
    let inside = |folder: &PathBuf| list(root, folder, true, is_own);
    let first = inside(&PathBuf::new());
    let second = first.iter().flat_map(inside);
    let is_module = |folder: &PathBuf| {
        let mut manifests = known("manifest").map(|name| root.join(folder).join(name));
        manifests.any(|manifest| manifest.is_file())
    };
    let modules = first.iter().cloned().chain(second).filter(is_module);
    std::iter::once(PathBuf::new())
        .chain(modules.take(MAX_MODULES))
        .collect()
}

/// Returns the files that the settings of test programs name as their reports.
fn configured(root: &Path, module: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for file in known("settings") {
        let settings = read(root, &module.join(file), MANIFEST_BYTES);
        let settings = settings.map(|content| content.text());
        let settings = settings.unwrap_or_default();
        let named = CONFIGURED.captures_iter(&settings);
        paths.extend(named.map(|found| module.join(relative(root, &found[1]))));
    }
    paths
}

/// Returns the paths of the directories in a directory, or of the files, whose names are wanted. Where a link is on the way,
/// none of the files can be read.
fn list(
    root: &Path,
    folder: &Path,
    is_folder: bool,
    is_wanted: impl Fn(&str) -> bool,
) -> Vec<PathBuf> {
    let names = names(&root.join(folder), MAX_ENTRIES).into_iter();
    let names = names.filter(|(name, is_other)| *is_other == is_folder && is_wanted(name));
    names.map(|(name, _)| folder.join(name)).collect()
}

/// Says whether a file may be a report, by its kind and, in the project itself, by its name; what is in it decides.
fn is_report(name: &str, is_any: bool) -> bool {
    let name = name.to_lowercase();
    match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "xml" | "tap" => true,
        "json" | "jsonl" | "ndjson" | "txt" | "log" => {
            is_any || known("word").any(|word| name.contains(word))
        }
        _ => false,
    }
}
