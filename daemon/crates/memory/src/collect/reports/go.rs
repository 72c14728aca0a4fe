//! `go test -json`, one event a line, and what `go test` prints without it.

use super::place::{first, message};
use super::{SuiteFacts, finish, pattern};
use crate::collect::facts::rfc3339;
use crate::collect::manifest::go_module;
use ccd_protocol::memory::TestFailure;
use regex::Regex;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::LazyLock;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// A package and a test in it; the test is empty for what is of the package.
type Key = (String, String);

/// What the events say.
#[derive(Default)]
struct Events {
    output: HashMap<Key, String>,
    /// By the name that the event of the package has for its build.
    build_output: HashMap<String, String>,
    /// How each test ended.
    ends: Vec<(Key, bool)>,
    /// Packages that failed, with their build if that did.
    failed: Vec<(String, Option<String>)>,
    start: Option<String>,
}

impl Events {
    /// Nothing if the lines are other events.
    fn of(text: &str) -> Option<Self> {
        let mut events = Self::default();
        for line in text.lines() {
            if let Ok(event) = serde_json::from_str::<Value>(line) {
                events.take(&event, event["Action"].as_str()?);
            }
        }
        let is_empty = events.ends.is_empty() && events.failed.is_empty() && events.start.is_none();
        (!is_empty).then_some(events)
    }

    fn take(&mut self, event: &Value, action: &str) {
        let text = |field: &str| event[field].as_str().unwrap_or_default();
        let time = OffsetDateTime::parse(text("Time"), &Rfc3339).ok();
        if self.start.is_none() {
            self.start = time.map(rfc3339);
        }
        let key = || (text("Package").to_owned(), text("Test").to_owned());
        let is_test = !text("Test").is_empty();
        match action {
            "output" => self
                .output
                .entry(key())
                .or_default()
                .push_str(text("Output")),
            "build-output" => {
                let build = self.build_output.entry(text("ImportPath").to_owned());
                build.or_default().push_str(text("Output"));
            }
            "pass" if is_test => self.ends.push((key(), true)),
            "fail" if is_test => self.ends.push((key(), false)),
            "fail" => {
                let build = event["FailedBuild"].as_str().map(str::to_owned);
                self.failed.push((text("Package").to_owned(), build));
            }
            _ => (),
        }
    }

    /// What was printed for a test or a package.
    fn said(&self, key: &Key) -> &str {
        self.output.get(key).map_or("", String::as_str)
    }
}

/// Reads the events; nothing if they are others. A test with subtests counts only if none of them does. A package that failed
/// without a test of it counts as one: it does not compile, or it ended too early.
pub(super) fn read(root: &Path, text: &str) -> Option<SuiteFacts> {
    let events = Events::of(text)?;
    let module = go_module(root);
    let mut facts = named();
    facts.last_run.clone_from(&events.start);
    let parents: HashSet<Key> = events
        .ends
        .iter()
        .filter_map(|((package, test), _)| {
            Some((package.clone(), test.rsplit_once('/')?.0.to_owned()))
        })
        .collect();
    let mut with_failures: HashSet<&str> = HashSet::new();
    for (key, is_passed) in &events.ends {
        if !is_passed {
            with_failures.insert(&key.0);
        }
        if parents.contains(key) {
            continue;
        }
        match is_passed {
            true => facts.suite.passed += 1,
            false => {
                let (package, test) = key;
                let said = events.said(key);
                let failure = failure(root, module.as_deref(), package, test, said);
                facts.suite.failures.push(failure);
            }
        }
    }
    for (package, build) in &events.failed {
        let build = build.as_ref().map(|build| events.build_output.get(build));
        if with_failures.contains(&**package) {
            continue;
        }
        let said = events.said(&(package.clone(), String::new()));
        let name = match build.is_some() || said.contains("[build failed]") {
            true => format!("{package} (build failed)"),
            false => package.clone(),
        };
        let said = build.flatten().map_or(said, String::as_str);
        let failure = failure(root, module.as_deref(), package, &name, said);
        facts.suite.failures.push(failure);
    }
    facts.suite.failed = facts.suite.failures.len() as u64;
    Some(finish(facts))
}

fn named() -> SuiteFacts {
    let mut facts = SuiteFacts::default();
    facts.suite.framework = "go test".to_owned();
    facts
}

/// The message is the first line that names a file, else the first that says something.
fn failure(
    root: &Path,
    module: Option<&str>,
    package: &str,
    test: &str,
    output: &str,
) -> TestFailure {
    let says = |line: &&str| {
        let line = line.trim();
        let marks = ["===", "---", "# ", "FAIL"];
        !line.is_empty() && !marks.iter().any(|mark| line.starts_with(mark))
    };
    let place = output
        .lines()
        .filter(says)
        .find_map(|line| Some((line, first(root, line)?)));
    let (file, line) = match &place {
        Some((_, (file, line))) => (in_package(root, module, package, file), Some(*line)),
        None if test.starts_with(package) => (String::new(), None),
        None => (package.to_owned(), None),
    };
    let said = place
        .map(|(line, _)| line)
        .or_else(|| output.lines().find(says));
    TestFailure {
        file,
        line,
        test_name: test.to_owned(),
        message: said.and_then(|said| message(without_place(said))),
    }
}

/// The place is told beside the message.
fn without_place(said: &str) -> &str {
    match said.trim().split_once(": ") {
        Some((place, rest)) if place.contains(".go:") && !place.contains(' ') => rest,
        _ => said,
    }
}

/// Go names files without their directory: it is that of the package, after the module's name.
fn in_package(root: &Path, module: Option<&str>, package: &str, file: &str) -> String {
    if file.contains('/') {
        return file.to_owned();
    }
    if let Some(inner) = module.and_then(|module| package.strip_prefix(module)) {
        match inner.strip_prefix('/') {
            Some(inner) => return format!("{inner}/{file}"),
            None if inner.is_empty() => return file.to_owned(),
            None => (),
        }
    }
    let mut rest = package;
    while let Some((_, inner)) = rest.split_once('/') {
        let path = format!("{inner}/{file}");
        if root.join(&path).is_file() {
            return path;
        }
        rest = inner;
    }
    file.to_owned()
}

static END: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(\s*)--- (PASS|FAIL): (\S+) \("));
static PACKAGE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^(?:FAIL|ok)\s+(\S+)\s+(\[(?:build|setup) failed\]|\(cached\)|[\d.]+s)")
});

/// Reads what `go test` prints, with `-v` or without; nothing if it did not.
pub(super) fn of_text(root: &Path, text: &str) -> Option<SuiteFacts> {
    let module = go_module(root);
    let lines: Vec<&str> = text.lines().collect();
    let names = lines
        .iter()
        .filter_map(|line| Some(END.captures(line)?[3].to_owned()));
    let parents: HashSet<String> = names
        .filter_map(|name| Some(name.rsplit_once('/')?.0.to_owned()))
        .collect();
    let mut facts = named();
    let (mut is_go, mut packages) = (false, 0);
    // Of the package whose line comes after its tests.
    let mut failed: Vec<(String, String)> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if let Some(end) = END.captures(line) {
            is_go = true;
            if parents.contains(&end[3]) {
                continue;
            }
            match &end[2] {
                "PASS" => facts.suite.passed += 1,
                _ => failed.push((end[3].to_owned(), said_about(&lines, at, &end[3]))),
            }
        } else if let Some(end) = PACKAGE.captures(line) {
            let package = &end[1];
            if end[2].ends_with("failed]") {
                is_go = true;
                failed.push((
                    format!("{package} (build failed)"),
                    of_build(&lines, package),
                ));
            }
            packages += u64::from(line.starts_with("ok"));
            if line.starts_with("FAIL") && failed.is_empty() {
                // A panic ends a package before its tests have.
                let panic = lines[..at].iter().rfind(|line| line.starts_with("panic:"));
                failed.push((package.to_owned(), panic.unwrap_or(&"").to_string()));
            }
            let failed = failed.drain(..);
            facts.suite.failures.extend(
                failed.map(|(test, said)| failure(root, module.as_deref(), package, &test, &said)),
            );
        }
    }
    let failed = failed.into_iter();
    let rest = failed.map(|(test, said)| failure(root, module.as_deref(), "", &test, &said));
    facts.suite.failures.extend(rest);
    facts.suite.failed = facts.suite.failures.len() as u64;
    if facts.suite.passed == 0 && packages > 0 {
        // Without `-v`, only packages that passed are named.
        facts.suite.passed = packages;
        facts.suite.framework = "go test, passed packages".to_owned();
        is_go = true;
    }
    is_go.then_some(facts)
}

/// Returns what a test that failed said: after its end, or with `-v` after its start.
fn said_about(lines: &[&str], at: usize, name: &str) -> String {
    let is_said =
        |line: &&&str| !line.starts_with("===") && !END.is_match(line) && !PACKAGE.is_match(line);
    let after = lines[at + 1..].iter().take_while(is_said).copied();
    let is_detail =
        |line: &&str| line.starts_with(char::is_whitespace) || line.starts_with("panic:");
    let after: Vec<&str> = after.filter(is_detail).collect();
    if !after.is_empty() {
        return after.join("\n");
    }
    let is_start =
        |line: &&str| line.starts_with("===") && line.split_whitespace().last() == Some(name);
    let start = lines[..at].iter().rposition(is_start);
    let before = start.map_or(&[][..], |start| &lines[start + 1..at]);
    let before: Vec<&str> = before.iter().take_while(is_said).copied().collect();
    before.join("\n")
}

/// Returns what the compiler said about a package, after `# PACKAGE`.
fn of_build(lines: &[&str], package: &str) -> String {
    let is_start = |line: &&str| {
        let name = line
            .strip_prefix("# ")
            .and_then(|rest| rest.split(' ').next());
        name == Some(package)
    };
    let start = lines.iter().position(is_start);
    let rest = start.map_or(&[][..], |at| &lines[at + 1..]);
    let said = rest
        .iter()
        .take_while(|line| !line.starts_with("# ") && !PACKAGE.is_match(line));
    said.copied().collect::<Vec<_>>().join("\n")
}
