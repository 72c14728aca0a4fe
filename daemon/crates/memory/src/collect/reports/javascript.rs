//! Reports of Vitest, Jest and Playwright in JSON.

use super::place::{line_in, message};
use super::{SuiteFacts, finish};
use crate::collect::facts::rfc3339;
use crate::collect::manifest::MANIFEST_BYTES;
use crate::collect::paths::relative;
use crate::collect::read::read as read_file;
use ccd_protocol::memory::TestFailure;
use serde::de::IgnoredAny;
use serde_json::Value;
use std::path::Path;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

#[derive(serde::Deserialize)]
struct Start {
    #[serde(rename = "numTotalTests")]
    jest: Option<IgnoredAny>,
    #[serde(rename = "stats")]
    playwright: Option<IgnoredAny>,
}

impl Start {
    fn is_report(&self) -> bool {
        self.jest.is_some() || self.playwright.is_some()
    }
}

/// Reads what Playwright keeps of a run that failed; nothing of another.
pub(super) fn last_run(text: &str) -> Option<SuiteFacts> {
    let run: Value = serde_json::from_str(text).ok()?;
    let failed = run["failedTests"].as_array()?.len();
    let mut facts = SuiteFacts {
        is_e2e: true,
        ..SuiteFacts::default()
    };
    facts.suite.framework = "Playwright".to_owned();
    // How many passed is not in it.
    let is_failed = run["status"] != "passed";
    facts.broken = is_failed.then(|| match failed {
        0 => "the last run failed".to_owned(),
        1 => "1 test of the last run failed".to_owned(),
        failed => format!("{failed} tests of the last run failed"),
    });
    is_failed.then(|| finish(facts))
}

/// Reads a report; nothing if it is none of them.
pub(super) fn read(root: &Path, text: &str) -> Option<SuiteFacts> {
    // What is no report is not taken into memory.
    let _: Start = serde_json::from_str(text).ok().filter(Start::is_report)?;
    let report: Value = serde_json::from_str(text).ok()?;
    match (report.get("numTotalTests"), report.get("stats")) {
        (Some(_), _) => Some(jest(root, text, &report)),
        (None, Some(stats)) if stats.get("expected").is_some() => Some(playwright(root, &report)),
        _ => None,
    }
}

fn jest(root: &Path, text: &str, report: &Value) -> SuiteFacts {
    let count = |field: &str| report[field].as_u64().unwrap_or(0);
    let mut facts = SuiteFacts::default();
    facts.suite.passed = count("numPassedTests");
    facts.suite.failed = count("numFailedTests");
    let start = report["startTime"]
        .as_i64()
        .map(|ms| i128::from(ms) * 1_000_000);
    facts.last_run = start
        .and_then(|ns| OffsetDateTime::from_unix_timestamp_nanos(ns).ok())
        .map(rfc3339);
    for file in report["testResults"].as_array().into_iter().flatten() {
        let path = relative(root, file["name"].as_str().unwrap_or_default());
        let tests = file["assertionResults"].as_array().into_iter().flatten();
        let mut has_failure = false;
        for test in tests.filter(|test| test["status"] == "failed") {
            has_failure = true;
            facts.suite.failures.push(jest_failure(root, &path, test));
        }
        // A file that cannot be loaded has no tests, only a message.
        if !has_failure && file["status"] == "failed" {
            facts.suite.failed += u64::from(
                file["assertionResults"]
                    .as_array()
                    .is_none_or(Vec::is_empty),
            );
            let text = file["message"].as_str().unwrap_or_default();
            facts.suite.failures.push(TestFailure {
                line: line_in(root, text, &path),
                test_name: path.clone(),
                file: path,
                message: message(text),
            });
        }
    }
    if report["success"] == false && facts.suite.failed == 0 {
        facts.broken = Some("the report says that the run was no success".to_owned());
    }
    facts.is_e2e = false;
    facts.suite.framework = framework(root, text, report).to_owned();
    finish(facts)
}

/// The two write nearly the same; the names of files and the project say which it is.
fn framework(root: &Path, text: &str, report: &Value) -> &'static str {
    let manifest = read_file(root, Path::new("package.json"), MANIFEST_BYTES);
    let manifest = manifest.map_or_else(|_| String::new(), |content| content.text());
    let has = |name: &str| manifest.contains(&format!("\"{name}\""));
    match (has("vitest"), has("jest")) {
        (true, false) => "Vitest",
        (false, true) => "Jest",
        _ if report.get("numRuntimeErrorTestSuites").is_some() || text.contains("jest") => "Jest",
        _ => "Vitest",
    }
}

fn jest_failure(root: &Path, path: &str, test: &Value) -> TestFailure {
    let text = test["failureMessages"]
        .get(0)
        .and_then(Value::as_str)
        .unwrap_or_default();
    let name = test["fullName"]
        .as_str()
        .or(test["title"].as_str())
        .unwrap_or_default();
    let line = line_in(root, text, path).or(test["location"]["line"].as_u64());
    TestFailure {
        file: path.to_owned(),
        line,
        test_name: name.to_owned(),
        message: message(text),
    }
}

fn playwright(root: &Path, report: &Value) -> SuiteFacts {
    let stats = &report["stats"];
    let count = |field: &str| stats[field].as_u64().unwrap_or(0);
    let mut facts = SuiteFacts {
        is_e2e: true,
        ..SuiteFacts::default()
    };
    facts.suite.framework = "Playwright".to_owned();
    // A flaky test passed in the end.
    facts.suite.passed = count("expected") + count("flaky");
    facts.suite.failed = count("unexpected");
    let first = report["errors"]
        .as_array()
        .and_then(|errors| errors.first());
    facts.broken = first.map(|error| {
        let said = error["message"].as_str();
        said.unwrap_or("the report has an error").to_owned()
    });
    let start = stats["startTime"]
        .as_str()
        .and_then(|time| OffsetDateTime::parse(time, &Rfc3339).ok());
    facts.last_run = start.map(rfc3339);
    let folder = report["config"]["rootDir"].as_str().unwrap_or_default();
    // Suites are nested as deep as the tests are described; a list instead of recursion.
    let mut suites: Vec<(&Value, String)> = Vec::new();
    suites.extend(
        report["suites"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|suite| (suite, String::new())),
    );
    suites.reverse();
    while let Some((suite, above)) = suites.pop() {
        let title = suite["title"].as_str().unwrap_or_default();
        let is_file = suite["file"].as_str() == Some(title);
        let name = match (above.is_empty(), is_file) {
            (_, true) => above,
            (true, _) => title.to_owned(),
            _ => format!("{above} › {title}"),
        };
        for spec in suite["specs"].as_array().into_iter().flatten() {
            facts
                .suite
                .failures
                .extend(playwright_failure(root, folder, &name, spec));
        }
        let inner = suite["suites"].as_array().into_iter().flatten();
        suites.extend(inner.rev().map(|suite| (suite, name.clone())));
    }
    finish(facts)
}

fn playwright_failure(root: &Path, folder: &str, above: &str, spec: &Value) -> Option<TestFailure> {
    let mut tests = spec["tests"].as_array()?.iter();
    let test = tests.find(|test| test["status"] == "unexpected")?;
    let error = test["results"]
        .as_array()
        .and_then(|results| results.iter().rev().find_map(|result| result.get("error")));
    let error = error.unwrap_or(&Value::Null);
    let title = spec["title"].as_str().unwrap_or_default();
    let own = Path::new(folder).join(spec["file"].as_str().unwrap_or_default());
    let file = match error["location"]["file"].as_str() {
        Some(file) => relative(root, file),
        None => relative(root, &own.to_string_lossy()),
    };
    Some(TestFailure {
        file,
        line: error["location"]["line"].as_u64().or(spec["line"].as_u64()),
        test_name: if above.is_empty() {
            title.to_owned()
        } else {
            format!("{above} › {title}")
        },
        message: message(error["message"].as_str().unwrap_or_default()),
    })
}
