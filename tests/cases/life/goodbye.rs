//! What clients receive when the daemon stops, and what is left on disk.

use crate::support::processes::lives;
use crate::support::session::lacks;
use crate::support::{Ccctl, Connection, Daemon, eventually, kind};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

/// Prints the id of a process that has left the session, and then exits.
const LEAVING: &str = "f=$(mktemp -u) && mkfifo $f
    setsid sh -c \"echo \\$\\$ >$f; exec sleep 600 >/dev/null 2>&1 </dev/null\" &
    cat $f; rm $f";

/// Starts a program that ends only by SIGKILL, and waits until it is ready.
fn stubborn(connection: &mut Connection) -> String {
    let script = "trap '' HUP TERM; echo ready; while :; do sleep 0.1; done";
    let session = connection.start_session(&["sh", "-c", script]);
    connection.expect_text(&session, "ready");
    session
}

#[test]
fn calls_are_answered_and_subscribers_told_until_the_last_session_has_ended() {
    let mut daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = stubborn(&mut connection);
    let mut subscriber = daemon.connect();
    for subscribed in [session.clone(), connection.start_session(&["cat"])] {
        let params = json!({"session": subscribed});
        subscriber.ok("session.subscribe", &params);
    }
    let never = json!({"session": session, "patterns": [{"exact": "never"}], "timeout_ms": null});
    let expect = connection.request("session.expect", &never);
    let exit = json!({"session": session, "for": "exit"});
    let wait = connection.request("session.wait", &exit);
    daemon.signal(Signal::TERM);
    let create = json!({"program": "cat"});
    let mut newcomer = daemon.connect();
    let refused = eventually("no session can be started", || {
        newcomer.call_value("session.create", &create).err()
    });
    assert_eq!(kind(&refused), "shutting_down");
    assert_eq!(refused["code"], 1004);
    assert_eq!(newcomer.record(&session)["session_id"], json!(session));
    let ended: Value = connection.answer(expect).unwrap_err();
    assert_eq!(kind(&ended), "process_ended", "{ended}");
    assert_eq!(ended["data"]["signal"], 9);
    let waited = connection.answer(wait).unwrap();
    assert_eq!(waited["end_reason"], "shutdown");
    let mut reasons = Vec::new();
    while let Some(line) = subscriber.next_line_or_end() {
        let ended = &line["params"]["result"]["ended"];
        if ended.is_object() {
            reasons.push(ended["end_reason"].clone());
        }
    }
    assert_eq!(reasons, ["shutdown", "shutdown"]);
    assert!(daemon.wait_for_end().success());
}

#[test]
fn a_client_that_comes_while_the_daemon_leaves_is_not_sent_away() {
    let mut daemon = Daemon::start();
    stubborn(&mut daemon.connect());
    daemon.signal(Signal::TERM);
    // The lock is held until everything is written, although nobody is listening any more.
    eventually("nobody listens", || {
        (!Connection::answers(&daemon.socket())).then_some(())
    });
    let mut next = daemon.command().spawn().unwrap();
    eventually("the next daemon serves", || {
        Connection::answers(&daemon.socket()).then_some(())
    });
    assert!(daemon.wait_for_end().success());
    kill_process(Pid::from_child(&next), Signal::TERM).unwrap();
    assert!(next.wait().unwrap().success());
}

#[test]
fn what_left_a_run_ends_with_it_and_what_left_a_session_with_the_daemon() {
    if lacks(&["setsid"]) {
        return;
    }
    let mut daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let printed = ccctl.ok(&["run", "--", "sh", "-c", LEAVING]);
    let pid: i32 = printed.trim().parse().unwrap();
    eventually("it is gone", || (!lives(pid)).then_some(()));
    let once = json!({"program": "sh", "args": ["-c", LEAVING]});
    let reply = daemon.ok("run.once", &once);
    let pid: i32 = reply["output"].as_str().unwrap().trim().parse().unwrap();
    eventually("it is gone", || (!lives(pid)).then_some(()));
    let session = daemon.open("sh", &["-c", LEAVING]);
    session.ended();
    let pid: i32 = session.output().trim().parse().unwrap();
    assert!(lives(pid));
    drop(session);
    assert!(daemon.stop().success());
    eventually("it is gone", || (!lives(pid)).then_some(()));
}
