//! Investigations that are cut off: a report of what was found, and no process left.

use super::MOCK_TARGET;
use super::investigated::{ended, folder, investigate_with, report_of, saved, started};
use crate::support::conversation::tapes;
use crate::support::processes::with_variable;
use crate::support::session::lacks;
use crate::support::{Daemon, eventually};
use ccd_protocol::investigate::{InvestigationEnd, InvestigationReport};
use serde_json::{Value, json};
use std::path::Path;

/// A variable of all programs of a test.
fn mark(daemon: &Daemon) -> (String, Value) {
    let value = daemon.home().display().to_string();
    let entry = format!("CCD_TEST_MARK={value}");
    (entry, json!({"env": {"CCD_TEST_MARK": value}}))
}

fn assert_none_left(daemon: &Daemon) {
    let (entry, _) = mark(daemon);
    eventually("no program is left", || {
        with_variable(&entry).is_empty().then_some(())
    });
    eventually("no folder is left", || (folders(daemon) == 0).then_some(()));
}

/// Returns the number of throw-away folders.
fn folders(daemon: &Daemon) -> usize {
    let entries = std::fs::read_dir(daemon.home().join("run/discover"));
    entries.map_or(0, Iterator::count)
}

/// What is known of the mock when it hangs.
fn assert_has_most(report: &InvestigationReport) {
    assert_eq!(report.prompts[0], "main>");
    let json = &report.commands["json"].description;
    assert_eq!(json, "Print the settings as JSON");
    assert_eq!(report.version.as_deref(), Some("mock_target 1.2.3"));
    assert_eq!(report.exit_commands.len(), 4);
}

/// Waits until the mock hangs, which it does after the crash, for as long as a step may take.
fn until_it_hangs(daemon: &Daemon, job: &str) {
    eventually("a crash is found", || {
        let record = daemon.ok("job.get", &json!({"job": job}));
        assert_eq!(record["state"], "running", "{record}");
        (record["progress"]["findings"].as_u64() == Some(1)).then_some(())
    });
}

#[test]
fn a_cancelled_investigation_leaves_a_report_and_no_process() {
    let daemon = Daemon::start();
    let (_, extra) = mark(&daemon);
    let job = started(&daemon, &[MOCK_TARGET], &extra);
    until_it_hangs(&daemon, &job);
    daemon.ok("job.cancel", &json!({"job": job}));
    let record = ended(&daemon, &job);
    assert_eq!(record["state"], "cancelled", "{record}");
    let found = report_of(&daemon, &job);
    assert_eq!(found.report.end, InvestigationEnd::Cancelled);
    assert_has_most(&found.report);
    assert_none_left(&daemon);
}

#[test]
fn an_investigation_that_takes_too_long_leaves_a_report_and_no_process() {
    // The mock hangs for as long as a step may take, which is longer.
    let daemon = Daemon::with_config("{ investigation: { timeout: 3 } }");
    let (_, extra) = mark(&daemon);
    let job = started(&daemon, &[MOCK_TARGET], &extra);
    let record = ended(&daemon, &job);
    assert_eq!(record["state"], "done", "{record}");
    let found = report_of(&daemon, &job);
    assert_eq!(found.report.end, InvestigationEnd::TimedOut);
    assert_none_left(&daemon);
    for (field, value) in [
        ("timeout_s", json!(0)),
        ("timeout_s", json!(1e9)),
        ("max_depth", json!(0)),
        ("max_depth", json!(21)),
        ("cwd", json!("relative")),
    ] {
        let params = json!({"program": MOCK_TARGET, field: value});
        let mut connection = daemon.connect();
        let message = connection.refused("investigate.run", &params, "invalid_argument");
        assert!(message.contains(field), "{message}");
    }
}

#[test]
fn a_daemon_that_is_killed_leaves_a_report_and_no_process() {
    let mut daemon = Daemon::start();
    let (entry, extra) = mark(&daemon);
    let job = started(&daemon, &[MOCK_TARGET], &extra);
    until_it_hangs(&daemon, &job);
    // What was found until then is written after a moment.
    let path = eventually("a report", || {
        let mut files = std::fs::read_dir(folder(&daemon)).ok()?.flatten();
        let path = files.next()?.path();
        (saved(&path).exit_commands.len() == 4).then_some(path)
    });
    daemon.kill();
    eventually("no program is left", || {
        with_variable(&entry).is_empty().then_some(())
    });
    assert!(folders(&daemon) > 0);
    daemon.restart();
    assert_none_left(&daemon);
    let report = saved(&path);
    assert_eq!(report.end, InvestigationEnd::Failed);
    assert_has_most(&report);
}

#[test]
fn an_investigation_waits_for_room_among_the_sessions() {
    if lacks(&["sqlite3"]) {
        return;
    }
    let daemon = Daemon::with_config("{ max_sessions: 2 }");
    let mut connection = daemon.connect();
    let first = connection.start_session(&["cat"]);
    connection.start_session(&["cat"]);
    let job = started(&daemon, &["cat"], &json!({}));
    let record = daemon.ok("job.get", &json!({"job": job, "wait_ms": 300}));
    assert_eq!(record["state"], "running");
    connection.ok("session.close", &json!({"session": first}));
    // One place is enough for all of it.
    let found = report_of(&daemon, &job);
    assert_eq!(found.report.end, InvestigationEnd::Complete);
    found.ends_by(&["C-d"]);
}

#[test]
fn tapes_have_what_was_seen() {
    let daemon = Daemon::with_config("{ investigation: { max_depth: 1 } }");
    let extra = json!({"tape": true});
    let found = investigate_with(&daemon, &[MOCK_TARGET, "--sound"], &extra);
    let folder = found.report.tape.as_deref().unwrap();
    let files = tapes(Path::new(folder));
    assert!(files.len() > 10, "{files:?}");
    let texts = files.iter().map(std::fs::read_to_string);
    let texts: Vec<String> = texts.map(Result::unwrap).collect();
    for typed in ["xyzzyq", "config", "quit"] {
        assert!(texts.iter().any(|text| text.contains(typed)), "{typed}");
    }
    // The states that commands lead to are known, but were not entered again.
    assert!(found.notes("not explored: config, the limit is reached"));
    assert!(found.state("config").commands.is_empty());
    assert_eq!(found.report.states.len(), 5);
    found.is_sound();
}
