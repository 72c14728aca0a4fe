//! Requested handovers to another worker, and what happens when the holder dies.

use crate::support::executable;
use crate::support::processes::lives;
use crate::support::session::{OpenSession, assert_error};
use crate::support::worker::{
    hand_over, is_one_process, kill_worker, other_build, signal_worker, with_worker, worker,
};
use crate::support::{Daemon, eventually};
use ccd_protocol::ErrorCode;
use ccd_protocol::session::{EndReason, SessionState};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A program that ends only when it is killed.
fn open_stubborn(daemon: &Daemon) -> OpenSession<'_> {
    let stubborn = "trap '' HUP TERM INT; echo ready; while :; do sleep 0.1; done";
    let session = daemon.open("bash", &["-c", stubborn]);
    session.expect("ready\n");
    session
}

#[track_caller]
fn assert_handed_over(error: &Value) {
    assert_error(error, ErrorCode::HandedOver);
    assert_eq!(error["data"]["repeatable"], true);
}

fn executable_of(pid: i32) -> PathBuf {
    std::fs::read_link(format!("/proc/{pid}/exe")).unwrap()
}

#[test]
fn a_restart_keeps_the_sessions_and_tells_who_waits() {
    let Some(daemon) = with_worker() else { return };
    let session = daemon.open_bash();
    session.ask("x=41", "ready> ");
    let mut waiting = daemon.connect();
    let never = json!([{"regex": "never"}]);
    let expect = json!({"session": session.id(), "patterns": never, "timeout_ms": 60_000});
    let asked = waiting.request("session.expect", &expect);
    let before = worker(&daemon);
    let reply = daemon.ok("daemon.restart", &json!({}));
    assert_eq!(
        (&reply["pid"], &reply["sessions"], &reply["number"]),
        (&json!(before), &json!(1), &json!(0))
    );
    let error = waiting.answer(asked).unwrap_err();
    assert_handed_over(&error);
    let last = hand_over(&daemon, 1);
    let how = (&last["cause"], &last["rolled_back"]);
    assert_eq!(how, (&json!("upgrade"), &json!(false)));
    assert_ne!(worker(&daemon), before);
    assert!(!lives(before));
    session.ask("echo $((x + 1))", "(?m)^42$");
    assert_eq!(session.now().state, SessionState::Alive);
}

#[test]
fn another_build_goes_on_and_stays_after_a_crash() {
    let Some(daemon) = with_worker() else { return };
    let session = daemon.open("cat", &[]);
    let build = other_build(&daemon, "newer");
    let upgrade = |binary: &Path| daemon.call_value("daemon.upgrade", &json!({"binary": binary}));
    upgrade(&build).unwrap();
    hand_over(&daemon, 1);
    assert_eq!(executable_of(worker(&daemon)), build);
    session.ask("after the upgrade", "after the upgrade\n");
    kill_worker(&daemon);
    let last = hand_over(&daemon, 2);
    assert_eq!(last["cause"], "crash");
    let reason = last["reason"].as_str().unwrap();
    assert!(reason.contains("signal 9"), "{reason}");
    assert_eq!(executable_of(worker(&daemon)), build);
    session.ask("after the crash", "after the crash\n");
}

#[test]
#[cfg_attr(
    not(debug_assertions),
    ignore = "only a debug build gives a worker less time"
)]
fn a_build_that_hangs_is_killed_and_the_last_one_serves_again() {
    // Enough for a worker that does serve, on a slow machine.
    let daemon = Daemon::builder().env("CCD_TEST_READY_MS", "5000").start();
    if is_one_process(&daemon) {
        return;
    }
    let session = daemon.open("cat", &[]);
    let hanging = other_build(&daemon, "hanging");
    let before = executable_of(worker(&daemon));
    daemon.ok("daemon.upgrade", &json!({"binary": hanging}));
    let last = hand_over(&daemon, 1);
    assert_eq!(last["rolled_back"], true, "{last}");
    let reason = last["reason"].as_str().unwrap();
    assert!(reason.contains("did not start serving in time"), "{last}");
    assert_eq!(executable_of(worker(&daemon)), before);
    session.ask("still here", "still here\n");
}

#[test]
fn what_is_no_daemon_is_refused_and_nothing_happens() {
    let Some(daemon) = with_worker() else { return };
    let before = worker(&daemon);
    let text = daemon.home().join("text");
    executable::write(&text, b"#!/bin/sh\necho '{}'\n");
    let text = text.to_str().unwrap();
    for binary in [
        "/nowhere/ccd",
        "ccd",
        "",
        "/bin/true",
        "/",
        "/bin/cat",
        text,
    ] {
        let refused = daemon.call_value("daemon.upgrade", &json!({"binary": binary}));
        let error = refused.unwrap_err();
        assert_error(&error, ErrorCode::InvalidArgument);
        let message = error["message"].as_str().unwrap();
        let expected = format!("{binary} cannot take over: ");
        assert!(message.starts_with(&expected), "{message}");
    }
    assert_eq!(worker(&daemon), before);
}

#[test]
fn without_its_holder_everything_ends_and_is_written_down() {
    let Some(mut daemon) = with_worker() else {
        return;
    };
    let script = "echo all of this is kept; exec sleep 1000";
    let session = daemon.open("sh", &["-c", script]);
    session.expect("kept\n");
    let (id, pid) = (session.id().to_owned(), session.record.pid);
    let mut waiting = daemon.connect();
    let asked = waiting.request("session.wait", &json!({"session": id, "for": "exit"}));
    let (orphan, _stdin) = daemon.kill_holder();
    let told = waiting.answer(asked).unwrap();
    assert_eq!(told["end_reason"], "holder_died", "{told}");
    // The next daemon waits until the worker has ended.
    daemon.restart();
    assert!(!lives(orphan) && !lives(pid));
    let record = daemon.call_value("session.get", &json!({"session": id}));
    let record = record.unwrap();
    let end = (&record["state"], &record["end_reason"]);
    assert_eq!(end, (&json!("dead"), &json!("holder_died")));
    // Nobody has reaped its program.
    assert!(record["exitstatus"].is_null() && record["signal"].is_null());
    let read = daemon.call_value("session.read", &json!({"session": id, "since": 0}));
    assert_eq!(read.unwrap()["text"], "all of this is kept\n");
}

#[test]
fn the_end_is_not_forgotten_when_the_worker_is_killed_meanwhile() {
    let Some(mut daemon) = with_worker() else {
        return;
    };
    let program = open_stubborn(&daemon).record.pid;
    let pid = worker(&daemon);
    daemon.ok("daemon.stop", &json!({}));
    signal_worker(&daemon, pid, Signal::KILL);
    assert!(daemon.wait_for_end().success());
    assert!(!lives(program));
}

#[test]
fn a_stop_behind_a_hand_over_is_told_to_come_again() {
    let Some(daemon) = with_worker() else { return };
    let mut connection = daemon.connect();
    connection.send_raw(
        b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"daemon.restart\"},{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"daemon.stop\"},\
        {\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"daemon.restart\"}]\n",
    );
    let replies = connection.next_line().unwrap();
    assert!(replies[0]["result"].is_object(), "{replies}");
    for reply in [&replies[1], &replies[2]] {
        assert_handed_over(&reply["error"]);
    }
    hand_over(&daemon, 1);
}

#[test]
fn an_ordered_end_is_carried_out_by_who_goes_on() {
    let Some(daemon) = with_worker() else { return };
    let session = open_stubborn(&daemon);
    let mut closing = daemon.connect();
    let close = json!({"session": session.id(), "grace_ms": 3000});
    let asked = closing.request("session.close", &close);
    // Requests after this one find the session closing.
    eventually("the session is closing", || {
        (session.now().state == SessionState::Zombie).then_some(())
    });
    daemon.ok("daemon.restart", &json!({}));
    let error = closing.answer(asked).unwrap_err();
    assert_handed_over(&error);
    hand_over(&daemon, 1);
    assert_eq!(session.ended().end_reason, Some(EndReason::Closed));
    assert!(!lives(session.record.pid));
    let history = daemon.call_value("session.history", &json!({"session": session.id()}));
    assert!(!history.unwrap().to_string().contains("250 ms"));
}

#[test]
fn a_send_that_waits_says_how_much_was_taken() {
    let Some(daemon) = with_worker() else { return };
    let script =
        "stty raw -echo; echo ready; dd bs=1 count=1 2>&1 >/dev/null; echo begun; sleep 1000";
    let session = daemon.open("sh", &["-c", script]);
    session.expect("ready");
    let mut sending = daemon.connect();
    let text = "x".repeat(1 << 20);
    let send = json!({"session": session.id(), "text": text});
    let asked = sending.request("session.send", &send);
    // The rest does not fit into the terminal.
    session.expect("begun");
    daemon.ok("daemon.restart", &json!({}));
    let error = sending.answer(asked).unwrap_err();
    assert_error(&error, ErrorCode::HandedOver);
    let written = error["data"]["written_bytes"].as_u64().unwrap();
    assert!(written < 1 << 20, "{written}");
}

#[test]
fn without_database_or_rings_nothing_that_lives_is_lost() {
    let Some(daemon) = with_worker() else { return };
    let session = daemon.open("cat", &[]);
    for file in ["ccd.sqlite", "ccd.sqlite-wal", "ccd.sqlite-shm"] {
        let _ = std::fs::remove_file(daemon.home().join(file));
    }
    kill_worker(&daemon);
    session.ask("with another database", "another database\n");
    kill_worker(&daemon);
    session.ask("which has it", "has it\n");
    let rings = daemon.home().join("run/ccd.sock.rings");
    std::fs::remove_dir_all(&rings).unwrap();
    daemon.ok("daemon.restart", &json!({}));
    hand_over(&daemon, 3);
    session.ask("still here", "still here\n");
    std::fs::remove_dir_all(&rings).unwrap();
    kill_worker(&daemon);
    session.ask("here again", "here again\n");
    assert_eq!(std::fs::read_dir(&rings).unwrap().count(), 1);
}
