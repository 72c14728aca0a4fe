//! `ccctl investigate`, `map` and `test` on reports that are there.

use crate::support::{Ccctl, Daemon, assert_fields, assert_has};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// A report of an investigation with two states.
fn investigation(id: &str, version: &str) -> Value {
    json!({
        "id": id, "program": "mock", "args": [],
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
fn tests(id: &str, tape: &Path) -> Value {
    let result = |test_type: &str, passed: bool, details: Value| {
        json!({"id": format!("{id}-{test_type}"), "program": "mock", "timestamp": "2025-09-23T12:34:57.000Z",
            "test_type": test_type, "passed": passed, "details": details,
            "error": (!passed).then_some("1 finding: crash by SIGSEGV")})
    };
    let finding = json!({"kind": "crash", "input": "boom <\u{1b}[2J>", "signal": "SIGSEGV",
        "message": "ended by SIGSEGV", "tape": tape});
    json!({
        "id": id, "program": "mock", "args": ["-i"], "seed": 42,
        "started_at": "2025-09-23T12:34:56.000Z", "completed_at": "2025-09-23T12:34:58.000Z",
        "results": [
            result("startup", true, json!({"started": true, "has_prompt": true})),
            result("fuzz", false, json!({"findings": [finding]})),
        ],
        "summary": {"total": 2, "passed": 1, "failed": 1},
    })
}

/// Puts a file into a directory of reports.
fn put(daemon: &Daemon, folder: &str, name: &str, content: &str) {
    let folder = daemon.home().join(folder);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(name), content).unwrap();
}

#[test]
fn reports_of_investigations_are_listed_shown_compared_mapped_and_deleted() {
    let daemon = Daemon::start();
    let client = Ccctl::new(&daemon);
    let mut old = investigation("aaaa1111-0000-4000-8000-000000000001", "1.0");
    old["commands"]["config"]["description"] = "Change \u{1b}[2Jsettings".into();
    let new = investigation("aaaa2222-0000-4000-8000-000000000002", "1.1");
    for (name, content) in [
        ("mock_20250101T000000000Z.json", &*old.to_string()),
        ("mock_20250102T000000000Z.json", &new.to_string()),
        ("\u{1b}[2Jdamaged.json", "no JSON"),
    ] {
        put(&daemon, "investigations", name, content);
    }
    let ran = client.run(&["investigate", "list"]);
    assert!(ran.stdout.starts_with("aaaa2222-"), "{}", ran.stdout);
    assert!(ran.stderr.contains("damaged.json"), "{}", ran.stderr);
    assert!(!ran.stderr.contains('\u{1b}'), "{}", ran.stderr);
    let newest = "investigate ls --program mock -n 1 --json";
    let listed = parsed(&client.ok(&newest.split(' ').collect::<Vec<_>>()));
    let [first] = &listed["reports"].as_array().unwrap()[..] else {
        panic!("{listed}");
    };
    for (count, expected) in [("states", 2), ("commands", 1), ("findings", 1)] {
        assert_eq!(first[count], expected, "{count}");
    }
    assert!(daemon.status()["sizes"]["investigations"].as_u64() > Some(0));

    // The newest one of a program.
    let shown = client.ok(&["investigate", "show", "mock", "--json"]);
    assert_eq!(parsed(&shown)["version"], "1.1");
    let shown = client.ok(&["investigate", "show", "aaaa1"]);
    assert!(shown.contains("config  Change settings"), "{shown}");
    assert!(!shown.contains('\u{1b}'), "{shown}");
    let got = parsed(&client.ok(&["investigate", "get", "aaaa1", "--json"]));
    assert_eq!(got["commands"], old["commands"]);

    let ran = client.run(&["investigate", "diff", "aaaa1", "aaaa2"]);
    assert_eq!(ran.code, Some(1));
    let diff = "~ version: 1.0 → 1.1\n~ command config: Change settings → Change settings\n";
    assert_eq!(ran.stdout, diff);
    let map = "main  mock>  (start)\n  config → config\nconfig  config>\n  end → main\n";
    assert_eq!(client.ok(&["map", "mock"]), map);
    let refused = client.run(&["map", "--svg", "aaaa1"]);
    assert!(
        refused
            .stderr
            .contains("ccctl investigate map --dot aaaa1 | dot -Tsvg")
    );
    for (args, part) in [
        (["--dot", "aaaa1"], "s0 -> s1"),
        (["aaaa1", "--dot"], "s0 -> s1"),
        (["aaaa1", "--mermaid"], "s1 -->|\"end\"| s0"),
        (["--json", "aaaa1"], "\"program\": \"mock\""),
    ] {
        assert_has(&client.ok(&[&["map"], &args[..]].concat()), [part]);
    }

    let deleted = client.ok(&["investigate", "delete", "aaaa1"]);
    assert!(deleted.starts_with("deleted /"), "{deleted}");
    for (line, code) in [("show aaaa1", 4), ("--unsafe list x", 2)] {
        let words: Vec<&str> = line.split(' ').collect();
        let ran = client.run(&[&["investigate"], &words[..]].concat());
        assert_eq!(ran.code, Some(code), "{line}");
    }
    let negative = json!({"older_than_s": -1});
    let mut connection = daemon.connect();
    connection.refused("investigate.cleanup", &negative, "invalid_argument");
    let cleaned = client.ok(&["investigate", "cleanup", "--older-than", "30"]);
    assert!(cleaned.starts_with("deleted 1 report, "), "{cleaned}");
}

#[test]
fn reports_of_tests_are_listed_shown_and_written_as_files() {
    let daemon = Daemon::start();
    let client = Ccctl::new(&daemon);
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
    let report = tests("bbbb1111-0000-4000-8000-000000000001", &tape);
    let name = "mock_20250101T000000000Z.json";
    put(&daemon, "test-reports", name, &report.to_string());
    let listed = client.ok(&["test", "list"]);
    assert_has(&listed, ["1/2", "fuzz"]);
    let listed = daemon.ok("test.list", &json!({"program": "mock"}));
    let summary = &listed["reports"][0];
    assert_fields(
        summary,
        json!({"failed": ["fuzz"], "summary": {"failed": 1}}),
    );
    let shown = client.ok(&["test", "show", "bbbb1"]);
    assert!(shown.contains("✓ startup\n✗ fuzz"), "{shown}");
    assert!(shown.contains("input  boom <\\u{1b}[2J>"), "{shown}");
    assert_eq!(client.ok(&["test", "show", "mock"]), shown);
    let report = parsed(&client.ok(&["test", "show", "bbbb1", "--json"]));
    assert_eq!(report["seed"], 42);

    let folder = tempfile::tempdir().unwrap();
    let [junit, html] = ["r.xml", "r.html"].map(|name| folder.path().join(name));
    let [to_junit, to_html] = [&junit, &html].map(|path| path.to_str().unwrap());
    let files = ["--junit", to_junit, "--html", to_html];
    client.ok(&[&["test", "show", "bbbb1"], &files[..]].concat());
    assert!(fs::read_to_string(&junit).unwrap().starts_with("<?xml"));
    let page = fs::read_to_string(&html).unwrap();
    assert!(page.ends_with("</html>\n") && !page.contains('\u{1b}'));
    // The screen of the finding.
    let picture = "<img src=\"data:image/svg+xml;base64,";
    assert!(page.contains(picture), "{page}");
    let printed = client.ok(&["test", "get", "bbbb1", "--junit", "-"]);
    assert!(printed.contains("<testsuite "), "{printed}");
    client.ok(&["test", "rm", name]);
    assert_eq!(client.run(&["test", "show", "bbbb1"]).code, Some(4));
}
