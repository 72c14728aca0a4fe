//! Programs that behave badly: the daemon stays responsive, reports what happened, and keeps nothing of them.

use crate::support::session::{OpenSession, assert_error};
use crate::support::{Daemon, eventually, processes};
use ccd_protocol::ErrorCode;
use ccd_protocol::session::SessionState;
use serde_json::json;
use std::fs;
use std::time::{Duration, Instant};

fn assert_nothing_is_left_of(session: &OpenSession<'_>) {
    let left = processes::with_variable(&format!("CCD_SESSION_ID={}", session.id()));
    assert_eq!(left, [0; 0]);
}

/// Returns the clock ticks that the daemon has used.
fn cpu_ticks(daemon: &Daemon) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", daemon.pid())).unwrap();
    let (_, fields) = stat.rsplit_once(')').unwrap();
    let fields: Vec<&str> = fields.split_whitespace().collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

#[test]
fn input_for_a_program_that_does_not_read_is_bounded() {
    let daemon = Daemon::start();
    let inputs = [
        ("stty raw -echo", "x".repeat(10_000_000)),
        ("stty -echo", "0123456789abcde\n".repeat(625_000)),
    ];
    let started = inputs.map(|(prepare, text)| {
        let script = format!("{prepare}; echo ready; exec sleep 1000");
        let session = daemon.open("sh", &["-c", &script]);
        session.expect("ready");
        (session, text)
    });
    let asked = Instant::now();
    let sending = started.each_ref().map(|(session, text)| {
        let mut connection = daemon.connect();
        let send = json!({"session": session.id(), "text": text});
        let send = connection.request("session.send", &send);
        (connection, send)
    });
    let mut connection = daemon.connect();
    for _ in 0..200 {
        let asked = Instant::now();
        connection.ok("daemon.ping", &json!({}));
        let took = asked.elapsed();
        assert!(took < Duration::from_secs(2), "{took:?}");
    }
    for (mut sender, send) in sending {
        let error = sender.answer(send).unwrap_err();
        assert_error(&error, ErrorCode::InputFull);
        // More would be more than the terminal can hold.
        let written = error["data"]["written_bytes"].as_u64().unwrap();
        assert!(written < 1 << 20, "{written}");
        let waited = asked.elapsed().as_secs();
        assert!((5..20).contains(&waited), "{waited}");
    }
    for (session, _) in started {
        session.close();
        assert_nothing_is_left_of(&session);
    }
}

#[test]
fn a_program_that_closes_its_terminal_lives_on_and_is_heard_when_it_opens_it_again() {
    let daemon = Daemon::start();
    let go = daemon.home().join("go");
    let script = format!(
        "echo before; exec 0<&- 1>&- 2>&-; until [ -e {} ]; do sleep 0.05; done; echo again > /dev/tty; exec sleep 1000",
        go.display()
    );
    let session = daemon.open("sh", &["-c", &script]);
    session.expect("before");
    eventually("it has no terminal open", || {
        let files = fs::read_dir(format!("/proc/{}/fd", session.record.pid));
        let files = files.unwrap().flatten();
        let mut open = files.filter_map(|file| fs::read_link(file.path()).ok());
        (!open.any(|path| path.starts_with("/dev/pts"))).then_some(())
    });
    let before = cpu_ticks(&daemon);
    let wait = json!({"session": session.id(), "for": "idle", "idle_ms": 500});
    let waited = daemon.ok("session.wait", &wait);
    assert_eq!(waited["reason"], "idle");
    let used = cpu_ticks(&daemon) - before;
    assert!(
        used < 20,
        "a terminal that no process has open cost {used} clock ticks in half a second"
    );
    assert_eq!(session.now().state, SessionState::Alive);
    assert_eq!(session.output(), "before\n");
    fs::write(&go, "").unwrap();
    session.expect("again");
    assert!(!session.close().forced);
    assert_nothing_is_left_of(&session);
}

#[test]
fn a_program_that_forks_wildly_is_ended_with_all_its_children() {
    let daemon = Daemon::start();
    let script = "trap '' HUP TERM; i=0; while [ $i -lt 40 ]; do (trap '' HUP TERM; setsid sleep 4567) & i=$((i+1)); done; echo ready; wait";
    let session = daemon.open("bash", &["-c", script]);
    session.expect("ready");
    let reply = session.close_within(100.0);
    assert!(reply.killed.len() > 40, "{reply:?}");
    let mark = format!("CCD_SESSION_ID={}", session.id());
    eventually("all are gone", || {
        processes::with_variable(&mark).is_empty().then_some(())
    });
}

#[test]
fn a_program_killed_from_outside_has_its_signal_recorded() {
    let daemon = Daemon::start();
    let session = daemon.open("sh", &["-c", "echo up; kill -SEGV $$"]);
    assert_eq!(session.ended().signal, Some(11));
    let error = session.try_signal("INT").unwrap_err();
    assert_error(&error, ErrorCode::SessionNotAlive);
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("signal 11"), "{error}");
}
