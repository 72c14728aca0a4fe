//! Runs of tests as these tests need them.

use crate::support::{Connection, Daemon};
use serde_json::{Value, json};
use std::time::Duration;

/// Longest run on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Starts a run; returns the id of its job.
pub(super) fn start(connection: &mut Connection, mut params: Value) -> String {
    let env = json!({"PATH": std::env::var("PATH").unwrap()});
    params["caller_env"] = env;
    let started = connection.call_value("test.run", &params).unwrap();
    started["job"].as_str().unwrap().to_owned()
}

/// Waits for the end of a job; returns it.
pub(super) fn finished(connection: &mut Connection, job: &str) -> Value {
    let begun = std::time::Instant::now();
    loop {
        let params = json!({"job": job, "wait_ms": 20_000});
        let job = connection.call_value("job.get", &params).unwrap();
        if job["state"] != "running" {
            return job;
        }
        assert!(begun.elapsed() < PATIENCE, "the run takes too long: {job}");
    }
}

/// Runs tests to their end; returns the report.
pub(in crate::discover) fn run(daemon: &Daemon, params: Value) -> Value {
    let mut connection = daemon.connect();
    let job = start(&mut connection, params);
    let job = finished(&mut connection, &job);
    assert_eq!(job["state"], "done", "{job}");
    job["result"]["report"].clone()
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
    failed
        .map(|result| format!("{}: {}", result["test_type"], result["error"]))
        .collect()
}

/// Returns kind and input of each finding of a test.
pub(super) fn findings(report: &Value, test: &str) -> Vec<(String, String)> {
    let found = result(report, test)["details"]["findings"].as_array();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    found
        .into_iter()
        .flatten()
        .map(|finding| (text(&finding["kind"]), text(&finding["input"])))
        .collect()
}
