//! Requests that are wrong: each is refused by name, and nothing is started, made or changed.

use crate::support::{Connection, Daemon, eventually, kind};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

/// Asserts that a call fails with this kind, and returns the message.
fn refused(connection: &mut Connection, method: &str, params: &Value, expected: &str) -> String {
    match connection.call_value(method, params) {
        Ok(reply) => panic!("{method} {params} should be {expected}, but gave {reply}"),
        Err(error) => {
            assert_eq!(kind(&error), expected, "{method} {params}: {error}");
            error["message"].as_str().unwrap().to_owned()
        }
    }
}

/// Methods that name a session, with what else they need.
fn session_calls(session: &str) -> Vec<(&'static str, Value)> {
    let with = |more: Value| {
        let mut params = json!({"session": session});
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        params
    };
    vec![
        ("session.get", with(json!({}))),
        ("session.send", with(json!({"text": "x"}))),
        ("session.expect", with(json!({"patterns": [{"exact": "x"}]}))),
        ("session.wait", with(json!({"for": "exit"}))),
        ("session.read", with(json!({}))),
        ("session.screen", with(json!({}))),
        ("session.run", with(json!({"command": "true"}))),
        ("session.subscribe", with(json!({}))),
        ("session.signal", with(json!({"signal": "INT"}))),
        ("session.resize", with(json!({"rows": 10, "cols": 10}))),
        ("session.close", with(json!({}))),
        ("session.history", with(json!({}))),
    ]
}

fn bad_ids() -> Vec<String> {
    let long = "x".repeat(65);
    let bad = ["", ".", "..", "../x", "a/b", "/etc/passwd", "a\0b", "\n", "a b", "ä", "~", "$HOME", "*", ".hidden", &long];
    bad.map(str::to_owned).to_vec()
}

/// Folders and rings of sessions.
fn traces(daemon: &Daemon) -> usize {
    let count = |folder: &str| fs::read_dir(daemon.home().join(folder)).unwrap().count();
    count("sessions") + count("run/ccd.sock.rings")
}

#[test]
fn an_unknown_session_is_named_by_every_method() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    for (method, params) in session_calls("nobody") {
        let message = refused(&mut connection, method, &params, "session_not_found");
        assert!(message.contains("nobody"), "{method}: {message}");
    }
}

#[test]
fn what_cannot_be_an_id_is_an_argument_error_everywhere() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    for id in bad_ids() {
        for (method, params) in session_calls(&id) {
            refused(&mut connection, method, &params, "invalid_argument");
        }
        refused(&mut connection, "session.create", &json!({"program": "cat", "id": id}), "invalid_argument");
        refused(&mut connection, "session.create", &json!({"program": "cat", "name": id}), "invalid_argument");
    }
    assert_eq!(traces(&daemon), 0);
    assert_eq!(connection.call_value("session.list", &json!({"all": true})).unwrap()["sessions"], json!([]));
    let longest = "x".repeat(64);
    connection.call_value("session.create", &json!({"program": "cat", "id": longest})).unwrap();
}

#[test]
fn a_program_that_cannot_start_is_named_and_leaves_nothing() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let file = daemon.home().join("not-executable");
    fs::write(&file, "#!/bin/sh\n").unwrap();
    let broken = daemon.home().join("broken");
    fs::write(&broken, "\x7fELF nonsense").unwrap();
    fs::set_permissions(&broken, fs::Permissions::from_mode(0o755)).unwrap();
    let orphan = daemon.home().join("orphan");
    fs::write(&orphan, "#!/no/such/interpreter\n").unwrap();
    fs::set_permissions(&orphan, fs::Permissions::from_mode(0o755)).unwrap();
    for (program, named) in [
        ("no-such-program", "no-such-program"),
        ("/no/such/file", "/no/such/file"),
        ("/", "directory"),
        (file.to_str().unwrap(), "not executable"),
        (broken.to_str().unwrap(), "broken"),
        (orphan.to_str().unwrap(), "orphan"),
    ] {
        for method in ["session.create", "run.once"] {
            let message = refused(&mut connection, method, &json!({"program": program}), "spawn_failed");
            assert!(message.contains(named), "{message}");
        }
    }
    for (cwd, named) in [("/no/such/folder", "/no/such/folder"), (file.to_str().unwrap(), "not-executable"), ("/a\0b", "NUL")] {
        let message = refused(&mut connection, "session.create", &json!({"program": "cat", "cwd": cwd}), "spawn_failed");
        assert!(message.contains(named), "{message}");
    }
    assert_eq!(traces(&daemon), 0);
    assert_eq!(connection.call_value("session.list", &json!({"all": true})).unwrap()["sessions"], json!([]));
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
        json!({"program": "cat", "env": {"A": "x\0y"}}),
        json!({"program": "cat", "encoding": "no-such-encoding"}),
        json!({"program": "cat", "timeout_s": -1}),
        json!({"program": "cat", "session_timeout_s": -0.5}),
        json!({"program": "cat", "max_session_runtime_s": -1e300}),
        json!({"program": "cat", "max_output_size": -1}),
        json!({"program": "cat", "output_limit": -5}),
    ] {
        refused(&mut connection, "session.create", &params, "invalid_argument");
    }
    for params in [
        json!({"program": 5}),
        json!({"program": "cat", "args": "one two"}),
        json!({"program": "cat", "rows": "24"}),
        json!({"program": "cat", "rows": 1.5}),
        json!({"program": "cat", "timeout_s": "5"}),
        json!({"program": "cat", "env": ["A=B"]}),
        json!({"program": "cat", "persist": "yes"}),
    ] {
        refused(&mut connection, "session.create", &params, "invalid_params");
    }
    assert_eq!(traces(&daemon), 0);
}

#[test]
fn sizes_outside_1_to_1000_are_refused_with_the_range() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["cat"]);
    for (rows, cols) in [(0, 0), (65_535, 65_535), (0, 80), (24, 0), (-1, 80), (24, 1001), (1001, 80), (1_i64 << 40, 80), (i64::MIN, i64::MAX)] {
        for (method, params) in [
            ("session.create", json!({"program": "cat", "rows": rows, "cols": cols})),
            ("session.resize", json!({"session": session, "rows": rows, "cols": cols})),
        ] {
            let message = refused(&mut connection, method, &params, "invalid_argument");
            assert!(message.contains("1 to 1000"), "{message}");
        }
    }
    for side in [1, 1000] {
        let params = json!({"session": session, "rows": side, "cols": side});
        assert_eq!(connection.call_value("session.resize", &params), Ok(json!({})));
        let screen = connection.call_value("session.screen", &json!({"session": session})).unwrap();
        assert_eq!((&screen["rows"], &screen["cols"]), (&json!(side), &json!(side)));
    }
}

#[test]
fn negative_times_are_refused_everywhere() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["cat"]);
    for time in [json!(-1), json!(-0.001), json!(-1e300)] {
        for (method, params) in [
            ("session.expect", json!({"session": session, "patterns": [{"exact": "x"}], "timeout_ms": time})),
            ("session.send", json!({"session": session, "text": "", "expect": {"patterns": [{"exact": "x"}], "timeout_ms": time}})),
            ("session.wait", json!({"session": session, "for": "exit", "timeout_ms": time})),
            ("session.wait", json!({"session": session, "for": "idle", "idle_ms": time})),
            ("session.run", json!({"session": session, "command": "true", "timeout_ms": time})),
            ("session.close", json!({"session": session, "grace_ms": time})),
            ("session.cleanup", json!({"max_age_s": time})),
            ("run.once", json!({"program": "true", "timeout_ms": time})),
        ] {
            refused(&mut connection, method, &params, "invalid_argument");
        }
    }
    let record = connection.call_value("session.get", &json!({"session": session})).unwrap();
    assert_eq!((&record["state"], &record["output"]["output_bytes"]), (&json!("alive"), &json!(0)));
}

#[test]
fn times_that_are_no_numbers_are_wrong_parameters() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["cat"]);
    for time in [json!("100"), json!(true), json!([1])] {
        let params = json!({"session": session, "patterns": [{"exact": "x"}], "timeout_ms": time});
        refused(&mut connection, "session.expect", &params, "invalid_params");
    }
}

#[test]
fn huge_times_are_shortened_to_30_days_and_said_so() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    const THIRTY_DAYS_S: f64 = 30.0 * 24.0 * 3600.0;
    for time in [json!(2_592_001), json!(1e12), json!(1e300), json!(u64::MAX)] {
        let params = json!({"program": "cat", "timeout_s": time, "session_timeout_s": time, "max_session_runtime_s": time});
        let session = connection.call_value("session.create", &params).unwrap();
        for name in ["timeout", "session_timeout_s", "max_session_runtime_s"] {
            assert_eq!(session[name], THIRTY_DAYS_S, "{name}");
        }
        let warnings = session["warnings"].to_string();
        for name in ["timeout_s", "session_timeout_s", "max_session_runtime_s"] {
            assert!(warnings.contains(&format!("{name} was shortened to 30 days")), "{warnings}");
        }
    }
    let session = connection.start_session(&["sh", "-c", "echo here; cat"]);
    let expect = json!({"session": session, "patterns": [{"exact": "here"}], "timeout_ms": 1e300});
    let result = connection.call_value("session.expect", &expect).unwrap();
    assert_eq!(result["matched"], "here");
    assert!(result["warnings"].to_string().contains("timeout_ms was shortened"), "{result}");
}

#[test]
fn fractions_of_a_millisecond_are_fine() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["cat"]);
    for time in [json!(0.25), json!(1e-300), json!(12.5)] {
        let params = json!({"session": session, "patterns": [{"exact": "x"}], "timeout_ms": time});
        refused(&mut connection, "session.expect", &params, "expect_timeout");
    }
}

#[test]
fn an_invalid_regex_is_refused_with_its_place() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["cat"]);
    for (regex, position) in [("ab(c", 2), ("[a", 0), ("a{2,1}", 1), ("x**y\\", 4), ("(?P<n>a)(?P<n>b)", 12)] {
        let params = json!({"session": session, "patterns": [{"exact": "fine"}, {"regex": regex}]});
        let error = connection.call_value("session.expect", &params).unwrap_err();
        assert_eq!((kind(&error), &error["data"]["index"]), ("invalid_pattern", &json!(1)), "{error}");
        assert_eq!(error["data"]["position"], position, "{regex}: {error}");
    }
    // What would need backtracking is no regular expression here.
    for regex in ["(a)\\1", "(?=a)b", "(?<!a)b"] {
        let params = json!({"session": session, "patterns": [{"regex": regex}]});
        refused(&mut connection, "session.expect", &params, "invalid_pattern");
    }
    for params in [json!([{"regexp": "a"}]), json!(["a"]), json!([{"regex": 5}]), json!([{"regex": "a", "exact": "b"}])] {
        let params = json!({"session": session, "patterns": params});
        refused(&mut connection, "session.expect", &params, "invalid_params");
    }
}

#[test]
fn patterns_beyond_what_is_sensible_are_refused_and_others_are_served_meanwhile() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["cat"]);
    let many = |count: usize| (0..count).map(|number| json!({"exact": format!("pattern {number};")})).collect::<Vec<_>>();
    let expect = |patterns: Vec<Value>| json!({"session": session, "patterns": patterns, "timeout_ms": 0});
    let message = refused(&mut connection, "session.expect", &expect(many(100_000)), "invalid_pattern");
    assert!(message.contains("10000") || message.contains("10,000"), "{message}");
    refused(&mut connection, "session.expect", &expect(many(10_001)), "invalid_pattern");
    refused(&mut connection, "session.expect", &expect(Vec::new()), "invalid_pattern");
    let send = json!({"session": session, "text": "pattern 9999;\r", "expect": {"patterns": many(10_000)}});
    assert_eq!(connection.call_value("session.send", &send).unwrap()["expect"]["index"], 9999);
    let huge = connection.request("session.expect", &expect(vec![json!({"regex": "(?:(?:\\w{100}){100}){100}"})]));
    let asked = Instant::now();
    daemon.call_value("daemon.ping", &json!({})).unwrap();
    assert!(asked.elapsed() < Duration::from_secs(5));
    let error = connection.answer(huge).unwrap_err();
    assert_eq!(kind(&error), "invalid_pattern", "{error}");
}

#[test]
fn patterns_that_explode_elsewhere_stay_linear() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["sh", "-c", "head -c 300000 /dev/zero | tr '\\0' a; echo; echo end; cat"]);
    let started = Instant::now();
    for regex in ["(a*)*b", "(a+)+\\$", "(a|aa)+c", "(.*a){12}b", "(x+x+)+y"] {
        let patterns = json!([{"regex": regex}, {"exact": "end\n"}]);
        let params = json!({"session": session, "patterns": patterns, "from": 0});
        let result = connection.call_value("session.expect", &params).unwrap();
        assert_eq!(result["index"], 1, "{regex}");
    }
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
}

#[test]
fn offsets_beyond_the_output_are_refused() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["cat"]);
    for offset in [json!(1), json!(1_u64 << 60), json!(u64::MAX)] {
        refused(&mut connection, "session.read", &json!({"session": session, "since": offset}), "invalid_argument");
        let expect = json!({"session": session, "patterns": [{"exact": "x"}], "from": offset, "timeout_ms": 0});
        refused(&mut connection, "session.expect", &expect, "invalid_argument");
    }
    for offset in [json!(-1), json!(1.5), json!("0"), json!(1e30)] {
        refused(&mut connection, "session.read", &json!({"session": session, "since": offset}), "invalid_params");
    }
    let all = json!({"session": session, "lines": u64::MAX, "max_bytes": u64::MAX});
    assert_eq!(connection.call_value("session.read", &all).unwrap()["end"], 0);
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
        refused(&mut connection, "session.send", &params, "invalid_argument");
    }
    let signal = json!({"session": session, "signal": "SIGNOTHING"});
    refused(&mut connection, "session.signal", &signal, "invalid_argument");
    let before = json!({"session": session, "before": "no row"});
    refused(&mut connection, "session.history", &before, "invalid_argument");
    refused(&mut connection, "session.wait", &json!({"session": session, "for": "luck"}), "invalid_params");
    let record = connection.call_value("session.get", &json!({"session": session})).unwrap();
    assert_eq!(record["output"]["output_bytes"], 0, "nothing was typed");
}

#[test]
fn what_comes_in_later_versions_is_refused_as_unavailable() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    for params in [
        json!({"program": "cat", "stream": true}),
        json!({"program": "cat", "config": "mysql"}),
        json!({"program": "cat", "tape": {"record": "new"}}),
    ] {
        refused(&mut connection, "session.create", &params, "unavailable");
    }
    let session = connection.start_session(&["cat"]);
    let params = json!({"session": session, "format": "svg"});
    refused(&mut connection, "session.screen", &params, "unavailable");
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
    assert_eq!(connection.call_value("session.send", &send).unwrap()["written_bytes"], 256);
    eventually("all came back", || {
        let record = connection.call_value("session.get", &json!({"session": session})).unwrap();
        (record["output"]["output_bytes"] == 5 + 256).then_some(())
    });
    let raw = connection.call_value("session.read", &json!({"session": session, "since": 5, "raw": true})).unwrap();
    assert_eq!(STANDARD.decode(raw["data_b64"].as_str().unwrap()).unwrap(), bytes);
    let text = connection.call_value("session.read", &json!({"session": session, "since": 5})).unwrap();
    let text = text["text"].as_str().unwrap();
    assert!(text.contains('~') && text.ends_with('\u{fffd}'), "{text:?}");
    let log = daemon.home().join("sessions").join(session.as_str().unwrap()).join("output.log");
    eventually("the log has them too", || fs::read(&log).unwrap().ends_with(&bytes).then_some(()));
}
