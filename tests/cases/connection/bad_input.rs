//! Invalid requests: each error names the mistake, and nothing is started, created or changed.

use crate::support::executable::write_script;
use crate::support::{Daemon, eventually};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::fs;

/// Methods that name a session, with their other parameters.
fn session_calls(session: &str) -> Vec<(&'static str, Value)> {
    let with = |more: Value| {
        let mut params = json!({"session": session});
        params
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        params
    };
    vec![
        ("session.get", with(json!({}))),
        ("session.send", with(json!({"text": "x"}))),
        (
            "session.expect",
            with(json!({"patterns": [{"exact": "x"}]})),
        ),
        ("session.wait", with(json!({"for": "exit"}))),
        ("session.read", with(json!({}))),
        ("session.screen", with(json!({}))),
        ("session.run", with(json!({"command": "true"}))),
        ("session.subscribe", with(json!({}))),
        ("session.signal", with(json!({"signal": "INT"}))),
        ("session.resize", with(json!({"rows": 10, "cols": 10}))),
        ("session.echo", with(json!({"on": true}))),
        ("session.close", with(json!({}))),
        ("session.history", with(json!({}))),
    ]
}

fn bad_ids() -> Vec<String> {
    let long = "x".repeat(65);
    let bad = [
        "",
        ".",
        "..",
        "../x",
        "a/b",
        "/etc/passwd",
        "a\0b",
        "\n",
        "a b",
        "ä",
        "~",
        "$HOME",
        "*",
        ".hidden",
        &long,
    ];
    bad.map(str::to_owned).to_vec()
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
    for (method, params) in session_calls("nobody") {
        let message = connection.refused(method, &params, "session_not_found");
        assert!(message.contains("nobody"), "{method}: {message}");
    }
    for id in bad_ids() {
        for (method, params) in session_calls(&id) {
            connection.refused(method, &params, "invalid_argument");
        }
        connection.refused(
            "session.create",
            &json!({"program": "cat", "id": id}),
            "invalid_argument",
        );
        connection.refused(
            "session.create",
            &json!({"program": "cat", "name": id}),
            "invalid_argument",
        );
    }
    assert_eq!(traces(&daemon), 0);
    assert_eq!(
        connection
            .call_value("session.list", &json!({"all": true}))
            .unwrap()["sessions"],
        json!([])
    );
    let longest = "x".repeat(64);
    connection
        .call_value("session.create", &json!({"program": "cat", "id": longest}))
        .unwrap();
}

#[test]
fn a_program_that_cannot_start_is_named_and_leaves_no_files() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let file = daemon.home().join("not-executable");
    fs::write(&file, "#!/bin/sh\n").unwrap();
    let broken = daemon.home().join("broken");
    write_script(&broken, "\x7fELF nonsense");
    let orphan = daemon.home().join("orphan");
    write_script(&orphan, "#!/no/such/interpreter\n");
    for (program, named) in [
        ("no-such-program", "no-such-program"),
        ("/no/such/file", "/no/such/file"),
        ("/", "directory"),
        (file.to_str().unwrap(), "not executable"),
        (broken.to_str().unwrap(), "broken"),
        (orphan.to_str().unwrap(), "orphan"),
    ] {
        for method in ["session.create", "run.once"] {
            let message = connection.refused(method, &json!({"program": program}), "spawn_failed");
            assert!(message.contains(named), "{message}");
        }
    }
    for (cwd, named) in [
        ("/no/such/folder", "/no/such/folder"),
        (file.to_str().unwrap(), "not-executable"),
        ("/a\0b", "NUL"),
    ] {
        let message = connection.refused(
            "session.create",
            &json!({"program": "cat", "cwd": cwd}),
            "spawn_failed",
        );
        assert!(message.contains(named), "{message}");
    }
    assert_eq!(traces(&daemon), 0);
    let all = connection.call_value("session.list", &json!({"all": true}));
    for session in all.unwrap()["sessions"].as_array().unwrap() {
        assert!(session["start_error"].is_string(), "{session}");
        assert_eq!(
            (&session["state"], &session["pid"]),
            (&json!("dead"), &json!(0))
        );
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
fn sizes_outside_1_to_1000_are_refused_with_the_range() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["cat"]);
    for (rows, cols) in [
        (0, 0),
        (65_535, 65_535),
        (0, 80),
        (24, 0),
        (-1, 80),
        (24, 1001),
        (1001, 80),
        (1_i64 << 40, 80),
        (i64::MIN, i64::MAX),
    ] {
        for (method, params) in [
            (
                "session.create",
                json!({"program": "cat", "rows": rows, "cols": cols}),
            ),
            (
                "session.resize",
                json!({"session": session, "rows": rows, "cols": cols}),
            ),
        ] {
            let message = connection.refused(method, &params, "invalid_argument");
            assert!(message.contains("1 to 1000"), "{message}");
        }
    }
    for side in [1, 1000] {
        let params = json!({"session": session, "rows": side, "cols": side});
        assert_eq!(
            connection.call_value("session.resize", &params),
            Ok(json!({}))
        );
        let screen = connection
            .call_value("session.screen", &json!({"session": session}))
            .unwrap();
        assert_eq!(
            (&screen["rows"], &screen["cols"]),
            (&json!(side), &json!(side))
        );
    }
}

#[test]
fn a_send_says_exactly_one_thing() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["cat"]);
    for params in [
        json!({}),
        json!({"text": "a", "data_b64": "YQ=="}),
        json!({"text": "a", "keys": ["a"]}),
        json!({"data_b64": "YQ==", "paste": true}),
        json!({"data_b64": "not base64!"}),
        json!({"data_b64": "YQ"}),
        json!({"keys": ["NoSuchKey"]}),
        json!({"keys": ["C-"]}),
        json!({"keys": [""]}),
        json!({"keys": ["F99"]}),
    ] {
        let mut params = params;
        params["session"] = json!(session);
        connection.refused("session.send", &params, "invalid_argument");
    }
    let signal = json!({"session": session, "signal": "SIGNOTHING"});
    connection.refused("session.signal", &signal, "invalid_argument");
    let before = json!({"session": session, "before": "no row"});
    connection.refused("session.history", &before, "invalid_argument");
    connection.refused(
        "session.wait",
        &json!({"session": session, "for": "luck"}),
        "invalid_params",
    );
    let record = connection
        .call_value("session.get", &json!({"session": session}))
        .unwrap();
    assert_eq!(record["output"]["output_bytes"], 0, "nothing was typed");
}

#[test]
fn bytes_that_are_no_text_go_in_and_out_as_they_are() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let params = json!({"program": "sh", "args": ["-c", "stty raw -echo; printf ready; exec cat"], "persist": true});
    let session = connection.call_value("session.create", &params).unwrap()["session_id"].clone();
    let ready = json!({"session": session, "patterns": [{"exact": "ready"}]});
    connection.call_value("session.expect", &ready).unwrap();
    let bytes: Vec<u8> = (0..=255).collect();
    let send = json!({"session": session, "data_b64": STANDARD.encode(&bytes)});
    assert_eq!(
        connection.call_value("session.send", &send).unwrap()["written_bytes"],
        256
    );
    eventually("all bytes are echoed", || {
        let record = connection
            .call_value("session.get", &json!({"session": session}))
            .unwrap();
        (record["output"]["output_bytes"] == 5 + 256).then_some(())
    });
    let raw = connection
        .call_value(
            "session.read",
            &json!({"session": session, "since": 5, "raw": true}),
        )
        .unwrap();
    assert_eq!(
        STANDARD.decode(raw["data_b64"].as_str().unwrap()).unwrap(),
        bytes
    );
    let text = connection
        .call_value("session.read", &json!({"session": session, "since": 5}))
        .unwrap();
    let text = text["text"].as_str().unwrap();
    assert!(text.contains('~') && text.ends_with('\u{fffd}'), "{text:?}");
    let log = daemon
        .home()
        .join("sessions")
        .join(session.as_str().unwrap())
        .join("output.log");
    eventually("the log contains them too", || {
        // It is made when there is something to write.
        fs::read(&log).ok()?.ends_with(&bytes).then_some(())
    });
}
