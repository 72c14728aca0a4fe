//! Runs that end early leave a report and no process.

use super::super::mock::MOCK_TARGET;
use super::runs::{failed, finished, run, start};
use crate::support::processes::with_command_line;
use crate::support::{Daemon, eventually};
use serde_json::{Value, json};
use std::path::Path;

/// A run that takes long; its copies can be recognised by the path of their log.
fn params(log: &Path) -> Value {
    json!({"program": MOCK_TARGET, "args": ["--log", log], "seed": 1, "limits": {"fuzz_inputs": 1_000_000}})
}

fn none_is_left(log: &Path) {
    let text = log.to_str().unwrap();
    eventually("no copy is left", || {
        with_command_line(text).is_empty().then_some(())
    });
}

/// Waits until random inputs are typed.
fn wait_for_fuzz(daemon: &Daemon, job: &str) {
    eventually("random inputs are typed", || {
        let job = daemon.call_value("job.get", &json!({"job": job})).unwrap();
        let is_fuzz = job["progress"]["test"] == "fuzz";
        (is_fuzz && job["progress"]["done"].as_u64() > Some(0)).then_some(())
    });
}

#[test]
fn a_cancelled_run_leaves_a_report_and_no_process() {
    let daemon = Daemon::start();
    let log = daemon.home().join("cancelled");
    let mut connection = daemon.connect();
    let job = start(&mut connection, params(&log));
    wait_for_fuzz(&daemon, &job);
    let cancelled = connection.call_value("job.cancel", &json!({"job": job}));
    cancelled.unwrap();
    let job = finished(&mut connection, &job);
    assert_eq!(job["state"], "cancelled");
    assert!(with_command_line(log.to_str().unwrap()).is_empty());
    let report = &job["result"]["report"];
    let why = "not finished: the run was cancelled";
    assert!(
        failed(report).iter().any(|failed| failed.contains(why)),
        "{report}"
    );
    let get = json!({"report": report["id"]});
    assert_eq!(daemon.call_value("test.get", &get).unwrap(), *report);
}

#[test]
fn a_run_that_takes_too_long_leaves_a_report_and_no_process() {
    let daemon = Daemon::start();
    let log = daemon.home().join("late");
    let mut params = params(&log);
    params["limits"]["timeout_s"] = json!(1.5);
    let report = run(&daemon, params);
    assert!(with_command_line(log.to_str().unwrap()).is_empty());
    let why = "not finished: the time limit of 1.5 s was reached";
    assert!(
        failed(&report).iter().any(|failed| failed.contains(why)),
        "{report}"
    );
}

#[test]
fn a_killed_daemon_leaves_a_report_and_no_process() {
    let mut daemon = Daemon::start();
    let log = daemon.home().join("killed");
    let job = start(&mut daemon.connect(), params(&log));
    wait_for_fuzz(&daemon, &job);
    daemon.kill();
    none_is_left(&log);
    daemon.restart();
    let listed = daemon.call_value("test.list", &json!({})).unwrap();
    assert_eq!(listed["reports"][0]["program"], MOCK_TARGET);
    let folders = std::fs::read_dir(daemon.home().join("run/discover"));
    assert!(folders.is_err() || folders.unwrap().next().is_none());
}
