//! Reports that are in the directory: `investigate.list`, `get`, `diff`, `map`, `delete`, `cleanup`, and those of `test.*`.

use crate::support::{Daemon, kind};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

const DAY_S: f64 = 86_400.0;

/// A report of an investigation with two states.
pub(super) fn investigation(id: &str, program: &str, version: &str) -> Value {
    json!({
        "id": id, "program": program, "args": [],
        "started_at": "2025-09-23T12:34:56.789Z", "completed_at": "2025-09-23T12:34:58.001Z",
        "entry_state_id": "s1", "version": version, "interactive": true, "safe_mode": true,
        "commands": {"config": {"description": "Change settings", "tested": true, "output_length": 21}},
        "prompts": ["mock>", "config>"], "help_commands": ["--help"],
        "exit_commands": [{"command": "quit", "exit_status": 0}],
        "states": [
            {"id": "s1", "report_id": id, "name": "main", "prompt": "mock>", "transitions": {"config": "s2"}},
            {"id": "s2", "report_id": id, "name": "config", "prompt": "config>", "transitions": {"end": "s1"}},
        ],
        "findings": [{"kind": "crash", "command": "boom", "state": "s1", "signal": "SIGSEGV",
            "message": "ended by SIGSEGV"}],
    })
}

/// A report of tests in which fuzzing found a crash, with a tape of it.
pub(super) fn tests(id: &str, program: &str, tape: Option<&Path>) -> Value {
    let result = |test_type: &str, passed: bool, details: Value| {
        json!({"id": format!("{id}-{test_type}"), "program": program, "timestamp": "2025-09-23T12:34:57.000Z",
            "test_type": test_type, "passed": passed, "details": details,
            "error": (!passed).then_some("1 finding: crash by SIGSEGV")})
    };
    let finding = json!({"kind": "crash", "input": "boom <\u{1b}[2J>", "signal": "SIGSEGV",
        "message": "ended by SIGSEGV", "tape": tape});
    json!({
        "id": id, "program": program, "args": ["-i"], "seed": 42,
        "started_at": "2025-09-23T12:34:56.000Z", "completed_at": "2025-09-23T12:34:58.000Z",
        "results": [
            result("startup", true, json!({"started": true, "has_prompt": true})),
            result("fuzz", false, json!({"findings": [finding]})),
        ],
        "summary": {"total": 2, "passed": 1, "failed": 1},
    })
}

/// Puts a file into a directory of reports.
pub(super) fn put(daemon: &Daemon, folder: &str, name: &str, content: &str) -> PathBuf {
    let folder = daemon.home().join(folder);
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    fs::write(&path, content).unwrap();
    path
}

fn put_investigations(daemon: &Daemon) -> [PathBuf; 2] {
    let old = investigation("aaaa1111-0000-4000-8000-000000000001", "/opt/mock", "1.0");
    let mut new = investigation("aaaa2222-0000-4000-8000-000000000002", "mock", "1.1");
    new["completed_at"] = json!("2999-01-01T00:00:00.000Z");
    [
        ("mock_20250101T000000000Z.json", old),
        ("mock_20250102T000000000Z.json", new),
    ]
    .map(|(name, report)| put(daemon, "investigations", name, &report.to_string()))
}

#[test]
fn investigations_are_listed_newest_first_and_found_by_every_name() {
    let daemon = Daemon::start();
    let [old, _] = put_investigations(&daemon);
    put(&daemon, "investigations", "damaged.json", "{\"id\": ");
    let list = daemon.call_value("investigate.list", &json!({})).unwrap();
    let versions: Vec<&str> = list["reports"]
        .as_array()
        .unwrap()
        .iter()
        .map(|report| report["version"].as_str().unwrap())
        .collect();
    assert_eq!(versions, ["1.1", "1.0"]);
    let first = &list["reports"][0];
    assert_eq!(
        (&first["states"], &first["commands"], &first["findings"]),
        (&json!(2), &json!(1), &json!(1))
    );
    assert!(
        list["warnings"][0]
            .as_str()
            .unwrap()
            .contains("damaged.json")
    );
    let of_other = json!({"program": "bc"});
    let none = daemon.call_value("investigate.list", &of_other).unwrap();
    assert_eq!(none["reports"], json!([]));
    for which in [
        "aaaa1",
        "mock_20250101T000000000Z.json",
        old.to_str().unwrap(),
    ] {
        let report = daemon
            .call_value("investigate.get", &json!({"report": which}))
            .unwrap();
        assert_eq!(report["version"], "1.0", "{which}");
        assert_eq!(report["states"][1]["name"], "config");
    }
    for which in ["aaaa", "bbbb", "../config.json"] {
        let error = daemon
            .call_value("investigate.get", &json!({"report": which}))
            .unwrap_err();
        assert_eq!(kind(&error), "report_not_found", "{which}");
    }
    let status = daemon.call_value("daemon.status", &json!({})).unwrap();
    assert!(status["sizes"]["investigations"].as_u64().unwrap() > 0);
}

#[test]
fn a_report_has_a_map_in_three_formats_and_a_difference_to_another() {
    let daemon = Daemon::start();
    put_investigations(&daemon);
    for (format, part) in [
        ("json", "\"is_entry\": true"),
        ("dot", "s0 -> s1 [label=\"config\"];"),
        ("MERMAID", "s1 -->|\"end\"| s0"),
    ] {
        let params = json!({"report": "aaaa1", "format": format});
        let map = daemon.call_value("investigate.map", &params).unwrap();
        let text = map["text"].as_str().unwrap();
        assert!(text.contains(part), "{part} in {text}");
    }
    let params = json!({"a": "aaaa1", "b": "aaaa2"});
    let diff = daemon.call_value("investigate.diff", &params).unwrap();
    assert_eq!(diff["equal"], false);
    let names: Vec<&str> = diff["properties"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| change["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["program", "version"]);
    assert_eq!(diff["states"], Value::Null);
}

#[test]
fn reports_go_one_by_one_or_by_age_and_nothing_else_does() {
    let daemon = Daemon::start();
    let [old, new] = put_investigations(&daemon);
    let damaged = put(&daemon, "investigations", "damaged.json", "no JSON");
    let error = daemon
        .call_value("investigate.cleanup", &json!({"older_than_s": -1}))
        .unwrap_err();
    assert_eq!(kind(&error), "invalid_argument");
    let params = json!({"older_than_s": 30.0 * DAY_S});
    let reply = daemon.call_value("investigate.cleanup", &params).unwrap();
    assert_eq!(reply["removed"], 1);
    assert!(!old.exists() && new.exists() && damaged.exists());
    let params = json!({"report": "aaaa2"});
    let reply = daemon.call_value("investigate.delete", &params).unwrap();
    assert_eq!(reply["path"], new.to_str().unwrap());
    assert!(!new.exists() && damaged.exists());
    let error = daemon
        .call_value("investigate.delete", &params)
        .unwrap_err();
    assert_eq!(kind(&error), "report_not_found");
}

#[test]
fn a_report_of_tests_is_json_junit_and_a_page_with_the_screen_of_a_finding() {
    let daemon = Daemon::start();
    let tape = daemon.home().join("tapes/mock/crash.json5");
    fs::create_dir_all(tape.parent().unwrap()).unwrap();
    let recorded = json!({
        "meta": {"createdAt": "2025-09-23T12:34:56.000Z", "program": "mock", "args": ["-i"], "env": {},
            "cwd": "/", "pty": {"rows": 5, "cols": 30}, "latency": 0, "errorRate": 0, "seed": 1},
        "session": {"platform": "x86_64-unknown-linux-gnu", "version": "ccd 0.1.0", "features": []},
        "exchanges": [{
            "pre": {"prompt": "", "stateHash": ""},
            "input": {"type": "raw", "dataText": "", "dataBytesB64": null},
            "output": {"chunks": [{"delay_ms": 0, "dataB64": "bW9jaz4gYm9vbQ0K", "isUtf8": true}]},
            "exit": null, "dur_ms": 1, "annotations": {},
        }],
    });
    fs::write(&tape, recorded.to_string()).unwrap();
    let report = tests("bbbb1111-0000-4000-8000-000000000001", "mock", Some(&tape));
    put(
        &daemon,
        "test-reports",
        "mock_20250101T000000000Z.json",
        &report.to_string(),
    );
    let list = daemon
        .call_value("test.list", &json!({"program": "mock"}))
        .unwrap();
    let summary = &list["reports"][0];
    assert_eq!(summary["failed"], json!(["fuzz"]));
    assert_eq!(summary["summary"]["failed"], 1);
    let get = |format: &str| {
        let params = json!({"report": "bbbb1", "format": format});
        daemon.call_value("test.get", &params).unwrap()
    };
    let got = get("json");
    assert_eq!(
        (&got["results"], &got["text"]),
        (&report["results"], &Value::Null)
    );
    let junit = get("junit");
    let junit = junit["text"].as_str().unwrap();
    assert!(
        junit.contains("<failure message=\"1 finding: crash by SIGSEGV\" type=\"fuzz\">"),
        "{junit}"
    );
    let page = get("html");
    let page = page["text"].as_str().unwrap();
    assert!(
        page.contains("<img src=\"data:image/svg+xml;base64,"),
        "{page}"
    );
    assert!(page.contains("boom &lt;\\u{1b}[2J&gt;"), "{page}");
    assert!(!page.contains('\u{1b}'));
    if let Some(path) = std::env::var_os("CCD_TEST_PAGE") {
        fs::write(path, page).unwrap();
    }
}
