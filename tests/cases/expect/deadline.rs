//! How an expect ends without a match: timeout, end of the program, client that disconnects.

use crate::support::session::{assert_error, exact, guesses, program, regex};
use crate::support::{Ccctl, Daemon, assert_fields, assert_has, eventually};
use ccd_protocol::session::{
    Action, SessionCreateParams, SessionExpectParams, SessionHistory, SessionHistoryParams,
};
use ccd_protocol::{ErrorCode, Timeout};
use serde_json::json;
use std::time::{Duration, Instant};

/// Prints a line every 0.3 s and never reads.
const CHATTY: &[&str] = &[
    "-c",
    "n=0; while :; do n=$((n+1)); echo tick $n; sleep 0.3; done",
];

#[test]
fn a_chatty_program_cannot_stretch_the_deadline() {
    let daemon = Daemon::start();
    let session = daemon.open_with(&SessionCreateParams {
        timeout_s: Some(6.0),
        ..program(&daemon, "sh", CHATTY)
    });
    session.expect("tick 1");
    let started = Instant::now();
    let error = session.expect_any(&[regex("tock")], 1000.0).unwrap_err();
    let took = started.elapsed();
    assert_error(&error, ErrorCode::ExpectTimeout);
    assert!(took >= Duration::from_secs(1), "{took:?}");
    assert!(took < Duration::from_secs(3), "{took:?}");
    let data = &error["data"];
    assert!(data["waited_ms"].as_u64().unwrap() >= 1000);
    assert!(data["recent_output"].as_str().unwrap().contains("tick 2"));
    assert_eq!(data["program"], "running");
    let rows = daemon.call::<SessionHistory>(&SessionHistoryParams {
        session: session.id().to_owned(),
        ..SessionHistoryParams::default()
    });
    let rows = rows.unwrap().interactions;
    assert!(rows.iter().all(|row| row.action != Action::Send));
}

#[test]
fn a_time_out_may_be_a_fraction_of_a_second_the_sessions_own_or_zero() {
    let daemon = Daemon::start();
    let session = daemon.open_with(&SessionCreateParams {
        timeout_s: Some(0.2),
        ..program(&daemon, "sh", &["-c", "echo here; exec cat"])
    });
    session.expect("here");
    let started = Instant::now();
    let error = session.expect_any(&[regex("x")], 250.5).unwrap_err();
    assert_error(&error, ErrorCode::ExpectTimeout);
    let took = started.elapsed();
    assert!(took >= Duration::from_millis(250), "{took:?}");
    assert!(took < Duration::from_secs(2), "{took:?}");
    // Where a request names none.
    assert_eq!(session.record.timeout, 0.2);
    let started = Instant::now();
    let error = session.try_expect(SessionExpectParams {
        patterns: vec![regex("x")],
        ..SessionExpectParams::default()
    });
    assert_error(&error.unwrap_err(), ErrorCode::ExpectTimeout);
    assert!(started.elapsed() < Duration::from_secs(5));
    // With zero, it looks once.
    assert_eq!(session.look(&[regex("here")], 0).unwrap().start, 0);
    let error = session.look(&[regex("there")], 0).unwrap_err();
    assert_error(&error, ErrorCode::ExpectTimeout);
}

#[test]
fn the_programs_end_is_one_error_for_every_kind_of_pattern() {
    let daemon = Daemon::start();
    for pattern in [regex("never"), exact("never")] {
        for (command, status, signal) in [
            ("sleep 0.1; echo last words; exit 4", json!(4), json!(null)),
            (
                "sleep 0.1; echo last words; kill -9 $$",
                json!(null),
                json!(9),
            ),
        ] {
            let session = daemon.open("sh", &["-c", command]);
            let pattern = std::slice::from_ref(&pattern);
            let error = session.expect_any(pattern, 20_000.0).unwrap_err();
            assert_error(&error, ErrorCode::ProcessEnded);
            let ended =
                json!({"exitstatus": status, "signal": signal, "recent_output": "last words"});
            assert_fields(&error["data"], ended);
        }
    }
}

#[test]
fn an_ended_session_still_matches_what_it_printed() {
    let daemon = Daemon::start();
    let session = daemon.open("echo", &["all is said"]);
    session.ended();
    assert_eq!(session.expect("is").start, 4);
    let error = session.expect_any(&[regex("never")], 1000.0).unwrap_err();
    assert_error(&error, ErrorCode::ProcessEnded);
}

#[test]
fn a_time_out_tells_the_last_fifty_lines_and_the_closest_miss() {
    let daemon = Daemon::start();
    let session = daemon.open("sh", &["-c", "seq 1 200; echo Permission denied; exec cat"]);
    session.expect("denied");
    let error = session.try_expect(SessionExpectParams {
        patterns: vec![exact("permission denied")],
        from: Some(0),
        timeout_ms: Timeout::After(50.0),
        ..SessionExpectParams::default()
    });
    let error = error.unwrap_err();
    assert_error(&error, ErrorCode::ExpectTimeout);
    let recent = error["data"]["recent_output"].as_str().unwrap();
    let recent: Vec<&str> = recent.lines().collect();
    assert_eq!(recent.len(), 50);
    assert_eq!((recent[0], recent[49]), ("152", "Permission denied"));
    if !guesses(&daemon) {
        assert_eq!(error["data"]["program"], "blocked reading its terminal");
    }
    assert_has(&error["data"]["closest_miss"], ["Permission denied"]);
}

#[test]
fn a_time_out_tells_that_the_program_is_stopped() {
    let daemon = Daemon::start();
    if guesses(&daemon) {
        return;
    }
    let session = daemon.open("sh", &["-c", "echo $$; kill -STOP $$; exec cat"]);
    session.expect(r"\d+\n");
    eventually("the program stops", || {
        let error = session.expect_any(&[regex("never")], 20.0).unwrap_err();
        (error["data"]["program"] == "stopped").then_some(())
    });
}

#[test]
fn an_expect_for_ever_ends_with_its_connection() {
    let daemon = Daemon::start();
    let session = daemon.open("cat", &[]);
    let mut connection = daemon.connect();
    let params =
        json!({"session": session.id(), "patterns": [{"regex": "never"}], "timeout_ms": null});
    connection.request("session.expect", &params);
    // The request is still waiting after a while, and others are served meanwhile.
    let error = session.expect_any(&[regex("never")], 300.0).unwrap_err();
    assert_error(&error, ErrorCode::ExpectTimeout);
    // Connections of earlier calls may take a moment to close.
    eventually("two clients are left", || {
        (open_connections(&daemon) == 2).then_some(())
    });
    drop(connection);
    eventually("the daemon closes the connection", || {
        (open_connections(&daemon) == 1).then_some(())
    });
    // The session is unaffected.
    assert_eq!(session.ask("hi", "hi\n").start, 0);
}

/// Returns the number of connections, including that of this request.
fn open_connections(daemon: &Daemon) -> u64 {
    let status = daemon.ok("daemon.status", &json!({}));
    status["connections"].as_u64().unwrap()
}

#[test]
fn several_clients_wait_at_once_and_all_see_the_match() {
    let daemon = Daemon::start();
    let session = daemon.open("cat", &[]);
    let matches: Vec<u64> = std::thread::scope(|scope| {
        let wait = || {
            let params = SessionExpectParams {
                patterns: vec![regex("now")],
                from: Some(0),
                ..SessionExpectParams::default()
            };
            session.try_expect(params).unwrap().start
        };
        let waiters: Vec<_> = (0..5).map(|_| scope.spawn(wait)).collect();
        session.line("not yet");
        session.line("now");
        waiters
            .into_iter()
            .map(|waiter| waiter.join().unwrap())
            .collect()
    });
    // At least the echo of "not yet" comes first.
    assert!(matches[0] >= 9, "{matches:?}");
    assert_eq!(matches, [matches[0]; 5]);
}

#[test]
fn the_client_says_how_an_expect_failed() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    daemon.open_with(&SessionCreateParams {
        name: Some("sh".to_owned()),
        ..program(&daemon, "sh", &["-c", "echo ready; read line; exit 3"])
    });
    let found = ccctl.ok(&["session", "expect", "sh", "never", "rea"]);
    assert_eq!(found, "rea\n");
    let late = ccctl.run(&["session", "expect", "sh", "never", "--timeout", "0.2"]);
    assert_eq!((late.code, late.stdout.as_str()), (Some(124), ""));
    assert_has(&late.stderr, ["ccctl: session.expect: "]);
    let json = [
        "session",
        "expect",
        "sh",
        "never",
        "--timeout",
        "0",
        "--json",
    ];
    let json = ccctl.run(&json);
    let error: serde_json::Value = serde_json::from_str(json.stderr.trim()).unwrap();
    assert_eq!(error["error"]["data"]["kind"], "expect_timeout");
    let ended = ccctl.run(&["session", "send", "sh", "go", "--expect", "never"]);
    assert_eq!(ended.code, Some(1));
    assert_has(&ended.stderr, ["exit status 3"]);
    let eof = ccctl.run(&["session", "expect", "sh", "--eof"]);
    assert_eq!(eof.code, Some(0));
}
