//! The configuration as text: mistakes are reported with their position.

use crate::support::{Daemon, assert_has, kind};
use serde_json::json;

#[test]
fn all_mistakes_are_named_at_the_start_and_nothing_is_started() {
    let daemon = Daemon::builder()
        .config("{\n  max_sessions: 'many',\n  limits: { rows: 0 },\n  logging: 7\n}")
        .prepare();
    let ran = daemon.run_to_end(&[]);
    let checked = daemon.run_to_end(&["--check-config"]);
    assert_eq!((ran.code, checked.code), (Some(1), Some(1)), "{checked:?}");
    let mistakes = [
        "2:17: max_sessions must be",
        "3:19: limits.rows must be",
        "4:12: logging must be an object",
    ];
    assert_has(&ran.stderr, mistakes);
    assert_has(&checked.stdout, mistakes);
    let mut lines = checked.stdout.lines();
    assert!(lines.all(|line| line.starts_with("error: ")));
    assert!(!daemon.socket().exists());
}

#[test]
fn a_configuration_is_checked_without_a_daemon() {
    let daemon = Daemon::builder().config("{ max_session: 1 }").prepare();
    let ran = daemon.run_to_end(&["--check-config"]);
    let path = daemon.config_path().display().to_string();
    let warning = format!("warning: {path}:1:3: ");
    assert_eq!((ran.code, ran.stdout.lines().count()), (Some(0), 2));
    assert!(ran.stdout.starts_with(&warning), "{ran:?}");
    assert!(ran.stdout.ends_with(&format!("\nok: {path}\n")), "{ran:?}");
    assert!(!daemon.socket().exists());
}

#[test]
fn an_unknown_key_warns_with_the_nearest_name_and_the_rest_holds() {
    let daemon = Daemon::builder()
        .config(
            "// JSON5\n{ max_session: 1,\n 'limits': { row: 5, cols: 0x5A, }, /* more */ session_timeout: +1.5 }",
        )
        .start();
    let status = daemon.status();
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
