//! Limits that end a session or prevent its start.

use super::history_of_calls::{history, job};
use crate::support::processes::lives;
use crate::support::session::{assert_error, assert_has, program};
use crate::support::{Ccctl, Daemon, eventually};
use ccd_protocol::ErrorCode;
use ccd_protocol::session::{Action, EndReason, SessionCreateParams};
use serde_json::json;
use std::time::{Duration, Instant};

/// Returns the action and text of the last row of a session's history.
fn end_row(daemon: &Daemon, session: &str) -> (Action, String) {
    eventually("the end is in the history", || {
        let last = history(daemon, session).pop()?;
        let text = last.output_text?;
        text.starts_with("ended: ").then_some((last.action, text))
    })
}

#[test]
fn a_session_that_nobody_uses_is_closed_with_that_reason() {
    let daemon = Daemon::start();
    // A persistent session has no limit of its own, and keeps the one that it was given.
    for persist in [None, Some(true)] {
        let session = daemon.open_with(&SessionCreateParams {
            persist,
            session_timeout_s: Some(0.3),
            ..program(&daemon, "cat", &[])
        });
        let ended = session.ended();
        assert_eq!(ended.end_reason, Some(EndReason::Idle));
        assert!(!lives(ended.pid));
        assert!(ended.exitstatus.is_some() || ended.signal.is_some());
        let (action, text) = end_row(&daemon, session.id());
        assert_eq!(action, Action::Error);
        assert_has(&text, ["idle"]);
    }
}

#[test]
fn output_and_input_keep_a_session_from_being_idle() {
    let daemon = Daemon::start();
    let started = Instant::now();
    let script = "for i in 1 2 3 4 5 6 7 8 9; do sleep 0.2; echo tick; done; exec cat";
    let session = daemon.open_with(&SessionCreateParams {
        session_timeout_s: Some(1.5),
        ..program(&daemon, "sh", &["-c", script])
    });
    let ended = session.ended();
    assert_eq!(ended.end_reason, Some(EndReason::Idle));
    assert!(started.elapsed() >= Duration::from_millis(9 * 200 + 1500));
    assert_eq!(session.output().matches("tick").count(), 9);
}

#[test]
fn a_session_that_runs_too_long_is_closed_with_that_reason() {
    let daemon = Daemon::start();
    let script = "while :; do echo tick; sleep 0.05; done";
    let session = daemon.open_with(&SessionCreateParams {
        max_session_runtime_s: Some(0.4),
        ..program(&daemon, "sh", &["-c", script])
    });
    let ended = session.ended();
    assert_eq!(ended.end_reason, Some(EndReason::Runtime));
    assert!(!lives(ended.pid));
    let (action, text) = end_row(&daemon, session.id());
    assert_eq!(action, Action::Error);
    assert_has(&text, ["runtime"]);
}

#[test]
fn limits_of_the_configuration_hold_for_sessions_that_name_none() {
    let config = r#"{"session_timeout": 0.3, "max_session_runtime": 77}"#;
    let daemon = Daemon::builder().config(config).start();
    let limited = daemon.open("cat", &[]);
    assert_eq!(limited.record.session_timeout_s, 0.3);
    assert_eq!(limited.record.max_session_runtime_s, 77.0);
    let own = daemon.open_with(&SessionCreateParams {
        session_timeout_s: Some(0.0),
        ..program(&daemon, "cat", &[])
    });
    // A persistent session has neither limit, and a session with a name is persistent.
    let named = daemon.open_with(&SessionCreateParams {
        name: Some("stays".to_owned()),
        ..program(&daemon, "cat", &[])
    });
    assert!(named.record.persist);
    assert_eq!(named.record.session_timeout_s, 0.0);
    assert_eq!(named.record.max_session_runtime_s, 0.0);
    assert_eq!(limited.ended().end_reason, Some(EndReason::Idle));
    assert!(lives(own.record.pid) && lives(named.record.pid));
}

#[test]
fn a_limit_over_thirty_days_is_shortened_and_said_so() {
    let daemon = Daemon::start();
    let session = daemon.open_with(&SessionCreateParams {
        session_timeout_s: Some(1e12),
        ..program(&daemon, "cat", &[])
    });
    assert_eq!(session.record.session_timeout_s, 30.0 * 86_400.0);
    let warnings = &session.record.warnings;
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    for set_negative in [
        (|params| params.timeout_s = Some(-1.0)) as fn(&mut SessionCreateParams),
        |params| params.session_timeout_s = Some(-0.5),
        |params| params.max_session_runtime_s = Some(-1.0),
        |params| params.max_output_size = Some(-1),
    ] {
        let mut params = program(&daemon, "cat", &[]);
        set_negative(&mut params);
        assert_error(&daemon.refused(&params), ErrorCode::InvalidArgument);
    }
}

#[test]
fn twenty_live_sessions_are_the_limit_and_ended_ones_do_not_count() {
    let daemon = Daemon::start();
    for _ in 0..20 {
        daemon.open("true", &[]).ended();
    }
    let live: Vec<_> = (0..20).map(|_| daemon.open("cat", &[])).collect();
    let error = daemon.refused(&program(&daemon, "cat", &[]));
    assert_error(&error, ErrorCode::MaxSessions);
    assert_eq!(error["data"]["max_sessions"], 20);
    live[7].close();
    daemon.open("cat", &[]);
}

#[test]
fn the_number_of_sessions_comes_from_the_configuration() {
    let daemon = Daemon::builder().config(r#"{"max_sessions": 2}"#).start();
    let ccctl = Ccctl::new(&daemon);
    daemon.open("cat", &[]);
    daemon.open("cat", &[]);
    let error = daemon.refused(&program(&daemon, "cat", &[]));
    assert_error(&error, ErrorCode::MaxSessions);
    let refused = ccctl.run(&["session", "create", "--", "cat"]);
    assert_eq!(refused.code, Some(5));
    assert_has(&refused.stderr, ["max_sessions"]);
    let unlimited = Daemon::builder().config(r#"{"max_sessions": 0}"#).start();
    for _ in 0..25 {
        unlimited.open("cat", &[]);
    }
}

#[test]
fn the_client_says_when_a_session_will_end_by_itself() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let limited = ccctl.run(&["session", "create", "--", "cat"]);
    assert_eq!(limited.code, Some(0));
    assert_eq!(limited.stdout.trim().len(), 12);
    assert_has(&limited.stderr, ["300"]);
    let named = ccctl.run(&["session", "create", "--name", "stays", "--", "cat"]);
    assert_eq!(named.stderr, "");
}

#[test]
fn the_limit_on_the_run_time_holds_for_whoever_starts_a_program() {
    let daemon = Daemon::builder().config("{max_session_runtime: 1}").start();
    let hung = "sleep 4721.5";
    let once = json!({"program": "sleep", "args": ["4721.5"]});
    let reply = daemon.ok("run.once", &once);
    assert_eq!(reply["timed_out"], true, "{reply}");
    for mode in ["shell", "shared"] {
        let commands = json!([{"command": hung}, {"command": "echo next"}]);
        let params = json!({"chain": {"commands": commands}, mode: true});
        let result = job(&daemon, "chain.run", &params);
        let steps = &result["steps"];
        assert_eq!(steps[0]["timed_out"], true, "{mode}: {result}");
        assert_eq!(steps[1]["output"], "next\n", "{mode}: {result}");
    }
    let params = json!({"commands": [hung, "echo next"], "max_concurrent": 1});
    let result = job(&daemon, "chain.parallel", &params);
    assert_eq!(result["results"][0]["timed_out"], true, "{result}");
    assert_eq!(result["results"][1]["output"], "next\n", "{result}");
    let watch = json!({"program": "sleep", "args": ["4721.5"], "patterns": [{"exact": "x"}]});
    let result = job(&daemon, "chain.watch", &watch);
    assert_eq!(result["timed_out"], true, "{result}");
    let ran = Ccctl::new(&daemon).run(&["run", "--", "sleep", "4721.5"]);
    assert_eq!(ran.code, Some(124), "{ran:?}");
    eventually("no program is left", || {
        daemon.listed(false).is_empty().then_some(())
    });
}

#[test]
fn whoever_asks_for_another_limit_on_the_run_time_gets_it() {
    let daemon = Daemon::builder()
        .config("{max_session_runtime: 0.2}")
        .start();
    let slow = "sleep 0.5; echo done";
    for timeout in [json!(null), json!(20_000)] {
        let params = json!({"program": slow, "shell": true, "timeout_ms": timeout});
        let reply = daemon.ok("run.once", &params);
        assert_eq!(reply["output"], "done\n", "{reply}");
        for mode in ["shell", "shared"] {
            let commands = json!([{ "command": slow }]);
            let params =
                json!({"chain": {"commands": commands}, mode: true, "timeout_ms": timeout});
            let result = job(&daemon, "chain.run", &params);
            assert_eq!(result["steps"][0]["output"], "done\n", "{mode}: {result}");
        }
        let params = json!({"commands": [slow], "shell": true, "timeout_ms": timeout});
        let result = job(&daemon, "chain.parallel", &params);
        assert_eq!(result["results"][0]["output"], "done\n", "{result}");
        let params = json!({"program": slow, "shell": true, "patterns": [{"exact": "done"}], "timeout_ms": timeout});
        let result = job(&daemon, "chain.watch", &params);
        assert_eq!(result["timed_out"], false, "{result}");
    }
    let ccctl = Ccctl::new(&daemon);
    for timeout in ["none", "20"] {
        let printed = ccctl.ok(&["run", "--timeout", timeout, "--shell", "--", slow]);
        assert_eq!(printed, "done\n");
    }
}
