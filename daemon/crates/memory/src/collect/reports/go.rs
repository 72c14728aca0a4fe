//! `go test -json`: one event a line.

use super::place::{first, message};
use super::{SuiteFacts, finish};
use crate::collect::facts::rfc3339;
use ccd_protocol::memory::TestFailure;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// Reads the events; nothing if they are others. A test with subtests counts only if none of them does.
pub(super) fn read(root: &Path, text: &str) -> Option<SuiteFacts> {
    let mut output: HashMap<(String, String), String> = HashMap::new();
    let mut ends: Vec<(String, String, bool)> = Vec::new();
    let mut facts = SuiteFacts::default();
    for line in text.lines() {
        let Ok(event) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        let action = event["Action"].as_str()?;
        let time = event["Time"]
            .as_str()
            .and_then(|time| OffsetDateTime::parse(time, &Rfc3339).ok());
        if facts.last_run.is_none() {
            facts.last_run = time.map(rfc3339);
        }
        let Some(test) = event["Test"].as_str() else {
            continue;
        };
        let package = event["Package"].as_str().unwrap_or_default();
        match action {
            "output" => {
                let key = (package.to_owned(), test.to_owned());
                output
                    .entry(key)
                    .or_default()
                    .push_str(event["Output"].as_str().unwrap_or_default());
            }
            "pass" => ends.push((package.to_owned(), test.to_owned(), true)),
            "fail" => ends.push((package.to_owned(), test.to_owned(), false)),
            _ => (),
        }
    }
    if ends.is_empty() && facts.last_run.is_none() {
        return None;
    }
    let parents: HashSet<(String, String)> = ends
        .iter()
        .filter_map(|(package, test, _)| {
            Some((package.clone(), test.rsplit_once('/')?.0.to_owned()))
        })
        .collect();
    for (package, test, is_passed) in ends {
        let key = (package, test);
        if parents.contains(&key) {
            continue;
        }
        if is_passed {
            facts.suite.passed += 1;
            continue;
        }
        facts.suite.failed += 1;
        facts.suite.failures.push(failure(
            root,
            &key,
            output.get(&key).map_or("", String::as_str),
        ));
    }
    facts.suite.framework = "go test".to_owned();
    Some(finish(facts))
}

fn failure(root: &Path, (package, test): &(String, String), output: &str) -> TestFailure {
    let (file, line) = match first(root, output) {
        Some((file, line)) => (in_package(root, package, &file), Some(line)),
        None => (package.clone(), None),
    };
    let said = output.lines().find(|line| {
        let line = line.trim();
        !line.starts_with("===") && !line.starts_with("---") && !line.is_empty()
    });
    TestFailure {
        file,
        line,
        test_name: test.clone(),
        message: said.and_then(message),
    }
}

/// Go names files without their directory: it is that of the package, after the module's name.
fn in_package(root: &Path, package: &str, file: &str) -> String {
    if root.join(file).is_file() {
        return file.to_owned();
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
