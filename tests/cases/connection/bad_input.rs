//! Invalid requests: each error names the mistake, and nothing is started, created or changed.

use crate::support::executable::write_script;
use crate::support::{Daemon, assert_fields, assert_has, eventually};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::fs;

const DAYS_30_S: f64 = 30.0 * 24.0 * 3600.0;

/// Methods that name a session, with their other parameters.
const SESSION_CALLS: [(&str, &str); 13] = [
    ("session.get", "{}"),
    ("session.send", r#"{"text": "x"}"#),
    ("session.expect", r#"{"patterns": [{"exact": "x"}]}"#),
    ("session.wait", r#"{"for": "exit"}"#),
    ("session.read", "{}"),
    ("session.screen", "{}"),
    ("session.run", r#"{"command": "true"}"#),
    ("session.subscribe", "{}"),
    ("session.signal", r#"{"signal": "INT"}"#),
    ("session.resize", r#"{"rows": 10, "cols": 10}"#),
    ("session.echo", r#"{"on": true}"#),
    ("session.close", "{}"),
    ("session.history", "{}"),
];

/// Calls with a time: a method, its parameters without the time, and the name of the time.
const TIMED_CALLS: [(&str, &str, &str); 5] = [
    (
        "session.expect",
        r#"{"patterns": [{"regex": "."}]}"#,
        "timeout_ms",
    ),
    ("session.run", r#"{"command": "true"}"#, "timeout_ms"),
    ("run.once", r#"{"program": "true"}"#, "timeout_ms"),
    ("session.close", "{}", "grace_ms"),
    ("session.cleanup", "{}", "max_age_s"),
];

/// Further ones, which would wait for a time that is valid.
const WAITING_CALLS: [(&str, &str, &str); 2] = [
    ("session.wait", r#"{"for": "exit"}"#, "timeout_ms"),
    ("session.wait", r#"{"for": "idle"}"#, "idle_ms"),
];

/// Returns `params` with one more member.
fn with(params: &str, name: &str, value: impl Into<Value>) -> Value {
    let mut params: Value = serde_json::from_str(params).unwrap();
    params[name] = value.into();
    params
}

/// Counts the directories and rings of sessions.
fn traces(daemon: &Daemon) -> usize {
    let count = |folder: &str| fs::read_dir(daemon.home().join(folder)).unwrap().count();
    count("sessions") + count("run/ccd.sock.rings")
}

#[test]
fn an_unknown_session_is_named_and_what_cannot_be_an_id_is_an_argument_error_everywhere() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    for (method, params) in SESSION_CALLS {
        let params = with(params, "session", "nobody");
        let message = connection.refused(method, &params, "session_not_found");
        assert_has(&message, ["nobody"]);
    }
    let (long, cat) = ("x".repeat(65), r#"{"program": "cat"}"#);
    for id in [
        "", ".", "..", "../x", "a/b", "/etc/x", "a\0b", "\n", "a b", "ä", "~", "$HOME", "*",
        ".hidden", &long,
    ] {
        for (method, params) in SESSION_CALLS {
            connection.refused(method, &with(params, "session", id), "invalid_argument");
        }
        for name in ["id", "name"] {
            let params = with(cat, name, id);
            connection.refused("session.create", &params, "invalid_argument");
        }
    }
    assert_eq!(traces(&daemon), 0);
    assert_eq!(daemon.listed(true), [""; 0]);
    connection.ok("session.create", &with(cat, "id", &long[1..]));
}

#[test]
fn a_program_that_cannot_start_is_named_and_leaves_no_files() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let path = |name: &str| daemon.home().join(name);
    let file = path("not-executable");
    fs::write(&file, "#!/bin/sh\n").unwrap();
    let file = file.to_str().unwrap();
    let [broken, orphan] = ["broken", "orphan"].map(path);
    write_script(&broken, "\x7fELF nonsense");
    write_script(&orphan, "#!/no/such/interpreter\n");
    for (program, named) in [
        ("no-such-program", "no-such-program"),
        ("/no/such/file", "/no/such/file"),
        ("/", "directory"),
        (file, "not executable"),
        (broken.to_str().unwrap(), "broken"),
        (orphan.to_str().unwrap(), "orphan"),
    ] {
        for method in ["session.create", "run.once"] {
            let message = connection.refused(method, &json!({"program": program}), "spawn_failed");
            assert_has(&message, [named]);
        }
    }
    for (cwd, named) in [
        ("/no/such/folder", "/no/such/folder"),
        (file, "not-executable"),
        ("/a\0b", "NUL"),
    ] {
        let params = json!({"program": "cat", "cwd": cwd});
        let message = connection.refused("session.create", &params, "spawn_failed");
        assert_has(&message, [named]);
    }
    assert_eq!(traces(&daemon), 0);
    let all = connection.ok("session.list", &json!({"all": true}));
    for session in all["sessions"].as_array().unwrap() {
        assert!(session["start_error"].is_string(), "{session}");
        assert_fields(session, json!({"state": "dead", "pid": 0}));
    }
}

#[test]
fn arguments_of_create_are_checked_before_anything_is_made() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    for params in [
        json!({}),
        json!({"program": ""}),
        json!({"program": "cat", "args": ["a\0b"]}),
        json!({"program": "ca\0t"}),
        json!({"program": "cat", "cwd": "relative"}),
        json!({"program": "cat", "cwd": ""}),
        json!({"program": "cat", "env": {"": "x"}}),
        json!({"program": "cat", "env": {"A=B": "x"}}),
        json!({"program": "cat", "env": {"A\0": "x"}}),
        json!({"program": "cat", "env": {"A": "x\0y"}}),
        json!({"program": "cat", "encoding": "no-such-encoding"}),
        json!({"program": "cat", "timeout_s": -1}),
        json!({"program": "cat", "session_timeout_s": -0.5}),
        json!({"program": "cat", "max_session_runtime_s": -1e300}),
        json!({"program": "cat", "max_output_size": -1}),
        json!({"program": "cat", "output_limit": -5}),
    ] {
        connection.refused("session.create", &params, "invalid_argument");
    }
    assert_eq!(traces(&daemon), 0);
}

#[test]
fn bytes_that_are_no_text_go_in_and_out_as_they_are() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let script = "stty raw -echo; printf ready; exec cat";
    let session = connection.start_session(&["sh", "-c", script]);
    connection.expect_text(&session, "ready");
    let bytes = STANDARD.encode((0..=255).collect::<Vec<u8>>());
    let send = json!({"session": session, "data_b64": bytes});
    assert_eq!(connection.ok("session.send", &send)["written_bytes"], 256);
    eventually("all bytes are echoed", || {
        let record = connection.record(&session);
        (record["output"]["output_bytes"] == 5 + 256).then_some(())
    });
    let read = json!({"session": session, "since": 5, "raw": true});
    assert_eq!(connection.ok("session.read", &read)["data_b64"], bytes);
}

#[test]
fn negative_times_are_refused_everywhere_and_fractions_are_fine() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["cat"]);
    let expect = json!({"patterns": [{"exact": "x"}], "timeout_ms": 0});
    for time in [-1.0, -0.001, -1e300] {
        for (method, params, name) in TIMED_CALLS.into_iter().chain(WAITING_CALLS) {
            let mut params = with(params, name, time);
            params["session"] = json!(session);
            connection.refused(method, &params, "invalid_argument");
        }
        let mut params = json!({"session": session, "text": "", "expect": expect});
        params["expect"]["timeout_ms"] = json!(time);
        connection.refused("session.send", &params, "invalid_argument");
    }
    let before = json!({"session": session, "before": "no row"});
    connection.refused("session.history", &before, "invalid_argument");
    let record = connection.record(&session);
    assert_fields(
        &record,
        json!({"state": "alive", "output": {"output_bytes": 0}}),
    );
    for time in [0.25, 1e-300, 12.5] {
        let params = json!({"session": session, "patterns": [{"exact": "x"}], "timeout_ms": time});
        connection.refused("session.expect", &params, "expect_timeout");
    }
}

#[test]
fn huge_times_are_shortened_to_30_days_and_said_so() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    for time in [json!(2_592_001), json!(1e12), json!(1e300), json!(u64::MAX)] {
        let params = json!({"program": "cat", "timeout_s": time, "session_timeout_s": time, "max_session_runtime_s": time});
        let session = connection.ok("session.create", &params);
        for (name, field) in [
            ("timeout_s", "timeout"),
            ("session_timeout_s", "session_timeout_s"),
            ("max_session_runtime_s", "max_session_runtime_s"),
        ] {
            assert_eq!(session[field], DAYS_30_S, "{field}");
            let warning = format!("{name} was shortened to 30 days");
            assert_has(&session["warnings"], [&warning]);
        }
    }
    let session = connection.start_session(&["bash", "--norc"]);
    let job = connection.ok("daemon.check", &json!({}))["job"].clone();
    for (method, params, name) in TIMED_CALLS
        .into_iter()
        .chain([("job.get", "{}", "wait_ms")])
    {
        let mut params = with(params, name, 1e15);
        params["session"] = json!(session);
        params["job"] = job.clone();
        let reply = connection.ok(method, &params);
        assert_has(&reply["warnings"][0], ["was shortened to"]);
    }
}
