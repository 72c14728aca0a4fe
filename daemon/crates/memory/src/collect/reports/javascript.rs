//! Reports of Vitest, Jest and Playwright in JSON.

use super::{CutOff, Origin, Reading, SuiteFacts, facts_of, failure, finish, time_of};
use crate::collect::facts::rfc3339;
use crate::disk::{names, read as read_file};
use ccd_protocol::memory::TestFailure;
use serde_json::Value;
use std::path::Path;
use time::OffsetDateTime;

type Kind = fn(Origin<'_>, &Value) -> Option<SuiteFacts>;

/// The field that a report has and hardly any other file.
const KINDS: [(&str, Kind); 3] = [
    ("numTotalTests", jest),
    ("suites", playwright),
    ("failedTests", last_run),
];

pub(super) fn read(origin: Origin<'_>, text: &str) -> Reading {
    // What is no report is not taken into memory.
    let is_in = |field: &str| text.contains(&format!("\"{field}\""));
    let Some((field, kind)) = KINDS.iter().find(|(field, _)| is_in(field)) else {
        return Ok(None);
    };
    match serde_json::from_str::<Value>(text) {
        Ok(report) if report.get(field).is_some() => Ok(kind(origin, &report).map(finish)),
        Err(error) if error.is_eof() => Err(CutOff),
        _ => Ok(None),
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn jest(origin: Origin<'_>, report: &Value) -> Option<SuiteFacts> {
    let count = |field: &str| report[field].as_u64().unwrap_or(0);
    // The two write nearly the same.
    let is_jest = report.get("numRuntimeErrorTestSuites").is_some()
        || origin.path.to_string_lossy().contains("jest");
    let mut facts = facts_of(if is_jest { "Jest" } else { "Vitest" });
    let suite = &mut facts.suite;
    (suite.passed, suite.failed) = (count("numPassedTests"), count("numFailedTests"));
    let start_ms = report["startTime"].as_i64();
    let start = start_ms.and_then(|ms| OffsetDateTime::from_unix_timestamp(ms / 1000).ok());
    facts.last_run = start.map(rfc3339);
    for file in list(&report["testResults"]) {
        let path = origin.file(text(&file["name"]));
        let mut has_failed = false;
        for test in list(&file["assertionResults"]).filter(|test| test["status"] == "failed") {
            let said = text(&test["failureMessages"][0]);
            let line = origin.line_in(said, &path);
            let place = (path.clone(), line.or(test["location"]["line"].as_u64()));
            let name = test["fullName"].as_str().unwrap_or(text(&test["title"]));
            facts.add(failure(name, place, said));
            has_failed = true;
        }
        // A file that cannot be loaded has no tests, only a message.
        if !has_failed && file["status"] == "failed" {
            facts.suite.failed += 1;
            let said = text(&file["message"]);
            let place = (path.clone(), origin.line_in(said, &path));
            facts.add(failure(&path, place, said));
        }
    }
    if report["success"] == false && facts.suite.failed == 0 {
        facts.broken = Some("the report says that the run was no success".to_owned());
    }
    Some(facts)
}

fn playwright(origin: Origin<'_>, report: &Value) -> Option<SuiteFacts> {
    let stats = &report["stats"];
    let count = |field: &str| stats[field].as_u64().unwrap_or(0);
    stats.get("expected")?;
    let mut facts = facts_of("Playwright");
    facts.is_e2e = true;
    // A flaky test passed in the end.
    facts.suite.passed = count("expected") + count("flaky");
    facts.suite.failed = count("unexpected");
    let error = report["errors"].get(0);
    facts.broken = error.map(|error| text(&error["message"]).to_owned());
    facts.last_run = time_of(text(&stats["startTime"]));
    let folder = Path::new(text(&report["config"]["rootDir"]));
    let mut specs = Vec::new();
    specs_in(report, "", &mut specs);
    for (name, spec) in specs {
        let mut tests = list(&spec["tests"]);
        let Some(test) = tests.find(|test| test["status"] == "unexpected") else {
            continue;
        };
        let errors = list(&test["results"]).filter_map(|result| result.get("error"));
        let error = errors.last().unwrap_or(&Value::Null);
        let (at, own) = (&error["location"], folder.join(text(&spec["file"])));
        let file = at["file"].as_str().map(Path::new).unwrap_or(&own);
        let line = at["line"].as_u64().or(spec["line"].as_u64());
        let place = (origin.file(&file.to_string_lossy()), line);
        let failure = failure(&name, place, text(&error["message"]));
        facts.add(failure);
    }
    Some(facts)
}

/// Adds the tests in a suite with their names, as deep as JSON is read.
fn specs_in<'a>(suite: &'a Value, above: &str, specs: &mut Vec<(String, &'a Value)>) {
    let name = |one: &Value| format!("{above}{}", text(&one["title"]));
    specs.extend(list(&suite["specs"]).map(|spec| (name(spec), spec)));
    for suite in list(&suite["suites"]) {
        // The outermost suite is the file.
        if suite["title"] == suite["file"] {
            specs_in(suite, above, specs)
        } else {
            specs_in(suite, &format!("{} › ", name(suite)), specs)
        }
    }
}

/// What Playwright keeps of a run that failed: how many passed is not in it.
fn last_run(origin: Origin<'_>, run: &Value) -> Option<SuiteFacts> {
    let mut facts = facts_of("Playwright");
    facts.is_e2e = true;
    facts.broken = Some(match list(&run["failedTests"]).count() {
        0 => "the last run failed".to_owned(),
        1 => "1 test of the last run failed".to_owned(),
        failed => format!("{failed} tests of the last run failed"),
    });
    let folder = origin.path.parent().unwrap_or(origin.path);
    for (name, _) in names(&origin.root.join(folder), MAX_FAILED) {
        let path = folder.join(name).join("error-context.md");
        let context = read_file(origin.root, &path, CONTEXT_BYTES);
        let failure = context
            .ok()
            .and_then(|text| of_context(origin, &text.text()));
        // Each retry has one.
        failure.into_iter().for_each(|failure| facts.add(failure));
    }
    (run["status"] != "passed").then_some(facts)
}

/// Directories of failed tests that are looked at, and what is read of what Playwright says about each.
const MAX_FAILED: usize = 200;
const CONTEXT_BYTES: u64 = 64 * 1024;

fn of_context(origin: Origin<'_>, text: &str) -> Option<TestFailure> {
    let after = |mark: &str| Some(text.split_once(mark)?.1);
    let line = |mark: &str| after(mark)?.lines().next();
    let (_, name) = line("\n- Name: ")?.split_once(" >> ")?;
    let place = origin.first(line("\n- Location: ")?)?;
    let said = after("\n# Error details").and_then(|text| Some(text.split_once("```\n")?.1));
    Some(failure(
        &name.replace(" >> ", " › "),
        place,
        said.unwrap_or_default(),
    ))
}
