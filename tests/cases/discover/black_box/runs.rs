//! Runs of tests as these tests need them.

use crate::discover::investigated::{ended, script};
use crate::support::Daemon;
use serde_json::{Value, json};
use std::path::Path;

/// Starts a run, with time enough for all on a busy machine; returns the id of its job.
pub(super) fn start(daemon: &Daemon, mut params: Value) -> String {
    params["caller_env"] = json!({"PATH": std::env::var("PATH").unwrap()});
    let limits = &mut params["limits"];
    if limits.get("timeout_s").is_none() {
        limits["timeout_s"] = 600.into();
    }
    let started = daemon.ok("test.run", &params);
    started["job"].as_str().unwrap().to_owned()
}

/// Runs tests to their end; returns the report.
pub(in crate::discover) fn run(daemon: &Daemon, params: Value) -> Value {
    let job = ended(daemon, &start(daemon, params));
    assert_eq!(job["state"], "done", "{job}");
    job["result"]["report"].clone()
}

/// Runs tests of a script to their end; `params` has everything but the program.
pub(super) fn run_script(daemon: &Daemon, text: &str, mut params: Value) -> Value {
    params["program"] = script(daemon, "script", text).into();
    run(daemon, params)
}

/// Returns the findings of a test.
pub(super) fn finding_list<'a>(report: &'a Value, test: &str) -> &'a [Value] {
    let findings = result(report, test)["details"]["findings"].as_array();
    findings.map_or(&[], Vec::as_slice)
}

/// Asserts that each finding of a test has a tape.
#[track_caller]
pub(super) fn assert_on_tape(report: &Value, test: &str) {
    for finding in finding_list(report, test) {
        let tape = finding["tape"].as_str().unwrap();
        assert!(Path::new(tape).is_file(), "{finding}");
    }
}

/// Returns the result of one type.
pub(in crate::discover) fn result<'a>(report: &'a Value, test: &str) -> &'a Value {
    let results = report["results"].as_array().unwrap();
    let result = results.iter().find(|result| result["test_type"] == test);
    result.unwrap_or_else(|| panic!("no result of {test}: {report}"))
}

/// Returns the names of the tests that failed, with the reasons.
pub(super) fn failed(report: &Value) -> Vec<String> {
    let results = report["results"].as_array().unwrap();
    let failed = results.iter().filter(|result| result["passed"] == false);
    let told = |result: &Value| format!("{}: {}", result["test_type"], result["error"]);
    failed.map(told).collect()
}

/// Returns kind and input of each finding of a test.
pub(super) fn findings(report: &Value, test: &str) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let found = finding_list(report, test).iter();
    let found = found.map(|finding| (text(&finding["kind"]), text(&finding["input"])));
    found.collect()
}
