//! The configuration as text: mistakes are reported with their position.

use crate::support::{Daemon, kind};
use serde_json::json;
use std::fs;

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
    let reply = daemon.call_value("config.list", &json!({})).unwrap();
    for entry in reply["entries"].as_array().unwrap() {
        for field in ["effect", "range", "category"] {
            let text = entry[field].as_str().unwrap();
            assert!(!text.is_empty(), "{field}: {entry}");
        }
        let key = entry["key"].as_str().unwrap();
        let wrong: &[&str] = match entry["type"].as_str().unwrap() {
            "boolean" => &["1", "'true'", "null", "[]"],
            "boolean or null" => &["1", "'true'", "[]"],
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
fn an_unknown_key_warns_with_the_nearest_name_and_the_rest_holds() {
    let daemon = Daemon::builder()
        .config(
            "// JSON5\n{ max_session: 1,\n 'limits': { row: 5, cols: 0x5A, }, /* more */ session_timeout: +1.5 }",
        )
        .start();
    let status = daemon.call_value("daemon.status", &json!({})).unwrap();
    let warnings = status["config_warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    for (warning, expected) in warnings.iter().zip([
        "2:3: unknown key max_session, did you mean max_sessions?",
        "3:14: unknown key limits.row, did you mean limits.rows?",
    ]) {
        assert!(warning.as_str().unwrap().ends_with(expected), "{warning}");
    }
    let get = |key: &str| daemon.call_value("config.get", &json!({"key": key}));
    for (key, value, source, default) in [
        ("limits.cols", json!(90), "file", json!(1000)),
        ("limits.rows", json!(1000), "default", json!(1000)),
        ("session_timeout", json!(1.5), "file", json!(300)),
    ] {
        let entry = get(key).unwrap();
        let told = (&entry["value"], &entry["source"], &entry["default"]);
        assert_eq!(told, (&value, &json!(source), &default), "{key}");
    }
    for key in ["max_session", "limits", "", "limits."] {
        assert_eq!(kind(&get(key).unwrap_err()), "not_found", "{key}");
    }
}
