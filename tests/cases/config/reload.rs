//! Reloading the configuration, and changing what is logged, while the daemon runs.

use crate::support::{Daemon, eventually, kind};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::fs;

fn max_sessions(daemon: &Daemon) -> Value {
    daemon.call_value("daemon.status", &json!({})).unwrap()["limits"]["max_sessions"].clone()
}

#[test]
fn a_reload_puts_the_new_configuration_in_force() {
    let daemon = Daemon::builder().config("{max_sessions: 1}").start();
    let mut connection = daemon.connect();
    let first = connection.start_session(&["cat"]);
    connection
        .call_value("session.close", &json!({"session": first}))
        .unwrap();
    connection.start_session(&["cat"]);
    let error = connection
        .call_value("session.create", &json!({"program": "cat"}))
        .unwrap_err();
    assert_eq!(
        (kind(&error), &error["data"]["max_sessions"]),
        ("max_sessions", &json!(1))
    );
    fs::write(daemon.config_path(), "{max_sessions: 2, max_sesions: 3}").unwrap();
    let reply = connection.call_value("daemon.reload", &json!({})).unwrap();
    assert_eq!(reply["path"], daemon.config_path().to_str().unwrap());
    let warnings = reply["warnings"].as_array().unwrap();
    assert!(
        warnings[0]
            .as_str()
            .unwrap()
            .contains("did you mean max_sessions?"),
        "{reply}"
    );
    connection.start_session(&["cat"]);
    let status = connection.call_value("daemon.status", &json!({})).unwrap();
    assert_eq!(status["config_warnings"], reply["warnings"]);
}

#[test]
fn a_bad_configuration_is_refused_with_its_place_and_the_old_one_stays() {
    let daemon = Daemon::builder().config("{max_sessions: 7}").start();
    for (text, place) in [
        ("{\n  max_sessions: 'x',\n}", "2:17: max_sessions must be"),
        (
            "{\n  max_sessions: 3\n  log_level: 'info' }",
            "3:3: expected `,` or `}`",
        ),
        ("{", "1:2: the file ends too early"),
    ] {
        fs::write(daemon.config_path(), text).unwrap();
        let error = daemon.call_value("daemon.reload", &json!({})).unwrap_err();
        assert_eq!(kind(&error), "invalid_argument");
        let message = error["message"].as_str().unwrap();
        assert!(
            message.contains(place) && message.contains("the old one stays"),
            "{message}"
        );
        assert!(
            message.contains(daemon.config_path().to_str().unwrap()),
            "{message}"
        );
        assert_eq!(max_sessions(&daemon), 7);
    }
    fs::remove_file(daemon.config_path()).unwrap();
    let error = daemon.call_value("daemon.reload", &json!({})).unwrap_err();
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .contains("does not exist"),
        "{error}"
    );
    assert_eq!(max_sessions(&daemon), 7);
}

#[test]
fn sighup_reads_the_configuration_again() {
    let daemon = Daemon::builder().config("{max_sessions: 7}").start();
    fs::write(daemon.config_path(), "{max_sessions: 8}").unwrap();
    daemon.signal(Signal::HUP);
    eventually("the new limit is in force", || {
        (max_sessions(&daemon) == 8).then_some(())
    });
    fs::write(daemon.config_path(), "{\n max_sessions: true}").unwrap();
    daemon.signal(Signal::HUP);
    eventually("the log contains the position of the mistake", || {
        let status = daemon.call_value("daemon.status", &json!({})).unwrap();
        status["last_errors"]
            .to_string()
            .contains("2:16: max_sessions")
            .then_some(())
    });
    assert_eq!(max_sessions(&daemon), 8);
    assert!(daemon.log_text().contains("2:16: max_sessions"));
}

#[test]
fn config_check_looks_at_a_file_without_using_it() {
    let daemon = Daemon::builder().config("{max_sessions: 7}").start();
    let other = daemon.home().join("other.json");
    fs::write(&other, "{max_sessions: -1, log_levle: 'info'}").unwrap();
    let reply = daemon
        .call_value("config.check", &json!({"path": other}))
        .unwrap();
    assert!(
        reply["errors"][0]
            .as_str()
            .unwrap()
            .contains("1:16: max_sessions"),
        "{reply}"
    );
    assert!(
        reply["warnings"][0]
            .as_str()
            .unwrap()
            .contains("did you mean log_level?"),
        "{reply}"
    );
    assert_eq!(max_sessions(&daemon), 7);
    let reply = daemon.call_value("config.check", &json!({})).unwrap();
    assert_eq!(
        (&reply["errors"], &reply["warnings"]),
        (&json!([]), &json!([]))
    );
    let missing = daemon.home().join("nothing.json");
    let reply = daemon
        .call_value("config.check", &json!({"path": missing}))
        .unwrap();
    assert_eq!(reply["errors"].as_array().unwrap().len(), 1, "{reply}");
    let error = daemon
        .call_value("config.check", &json!({"path": "other.json"}))
        .unwrap_err();
    assert_eq!(kind(&error), "invalid_argument");
}

#[test]
fn the_level_of_the_log_and_debug_change_while_the_daemon_runs() {
    let daemon = Daemon::start();
    let shown = daemon.call_value("daemon.log", &json!({})).unwrap();
    assert_eq!(
        (&shown["level"], &shown["debug"]),
        (&json!("info"), &json!(false))
    );
    assert!(!daemon.log_text().contains("DEBUG"));
    let changed = daemon
        .call_value("daemon.log", &json!({"level": "DEBUG"}))
        .unwrap();
    assert_eq!(changed["level"], "debug");
    let path = changed["path"].as_str().unwrap();
    assert!(fs::metadata(path).unwrap().is_file());
    daemon.call_value("daemon.ping", &json!({})).unwrap();
    eventually("details are logged", || {
        daemon.log_text().contains("DEBUG").then_some(())
    });
    daemon
        .call_value("daemon.log", &json!({"level": "error"}))
        .unwrap();
    let before = daemon.log_text().len();
    let session = daemon.connect().start_session(&["true"]);
    daemon
        .call_value("session.close", &json!({"session": session}))
        .unwrap();
    assert_eq!(
        daemon.log_text().len(),
        before,
        "nothing less serious is logged"
    );
    // Debug is a switch of its own.
    let params = json!({"level": "info", "debug": true});
    let on = daemon.call_value("daemon.log", &params).unwrap();
    assert_eq!((&on["level"], &on["debug"]), (&json!("info"), &json!(true)));
    eventually("details are logged", || {
        daemon.call_value("daemon.ping", &json!({})).unwrap();
        daemon.log_text()[before..].contains("DEBUG").then_some(())
    });
    let off = daemon.call_value("daemon.log", &json!({"debug": false}));
    assert_eq!(off.unwrap()["debug"], false);
    let error = daemon
        .call_value("daemon.log", &json!({"level": "loud"}))
        .unwrap_err();
    assert_eq!(kind(&error), "invalid_argument");
    assert!(
        error["message"].as_str().unwrap().contains("warn"),
        "{error}"
    );
}

#[test]
fn nothing_that_was_typed_or_printed_is_in_the_log() {
    let daemon = Daemon::builder().config("{log_level: 'trace'}").start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["sh", "-c", "echo printed-words; cat"]);
    let params = json!({"session": session, "patterns": [{"exact": "printed-words"}]});
    connection.call_value("session.expect", &params).unwrap();
    let send = json!({"session": session, "text": "typed-words\r", "expect": {"patterns": [{"exact": "typed-words\ntyped-words"}]}});
    connection.call_value("session.send", &send).unwrap();
    connection
        .call_value(
            "session.run",
            &json!({"session": session, "command": "run-words", "timeout_ms": 0}),
        )
        .unwrap_err();
    connection
        .call_value("session.close", &json!({"session": session}))
        .unwrap();
    let text = daemon.log_text();
    assert!(text.contains(&session), "the log is detailed");
    for words in ["printed-words", "typed-words", "run-words"] {
        assert!(!text.contains(words), "{words} is in the log");
    }
}

#[test]
fn a_lowered_limit_of_ended_sessions_acts_without_another_end() {
    let daemon = Daemon::builder().config("{max_sessions: 7}").start();
    let mut connection = daemon.connect();
    let mut end_one = || {
        let session = connection.start_session(&["true"]);
        connection.ended(&session);
        session
    };
    let ended = [end_one(), end_one(), end_one()];
    fs::write(daemon.config_path(), "{ended_session_limit: 1}").unwrap();
    eventually("only the newest is kept", || {
        // Repeated, because the end of a session may be recorded after it was reported.
        daemon.call_value("daemon.reload", &json!({})).unwrap();
        let listed = daemon.call_value("session.list", &json!({"all": true}));
        let listed = listed.unwrap()["sessions"].take();
        let ids: Vec<_> = listed
            .as_array()?
            .iter()
            .map(|session| session["session_id"].as_str())
            .collect();
        (ids == [Some(ended[2].as_str())]).then_some(())
    });
}
