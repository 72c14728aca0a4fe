//! Sessions outlive the worker.

use crate::support::processes::lives;
use crate::support::session::{OpenSession, guesses};
use crate::support::{Daemon, eventually, rounds};
use ccd_protocol::session::SessionState;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use std::time::Duration;

/// The worker's process id, once it answers.
fn worker(daemon: &Daemon) -> i32 {
    eventually("a worker answers", || {
        let status = daemon.try_call_value("daemon.status", &json!({}))?;
        i32::try_from(status["pid"].as_i64()?).ok()
    })
}

/// Kills the worker, and waits for another one.
fn kill_worker(daemon: &Daemon) {
    let pid = worker(daemon);
    kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
    eventually("another worker comes", || {
        (worker(daemon) != pid).then_some(())
    });
}

/// Where there is one process nothing survives it.
fn is_one_process(daemon: &Daemon) -> bool {
    worker(daemon) == daemon.pid() || guesses(daemon)
}

#[test]
fn a_program_does_not_notice_that_the_worker_was_killed() {
    let daemon = Daemon::start();
    if is_one_process(&daemon) {
        return;
    }
    let session = daemon.open(
        "sh",
        &["-c", "x=41; while read line; do eval \"$line\"; done"],
    );
    session.ask("echo $x", "\n41\n");
    for round in 0..3 {
        kill_worker(&daemon);
        let now = session.now();
        assert_eq!(
            (now.state, now.pid),
            (SessionState::Alive, session.record.pid)
        );
        session.ask(
            &format!("x=$((x + 1)); echo round {round} $x"),
            &format!("\nround {round} {}\n", 42 + round),
        );
    }
    session.line("exit 7");
    assert_eq!(session.ended().exitstatus, Some(7));
}

#[test]
fn a_flood_is_logged_byte_for_byte_through_kills_of_the_worker() {
    const LINES: usize = 300_000;
    let daemon = Daemon::builder()
        .config(r#"{"max_output_size": 0}"#)
        .start();
    if is_one_process(&daemon) {
        return;
    }
    let script = format!("seq 1 {LINES}; echo all of it; exec cat");
    let floods: Vec<OpenSession<'_>> = (0..4)
        .map(|_| daemon.open("sh", &["-c", &script]))
        .collect();
    for round in 0..rounds() {
        std::thread::sleep(Duration::from_millis(7 * (round as u64 % 13)));
        kill_worker(&daemon);
    }
    let mut expected: String = (1..=LINES).map(|line| format!("{line}\r\n")).collect();
    expected.push_str("all of it\r\n");
    for flood in &floods {
        flood.expect("all of it\n");
        assert!(
            flood.bytes() == expected.as_bytes(),
            "{:?}",
            flood.now().output
        );
        assert!(flood.now().output.gaps.is_empty());
    }
}

#[test]
fn what_ended_while_there_was_no_worker_has_its_true_status() {
    let daemon = Daemon::start();
    if is_one_process(&daemon) {
        return;
    }
    let session = daemon.open("sh", &["-c", "read go; echo last words; exit 9"]);
    let pid = worker(&daemon);
    kill_process(Pid::from_raw(pid).unwrap(), Signal::STOP).unwrap();
    kill_process(Pid::from_raw(session.record.pid).unwrap(), Signal::TERM).unwrap();
    eventually("it has ended", || {
        (!lives(session.record.pid)).then_some(())
    });
    kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
    let ended = eventually("another worker tells", || {
        let ended = daemon.try_call_value("session.get", &json!({"session": session.id()}))?;
        (ended["state"] == "dead").then_some(ended)
    });
    assert_eq!(
        (&ended["signal"], &ended["end_reason"]),
        (&json!(15), &json!("signalled"))
    );
}
