//! Daemons of one user that have separate base directories do not affect each other.

use crate::support::{Daemon, eventually, processes};
use serde_json::json;
use std::fs;

#[test]
fn sessions_of_one_are_unknown_to_the_other_and_closing_one_leaves_its_namesake_alone() {
    let daemons = [Daemon::start(), Daemon::start()];
    let id = format!("twin-{}", daemons[0].pid());
    let create = json!({"program": "sh", "args": ["-c", "setsid sleep 1234 & cat"], "id": id});
    for daemon in &daemons {
        let seen = daemon.ok("session.list", &json!({}));
        assert_eq!(seen["sessions"], json!([]));
        daemon.ok("session.create", &create);
    }
    let marker = format!("CCD_SESSION_ID={id}");
    let running = || processes::with_variable(&marker).len();
    eventually("both run", || (running() == 6).then_some(()));
    daemons[0].ok("session.close", &json!({"session": id}));
    assert_eq!(running(), 3);
    assert_eq!(daemons[1].connect().record(&id)["state"], "alive");
    let removed = daemons[0].ok("session.cleanup", &json!({"force": true}));
    assert_eq!(removed["removed"], 1);
    assert_eq!(running(), 3);
}

/// Returns the processes of a session that have become `sleep`.
fn sleeping(session: &str) -> Vec<i32> {
    let mut marked = processes::with_variable(&format!("CCD_SESSION_ID={session}"));
    marked.retain(|pid| {
        fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name == "sleep\n")
    });
    marked
}

#[test]
fn what_left_an_ended_session_of_a_killed_daemon_lives_on_until_close() {
    let mut daemon = Daemon::start();
    let id = format!("orphan-{}", daemon.pid());
    let script = "setsid sh -c 'trap \"\" HUP; exec sleep 1235' & read line";
    let create = json!({"program": "sh", "args": ["-c", script], "id": id});
    daemon.ok("session.create", &create);
    let sleeping = || sleeping(&id).len();
    eventually("it runs", || (sleeping() == 1).then_some(()));
    daemon.ok("session.send", &json!({"session": id, "text": "\r"}));
    daemon.connect().ended(&id);
    daemon.kill();
    daemon.restart();
    assert_eq!(sleeping(), 1, "it no longer belonged to a live session");
    let reply = daemon.ok("session.close", &json!({"session": id}));
    assert_eq!(reply["forced"], true);
    eventually("it is gone", || (sleeping() == 0).then_some(()));
}

#[test]
fn what_a_killed_daemon_left_is_ended_and_a_live_daemons_of_the_same_id_left_alone() {
    let mut daemon = Daemon::start();
    let other = Daemon::start();
    let id = format!("half-{}", daemon.pid());
    let script = "setsid sh -c 'trap \"\" HUP; exec sleep 1237' & cat";
    let create = json!({"program": "sh", "args": ["-c", script], "id": id});
    let sleeping = || sleeping(&id);
    other.ok("session.create", &create);
    let theirs = eventually("it runs", || Some(sleeping()).filter(|all| all.len() == 1));
    daemon.ok("session.create", &create);
    eventually("both run", || (sleeping().len() == 2).then_some(()));
    daemon.kill();
    // After setsid, SIGHUP does not reach it.
    assert_eq!(sleeping().len(), 2);
    daemon.restart();
    assert_eq!(sleeping(), theirs);
    let reply = daemon.ok("session.close", &json!({"session": id}));
    assert_eq!(reply["killed"], json!([]));
    assert_eq!(sleeping(), theirs);
    assert_eq!(other.connect().record(&id)["state"], "alive");
}
