//! Where the reports of a project are.

use super::pattern;
use crate::collect::manifest::MANIFEST_BYTES;
use crate::collect::paths::relative;
use crate::collect::read::{names, read};
use regex::Regex;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Of a directory that are looked at.
const MAX_ENTRIES: usize = 2000;
/// Parts of a project.
const MAX_MODULES: usize = 60;

/// The reports of one run.
pub(super) struct Group {
    /// The part of the project that they are of, relative to it.
    pub(super) module: PathBuf,
    pub(super) paths: Vec<PathBuf>,
}

/// Directories in which each file may be the report of a run.
const FOLDERS: [&str; 10] = [
    "",
    ".turbo",
    "test-results",
    "test-reports",
    "reports",
    "coverage",
    "playwright-report",
    ".playwright",
    ".vitest",
    "cypress/results",
];

/// Directories with one file a class or a profile: together they are a run. `*` is any directory.
const FOLDERS_OF_RUNS: [&str; 5] = [
    "target/nextest/*",
    "build/test-results/*",
    "test-results/*",
    "target/surefire-reports",
    "target/failsafe-reports",
];

/// A part of a project has one of them.
const MANIFESTS: [&str; 7] = [
    "package.json",
    "Cargo.toml",
    "pyproject.toml",
    "go.mod",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
];

/// Files that may say where reports go, and how they do.
static SETTINGS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:pyproject\.toml|pytest\.ini|tox\.ini|setup\.cfg|package\.json|\.mocharc\.json|(?:jest|vitest|vite|playwright)\.config\.\w+)$",
    )
});
static CONFIGURED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?:junit-?xml|outputFile\w*|outputName|PLAYWRIGHT_\w+|mochaFile)\W{1,60}(?:\w+\s*:\s*['"])?([\w./@-]+\.(?:xml|json))\b"#,
    )
});

/// Returns the paths of possible reports, relative to the project.
pub(super) fn groups(root: &Path) -> Vec<Group> {
    let of_module = |module: PathBuf| {
        let runs = runs(root, &module).into_iter();
        runs.map(move |paths| Group {
            module: module.clone(),
            paths,
        })
    };
    modules(root).into_iter().flat_map(of_module).collect()
}

/// Returns the project itself and the directories in it that have a manifest, down to two levels.
fn modules(root: &Path) -> Vec<PathBuf> {
    const OTHERS: [&str; 4] = ["node_modules", "target", "vendor", "dist"];
    let is_own = |name: &str| !name.starts_with('.') && !OTHERS.contains(&name);
    let inside = |folder: &PathBuf| list(root, folder, true, is_own);
    let first = inside(&PathBuf::new());
    let second = first.iter().flat_map(inside);
    let is_module = |folder: &PathBuf| {
        let mut manifests = MANIFESTS.iter().map(|name| root.join(folder).join(name));
        manifests.any(|manifest| manifest.is_file())
    };
    let modules = first.iter().cloned().chain(second).filter(is_module);
    std::iter::once(PathBuf::new())
        .chain(modules.take(MAX_MODULES))
        .collect()
}

/// Each list is one run.
fn runs(root: &Path, module: &Path) -> Vec<Vec<PathBuf>> {
    let mut single = configured(root, module);
    for folder in FOLDERS {
        let is_report = |name: &str| is_report(name, !folder.is_empty());
        single.extend(list(root, &module.join(folder), false, is_report));
    }
    let mut runs: Vec<Vec<PathBuf>> = single.into_iter().map(|path| vec![path]).collect();
    for folder in FOLDERS_OF_RUNS {
        let folders = match folder.strip_suffix("/*") {
            Some(parent) => list(root, &module.join(parent), true, |_| true),
            None => vec![module.join(folder)],
        };
        let is_xml = |name: &str| name.ends_with(".xml");
        let files = |folder: PathBuf| list(root, &folder, false, is_xml);
        runs.extend(folders.into_iter().map(files));
    }
    runs
}

/// Returns the files that the settings of test programs name as their reports.
fn configured(root: &Path, module: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for file in list(root, module, false, |name| SETTINGS.is_match(name)) {
        let settings = read(root, &file, MANIFEST_BYTES).map(|content| content.text());
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
    const WORDS: [&str; 5] = ["test", "jest", "junit", "playwright", "cypress"];
    let name = name.to_lowercase();
    match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "xml" | "tap" => true,
        "json" | "jsonl" | "ndjson" | "txt" | "log" => {
            is_any || WORDS.iter().any(|word| name.contains(word))
        }
        _ => false,
    }
}
