//! Finds the reports of a project and reads each by what is in it.

use super::{go, javascript, junit, of_output};
use crate::collect::facts::{Finding, Part, Sourced, SuiteFacts, masked, stamp};
use crate::collect::manifest::MANIFEST_BYTES;
use crate::collect::project::{Collector, Project};
use crate::collect::read::{Content, modified, names, read, too_long};
use regex::Regex;
use serde::de::IgnoredAny;
use std::path::{Component, Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Duration, Instant, SystemTime};

/// Of a report that are read; a longer one is not a report of tests that a person reads.
const REPORT_BYTES: u64 = 16 * 1024 * 1024;
/// Reports that are read, and entries of a directory that are looked at.
const MAX_REPORTS: usize = 400;
const MAX_ENTRIES: usize = 2000;
/// Of a file that cannot be read as a report, to see whether it is one.
const LOOKED_AT_BYTES: usize = 16 * 1024;

pub(in crate::collect) struct ReportCollector;

impl Collector for ReportCollector {
    fn name(&self) -> &'static str {
        "test reports"
    }

    fn collect(&self, project: &Project, deadline: Instant) -> Result<Part, String> {
        Ok(Part::Reports(reports(&project.root, None, deadline)?))
    }
}

type Dated = (SystemTime, Sourced<SuiteFacts>);

/// Returns the results of each run, the newest first: of all runs, or of those with a report that was written after `since`.
///
/// # Errors
///
/// A sentence for the user if it takes too long.
pub(in crate::collect) fn reports(
    root: &Path,
    since: Option<SystemTime>,
    deadline: Instant,
) -> Result<Finding<Vec<Sourced<SuiteFacts>>>, String> {
    let mut found: Vec<(PathBuf, Dated)> = Vec::new();
    let mut bad: Vec<(SystemTime, String)> = Vec::new();
    let mut redacted = 0;
    let (groups, too_many) = groups(root);
    let is_new = |path: &PathBuf| modified(&root.join(path)) > since;
    for Group { module, paths } in groups {
        if since.is_some() && !paths.iter().any(is_new) {
            continue;
        }
        let mut runs: Vec<Dated> = Vec::new();
        for path in paths {
            if Instant::now() >= deadline {
                return Err("there are too many reports for the time it has".to_owned());
            }
            let Ok(content) = read(root, &path, REPORT_BYTES) else {
                continue;
            };
            let changed = content.modified.unwrap_or(SystemTime::UNIX_EPOCH);
            let text = content.text();
            match report(root, &path, &content, &text) {
                Some(mut run) => {
                    place_in(root, &module, &mut run);
                    redacted += masked(messages(&run), &text);
                    runs.push((changed, run));
                }
                None => bad.extend(fault(&path, &content, &text).map(|why| (changed, why))),
            }
        }
        found.extend(merge(runs).into_iter().map(|run| (module.clone(), run)));
    }
    let mut found = together(found);
    // The newest comes first: by the report's own time, or the file's.
    found.sort_by_key(|(time, _)| std::cmp::Reverse(*time));
    // A bad report that was followed by a good one does not matter any more.
    let newest = found.first().map(|(time, _)| *time);
    let bad = bad.into_iter().filter(|(time, _)| Some(*time) >= newest);
    Ok(Finding {
        value: found.into_iter().map(|(_, report)| report).collect(),
        left_out: bad.map(|(_, why)| why).chain(too_many).collect(),
        redacted,
    })
}

/// The report of a part of the project may name files relative to that.
fn place_in(root: &Path, module: &Path, run: &mut Sourced<SuiteFacts>) {
    for failure in &mut run.value.suite.failures {
        let inside = module.join(&failure.file);
        if !failure.file.is_empty()
            && !root.join(&failure.file).exists()
            && root.join(&inside).is_file()
        {
            failure.file = inside.to_string_lossy().into_owned();
        }
    }
}

/// Returns the texts that are without secrets already.
fn messages(run: &Sourced<SuiteFacts>) -> impl Iterator<Item = &str> {
    let failures = run.value.suite.failures.iter();
    failures.filter_map(|failure| failure.message.as_deref())
}

/// Says why a report could not be read; nothing if the file is something else.
fn fault(path: &Path, content: &Content, text: &str) -> Option<String> {
    const MARKS: [&str; 4] = [
        "\"numTotalTests\"",
        "\"testResults\"",
        "\"suites\"",
        "<testsuite",
    ];
    let start = text.trim_start();
    let head = &start[..start.floor_char_boundary(LOOKED_AT_BYTES)];
    if !MARKS.iter().any(|mark| head.contains(mark)) {
        return None;
    }
    if content.is_cut {
        return Some(too_long(path, content.len, REPORT_BYTES));
    }
    let is_cut_off = match start.starts_with('<') {
        true => junit::is_cut_off(start),
        false => serde_json::from_str::<IgnoredAny>(start).is_err_and(|error| error.is_eof()),
    };
    is_cut_off.then(|| format!("{} is cut off", path.display()))
}

/// Gradle and Maven write one file a class: all in one directory are one run.
fn merge(runs: Vec<Dated>) -> Vec<Dated> {
    let mut merged: Vec<Dated> = Vec::new();
    for (time, run) in runs {
        let other = merged
            .first_mut()
            .filter(|(_, other)| other.value.is_e2e == run.value.is_e2e);
        let Some((newest, other)) = other else {
            merged.push((time, run));
            continue;
        };
        if other.value.suite.failed == 0 && run.value.suite.failed > 0 {
            other.source = run.source;
        }
        let (ours, suite) = (&mut other.value, run.value.suite);
        ours.suite.passed += suite.passed;
        ours.suite.failed += suite.failed;
        ours.suite.failures.extend(suite.failures);
        ours.last_run = ours.last_run.take().max(run.value.last_run);
        ours.suite = super::finish(ours.clone()).suite;
        *newest = time.max(*newest);
        other.at = Some(stamp(*newest));
    }
    merged
}

fn report(root: &Path, path: &Path, content: &Content, text: &str) -> Option<Sourced<SuiteFacts>> {
    let start = text.trim_start();
    let facts = match start.as_bytes().first()? {
        _ if content.is_cut => None,
        b'{' if path.ends_with(".last-run.json") => javascript::last_run(start),
        b'{' => javascript::read(root, start).or_else(|| go::read(root, start)),
        b'<' => junit::read(root, path, start),
        _ => of_output(root, text),
    };
    let mut facts = facts?;
    let changed = content.modified.unwrap_or(SystemTime::UNIX_EPOCH);
    let at = facts.last_run.get_or_insert_with(|| stamp(changed)).clone();
    Some(Sourced {
        value: facts,
        source: path.to_string_lossy().into_owned(),
        at: Some(at),
    })
}

/// The reports of one run.
struct Group {
    /// The part of the project that they are of, relative to it.
    module: PathBuf,
    paths: Vec<PathBuf>,
}

/// Returns the paths of possible reports, relative to the project. With them, what is to be said if there are too many.
fn groups(root: &Path) -> (Vec<Group>, Option<String>) {
    let mut groups: Vec<Group> = Vec::new();
    for module in modules(root) {
        let of_module = groups_of(root, &module).into_iter();
        groups.extend(of_module.map(|paths| Group {
            module: module.clone(),
            paths,
        }));
    }
    let number: usize = groups.iter().map(|group| group.paths.len()).sum();
    let too_many = (number > MAX_REPORTS)
        .then(|| format!("there are {number} reports; the limit is {MAX_REPORTS}"));
    let mut left = MAX_REPORTS;
    for group in &mut groups {
        group.paths.truncate(left);
        left -= group.paths.len();
    }
    (groups, too_many)
}

/// Returns the project itself and the directories in it that have a manifest, down to two levels.
fn modules(root: &Path) -> Vec<PathBuf> {
    const MAX_MODULES: usize = 60;
    const MANIFESTS: [&str; 7] = [
        "package.json",
        "Cargo.toml",
        "pyproject.toml",
        "go.mod",
        "pom.xml",
        "build.gradle",
        "build.gradle.kts",
    ];
    let inside = |folder: &Path| {
        let folders = folders(root, folder).into_iter();
        folders.filter(|folder| {
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            !name.starts_with('.')
                && !["node_modules", "target", "vendor", "dist"].contains(&&*name)
        })
    };
    let first: Vec<PathBuf> = inside(Path::new("")).collect();
    let second = first.iter().flat_map(|folder| inside(folder));
    let all = first.iter().cloned().chain(second);
    let is_module = |folder: &PathBuf| {
        let mut manifests = MANIFESTS.iter().map(|name| root.join(folder).join(name));
        manifests.any(|manifest| manifest.is_file())
    };
    let modules = all.filter(is_module).take(MAX_MODULES);
    std::iter::once(PathBuf::new()).chain(modules).collect()
}

/// Each list is one run.
fn groups_of(root: &Path, module: &Path) -> Vec<Vec<PathBuf>> {
    let mut groups: Vec<Vec<PathBuf>> = Vec::new();
    let single = |folder: &str, groups: &mut Vec<Vec<PathBuf>>, any: bool| {
        let folder = module.join(folder);
        for (name, is_folder) in list(root, &folder) {
            if !is_folder && is_report(&name, any) {
                groups.push(vec![folder.join(name)]);
            }
        }
    };
    single("", &mut groups, false);
    single(".turbo", &mut groups, false);
    let configured = configured(&root.join(module)).into_iter();
    groups.extend(configured.map(|path| vec![module.join(path)]));
    for folder in [
        "test-results",
        "test-reports",
        "reports",
        "coverage",
        "playwright-report",
        ".playwright",
        ".vitest",
        "cypress/results",
    ] {
        single(folder, &mut groups, true);
    }
    // Gradle, Maven and nextest write one file a class or a profile.
    for parent in ["target/nextest", "build/test-results", "test-results"] {
        let runs = folders(root, &module.join(parent)).into_iter();
        groups.extend(runs.map(|folder| xml(root, &folder)));
    }
    for folder in ["target/surefire-reports", "target/failsafe-reports"] {
        groups.push(xml(root, &module.join(folder)));
    }
    groups
}

fn folders(root: &Path, folder: &Path) -> Vec<PathBuf> {
    let folders = list(root, folder).into_iter();
    let folders = folders.filter(|(_, is_folder)| *is_folder);
    folders.map(|(name, _)| folder.join(name)).collect()
}

/// Packages of one project that were tested within this time were tested together.
const TOGETHER: Duration = Duration::from_secs(60 * 60);

/// Adds one run that has the newest of each module, as far as they were tested together.
fn together(mut found: Vec<(PathBuf, Dated)>) -> Vec<Dated> {
    found.sort_by_key(|(_, (time, _))| std::cmp::Reverse(*time));
    let mut all: Vec<Dated> = Vec::new();
    for is_e2e in [false, true] {
        let of_kind = found
            .iter()
            .filter(|(_, (_, run))| run.value.is_e2e == is_e2e);
        let newest = of_kind.clone().map(|(_, (time, _))| *time).next();
        let (mut modules, mut runs): (Vec<&Path>, Vec<Dated>) = Default::default();
        for (module, run) in of_kind.filter(|(module, _)| !module.as_os_str().is_empty()) {
            if Some(run.0 + TOGETHER) >= newest && !modules.contains(&&**module) {
                modules.push(module);
                runs.push(run.clone());
            }
        }
        all.extend(merge(runs));
    }
    all.extend(found.into_iter().map(|(_, run)| run));
    all
}

/// Files that may say where reports go.
const SETTINGS: [&str; 14] = [
    "pyproject.toml",
    "pytest.ini",
    "tox.ini",
    "setup.cfg",
    "package.json",
    "jest.config.js",
    "jest.config.ts",
    "vitest.config.ts",
    "vitest.config.js",
    "vitest.config.mts",
    "vite.config.ts",
    "playwright.config.ts",
    "playwright.config.js",
    ".mocharc.json",
];

/// Returns the files that the settings of test programs name as their reports.
fn configured(root: &Path) -> Vec<PathBuf> {
    #[expect(clippy::unwrap_used, reason = "compiled by the tests")]
    static NAMED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r#"(?:junit-?xml|outputFile\w*|outputName|PLAYWRIGHT_\w+|mochaFile)\W{1,60}(?:\w+\s*:\s*['"])?([\w./@-]+\.(?:xml|json))\b"#,
        )
        .unwrap()
    });
    let mut paths: Vec<PathBuf> = Vec::new();
    for file in SETTINGS {
        let Ok(content) = read(root, Path::new(file), MANIFEST_BYTES) else {
            continue;
        };
        let text = content.text();
        let named = NAMED
            .captures_iter(&text)
            .map(|found| PathBuf::from(&found[1]));
        let inside = named.filter_map(|path| {
            let parts = path.components().filter(|part| *part != Component::CurDir);
            let is_name = |part: &Component<'_>| matches!(part, Component::Normal(_));
            parts
                .clone()
                .all(|part| is_name(&part))
                .then(|| parts.collect())
        });
        paths.extend(inside);
    }
    paths.sort();
    paths.dedup();
    paths
}

fn list(root: &Path, folder: &Path) -> Vec<(String, bool)> {
    // A link on the way would lead out of the project.
    let mut path = root.to_owned();
    for part in folder.components() {
        path.push(part);
        if path
            .symlink_metadata()
            .map_or(true, |about| !about.is_dir())
        {
            return Vec::new();
        }
    }
    names(&path, MAX_ENTRIES)
}

fn xml(root: &Path, folder: &Path) -> Vec<PathBuf> {
    let files = list(root, folder)
        .into_iter()
        .filter(|(name, is_folder)| !is_folder && name.ends_with(".xml"));
    files.map(|(name, _)| folder.join(name)).collect()
}

/// Says whether a file may be a report: in a directory of reports by its kind alone.
fn is_report(name: &str, is_any: bool) -> bool {
    let name = name.to_lowercase();
    let Some((stem, extension)) = name.rsplit_once('.') else {
        return false;
    };
    let is_kind = matches!(
        extension,
        "json" | "xml" | "jsonl" | "ndjson" | "txt" | "log" | "tap"
    );
    const WORDS: [&str; 9] = [
        "junit",
        "jest",
        "vitest",
        "playwright",
        "pytest",
        "nextest",
        "cypress",
        "go-test",
        "test",
    ];
    const ENDS: [&str; 5] = ["result", "results", "report", "output", "junit"];
    let is_named =
        WORDS.iter().any(|word| stem.contains(word)) && ENDS.iter().any(|end| stem.ends_with(end));
    let is_output = matches!(extension, "txt" | "log") && stem.contains("test");
    let is_named = is_named || stem == "json-report";
    // What is in it says whether it is a report: `report.xml` is the name in pytest's manual.
    let is_xml = extension == "xml" && stem != "pom";
    is_kind && (is_any || is_named || is_output || is_xml || extension == "tap")
}
