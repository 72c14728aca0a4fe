//! Reloading the configuration, and changing what is logged, while the daemon runs.

use crate::support::{Daemon, assert_fields, assert_has, assert_lacks, eventually, kind};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::fs;

fn max_sessions(daemon: &Daemon) -> Value {
    daemon.status()["limits"]["max_sessions"].clone()
}

#[test]
fn a_reload_puts_the_new_configuration_in_force() {
    let daemon = Daemon::with_config("{max_sessions: 1}");
    let mut connection = daemon.connect();
    let first = connection.start_session(&["cat"]);
    connection.ok("session.close", &json!({"session": first}));
    connection.start_session(&["cat"]);
    let error = connection.error("session.create", &json!({"program": "cat"}));
    assert_eq!(kind(&error), "max_sessions");
    assert_eq!(error["data"]["max_sessions"], 1);
    fs::write(daemon.config_path(), "{max_sessions: 2, max_sesions: 3}").unwrap();
    let reply = connection.ok("daemon.reload", &json!({}));
    assert_eq!(reply["path"], daemon.config_path().to_str().unwrap());
    assert_has(&reply["warnings"][0], ["did you mean max_sessions?"]);
    connection.start_session(&["cat"]);
    assert_eq!(connection.status()["config_warnings"], reply["warnings"]);
}

#[test]
fn a_bad_configuration_is_refused_with_its_place_and_the_old_one_stays() {
    let daemon = Daemon::with_config("{max_sessions: 7}");
    let path = daemon.config_path();
    for (text, mistake) in [
        ("{\n  max_sessions: 'x',\n}", "2:17: max_sessions must be"),
        ("{", "1:2: the file ends too early"),
    ] {
        fs::write(&path, text).unwrap();
        let mut connection = daemon.connect();
        let message = connection.refused("daemon.reload", &json!({}), "invalid_argument");
        let place = format!("{}:{mistake}", path.display());
        assert_has(&message, [&place, "the old one stays"]);
        assert_eq!(max_sessions(&daemon), 7);
    }
    fs::remove_file(path).unwrap();
    let error = daemon.error("daemon.reload", &json!({}));
    assert_has(&error["message"], ["does not exist"]);
    assert_eq!(max_sessions(&daemon), 7);
}

#[test]
fn sighup_reads_the_configuration_again() {
    let daemon = Daemon::with_config("{max_sessions: 7}");
    fs::write(daemon.config_path(), "{max_sessions: 8}").unwrap();
    daemon.signal(Signal::HUP);
    eventually("the new limit is in force", || {
        (max_sessions(&daemon) == 8).then_some(())
    });
    fs::write(daemon.config_path(), "{\n max_sessions: true}").unwrap();
    daemon.signal(Signal::HUP);
    daemon.reports_error("2:16: max_sessions");
    assert_eq!(max_sessions(&daemon), 8);
    assert!(daemon.log_text().contains("2:16: max_sessions"));
}

#[test]
fn config_check_looks_at_a_file_without_using_it() {
    let daemon = Daemon::with_config("{max_sessions: 7}");
    let other = daemon.home().join("other.json");
    fs::write(&other, "{max_sessions: -1, log_levle: 'info'}").unwrap();
    let reply = daemon.ok("config.check", &json!({"path": other}));
    assert_has(&reply["errors"][0], ["1:16: max_sessions"]);
    assert_has(&reply["warnings"][0], ["did you mean log_level?"]);
    assert_eq!(max_sessions(&daemon), 7);
    let reply = daemon.ok("config.check", &json!({}));
    assert_fields(&reply, json!({"errors": [], "warnings": []}));
    let missing = daemon.home().join("nothing.json");
    let reply = daemon.ok("config.check", &json!({"path": missing}));
    assert_eq!(reply["errors"].as_array().unwrap().len(), 1, "{reply}");
    let relative = json!({"path": "other.json"});
    let mut connection = daemon.connect();
    connection.refused("config.check", &relative, "invalid_argument");
}

#[test]
fn the_level_of_the_log_and_debug_change_while_the_daemon_runs() {
    let daemon = Daemon::start();
    let shown = daemon.ok("daemon.log", &json!({}));
    assert_fields(&shown, json!({"level": "info", "debug": false}));
    assert!(!daemon.log_text().contains("DEBUG"));
    let changed = daemon.ok("daemon.log", &json!({"level": "DEBUG"}));
    assert_eq!(changed["level"], "debug");
    let path = changed["path"].as_str().unwrap();
    assert!(fs::metadata(path).unwrap().is_file());
    daemon.ping();
    eventually("details are logged", || {
        daemon.log_text().contains("DEBUG").then_some(())
    });
    daemon.ok("daemon.log", &json!({"level": "error"}));
    let before = daemon.log_text().len();
    let session = daemon.connect().start_session(&["true"]);
    daemon.ok("session.close", &json!({"session": session}));
    // Nothing less serious is logged. A thread may still write a line that it began before.
    assert_lacks(&daemon.log_text()[before..], [session.as_str()]);
    // Debug is a switch of its own.
    let params = json!({"level": "info", "debug": true});
    let on = daemon.ok("daemon.log", &params);
    assert_eq!((&on["level"], &on["debug"]), (&json!("info"), &json!(true)));
    eventually("details are logged", || {
        daemon.ping();
        daemon.log_text()[before..].contains("DEBUG").then_some(())
    });
    let off = daemon.ok("daemon.log", &json!({"debug": false}));
    assert_eq!(off["debug"], false);
    let mut connection = daemon.connect();
    let loud = json!({"level": "loud"});
    let message = connection.refused("daemon.log", &loud, "invalid_argument");
    assert_has(&message, ["warn"]);
}

#[test]
fn nothing_that_was_typed_or_printed_is_in_the_log() {
    let daemon = Daemon::with_config("{log_level: 'trace'}");
    let mut connection = daemon.connect();
    let session = connection.start_session(&["sh", "-c", "echo printed-words; cat"]);
    connection.expect_text(&session, "printed-words");
    let send = json!({"session": session, "text": "typed-words\r", "expect": {"patterns": [{"exact": "typed-words\ntyped-words"}]}});
    connection.ok("session.send", &send);
    let run = json!({"session": session, "command": "run-words", "timeout_ms": 0});
    connection.error("session.run", &run);
    connection.ok("session.close", &json!({"session": session}));
    let text = daemon.log_text();
    assert!(text.contains(&session), "the log is detailed");
    assert_lacks(&text, ["printed-words", "typed-words", "run-words"]);
}

#[test]
fn a_lowered_limit_of_ended_sessions_acts_without_another_end() {
    let daemon = Daemon::with_config("{max_sessions: 7}");
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
        daemon.ok("daemon.reload", &json!({}));
        (daemon.listed(true) == [&*ended[2]]).then_some(())
    });
}
