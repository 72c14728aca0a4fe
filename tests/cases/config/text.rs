//! The configuration as text: mistakes are reported with their position.

use crate::support::{Daemon, kind};
use serde_json::{Value, json};
use std::fs;

/// Returns every key as the daemon lists it.
fn entries(daemon: &Daemon) -> Vec<Value> {
    let reply = daemon.call_value("config.list", &json!({})).unwrap();
    reply["entries"].as_array().unwrap().clone()
}

/// Returns a file that sets one key, with its value in line 3, and the column of the value.
fn file_with(key: &str, value: &str) -> (String, usize) {
    match key.split_once('.') {
        None => (format!("{{\n\n  {key}: {value},\n}}\n"), 5 + key.len()),
        Some((group, key)) => (
            format!("{{ {group}: {{\n\n  {key}: {value},\n}} }}\n"),
            5 + key.len(),
        ),
    }
}

/// Returns the errors that `config.check` finds in a text.
fn errors(daemon: &Daemon, text: &str) -> Vec<String> {
    let path = daemon.home().join("checked.json");
    fs::write(&path, text).unwrap();
    let reply = daemon
        .call_value("config.check", &json!({"path": path}))
        .unwrap();
    serde_json::from_value(reply["errors"].clone()).unwrap()
}

#[test]
fn every_key_of_the_wrong_type_is_named_with_its_place() {
    let daemon = Daemon::start();
    for entry in entries(&daemon) {
        let key = entry["key"].as_str().unwrap();
        let wrong: &[&str] = match entry["type"].as_str().unwrap() {
            "boolean" => &["1", "'true'", "null", "[]"],
            "integer" => &["'5'", "1.5", "-1", "true", "1e30", "null"],
            "seconds" => &["'5s'", "-0.1", "Infinity", "NaN", "{}"],
            "string" => &["5", "'{none of these\\u0007'", "null"],
            "string or null" => &["5", "''", "'a'", "'/a\\u0000'", "[]"],
            "number" => &["'5'", "-0.1", "101", "NaN", "true", "null"],
            "list" => &["5", "'a'", "{}", "null"],
            other => {
                panic!("{key} has the type {other}, for which this test has no invalid values")
            }
        };
        for value in wrong {
            let (text, column) = file_with(key, value);
            let found = errors(&daemon, &text);
            assert_eq!(found.len(), 1, "{key} {value}: {found:?}");
            let expected = format!("3:{column}: {key} must be ");
            assert!(
                found[0].contains(&expected),
                "{:?} lacks {expected:?}",
                found[0]
            );
        }
        let default = entry["default"].to_string();
        assert_eq!(
            errors(&daemon, &file_with(key, &default).0),
            [""; 0],
            "{key} accepts its own default"
        );
    }
}

#[test]
fn every_key_is_in_the_example_with_its_default() {
    let daemon = Daemon::start();
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../config.example.json");
    let text = fs::read_to_string(example).unwrap();
    assert_eq!(errors(&daemon, &text), [""; 0]);
    let with_example = Daemon::builder().config(&text).start();
    for entry in entries(&with_example) {
        assert_eq!(entry["source"], "file", "{entry}");
        assert_eq!(entry["value"], entry["default"], "{entry}");
        for field in ["effect", "range", "category"] {
            assert!(
                !entry[field].as_str().unwrap().is_empty(),
                "{field}: {entry}"
            );
        }
    }
}

#[test]
fn all_mistakes_are_named_at_the_start_and_nothing_is_started() {
    let daemon = Daemon::builder()
        .config("{\n  max_sessions: 'many',\n  limits: { rows: 0 },\n  logging: 7\n}")
        .prepare();
    let ran = daemon.run_to_end(&[]);
    let checked = daemon.run_to_end(&["--check-config"]);
    assert_eq!((ran.code, checked.code), (Some(1), Some(1)), "{checked:?}");
    for expected in [
        "2:17: max_sessions must be",
        "3:19: limits.rows must be",
        "4:12: logging must be an object",
    ] {
        for said in [&ran.stderr, &checked.stdout] {
            assert!(said.contains(expected), "{expected:?} is missing in {said}");
        }
    }
    assert!(
        checked
            .stdout
            .lines()
            .all(|line| line.starts_with("error: "))
    );
    assert!(!daemon.socket().exists());
}

#[test]
fn a_configuration_is_checked_without_a_daemon() {
    let daemon = Daemon::builder().config("{ max_session: 1 }").prepare();
    let ran = daemon.run_to_end(&["--check-config"]);
    let lines: Vec<_> = ran.stdout.lines().collect();
    assert_eq!((ran.code, lines.len()), (Some(0), 2), "{ran:?}");
    assert!(
        lines[0].starts_with("warning: ") && lines[0].contains(":1:3: "),
        "{ran:?}"
    );
    assert!(
        lines[1].starts_with("ok: ") && lines[1].ends_with("config.json"),
        "{ran:?}"
    );
    assert!(!daemon.socket().exists());
}

#[test]
fn malformed_text_is_an_error_at_the_start() {
    for (text, place) in [
        ("{ max_sessions: 1", ":1:18: "),
        ("max_sessions = 1", ":1:1"),
        ("", ":1:1: "),
        ("[]", ":1:1: "),
        ("{} x", ":1:4: "),
    ] {
        let daemon = Daemon::builder().config(text).prepare();
        let ran = daemon.run_to_end(&[]);
        assert_eq!(ran.code, Some(1), "{text:?}: {ran:?}");
        assert!(
            ran.stderr.contains(place),
            "{text:?}: {place:?} is missing in {ran:?}"
        );
        assert!(ran.stderr.contains("config.json"), "{ran:?}");
    }
}

#[test]
fn a_file_that_was_named_must_exist_and_be_a_file() {
    let daemon = Daemon::builder().prepare();
    let missing = daemon.home().join("missing.json");
    let ran = daemon.run_to_end(&["--config", missing.to_str().unwrap()]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(
        ran.stderr.contains("does not exist") && ran.stderr.contains("--config"),
        "{ran:?}"
    );
    let ran = daemon.run_to_end(&["--config", "/dev/zero"]);
    assert!(
        ran.code == Some(1) && ran.stderr.contains("not a regular file"),
        "{ran:?}"
    );
}

#[test]
fn an_unknown_key_warns_with_the_nearest_name_and_the_rest_holds() {
    let daemon = Daemon::builder()
        .config("{ max_session: 1,\n limits: { row: 5, cols: 90 }, colour: 'red' }")
        .start();
    let status = daemon.call_value("daemon.status", &json!({})).unwrap();
    let warnings: Vec<&str> = status["config_warnings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| line.as_str().unwrap())
        .collect();
    assert_eq!(warnings.len(), 3, "{warnings:?}");
    for (warning, expected) in warnings.iter().zip([
        "1:3: unknown key max_session, did you mean max_sessions?",
        "2:12: unknown key limits.row, did you mean limits.rows?",
        "2:32: unknown key colour",
    ]) {
        assert!(
            warning.ends_with(expected),
            "{warning:?} is not {expected:?}"
        );
    }
    let cols = daemon
        .call_value("config.get", &json!({"key": "limits.cols"}))
        .unwrap();
    assert_eq!(
        (&cols["value"], &cols["source"], &cols["default"]),
        (&json!(90), &json!("file"), &json!(1000))
    );
    let rows = daemon
        .call_value("config.get", &json!({"key": "limits.rows"}))
        .unwrap();
    assert_eq!(
        (&rows["value"], &rows["source"]),
        (&json!(1000), &json!("default"))
    );
}

#[test]
fn a_key_that_is_none_is_not_found() {
    let daemon = Daemon::start();
    for key in ["max_session", "limits", "", "limits."] {
        let error = daemon
            .call_value("config.get", &json!({"key": key}))
            .unwrap_err();
        assert_eq!(kind(&error), "not_found", "{key}");
    }
}

#[test]
fn json5_is_accepted() {
    let daemon = Daemon::builder()
        .config("// comment\n{ 'max_sessions': 0x10, /* more */ session_timeout: +1.5, }")
        .start();
    let value = |key: &str| {
        daemon
            .call_value("config.get", &json!({"key": key}))
            .unwrap()["value"]
            .clone()
    };
    assert_eq!(
        (value("max_sessions"), value("session_timeout")),
        (json!(16), json!(1.5))
    );
}
