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
        let seen = daemon.call_value("session.list", &json!({})).unwrap();
        assert_eq!(seen["sessions"], json!([]));
        daemon.call_value("session.create", &create).unwrap();
    }
    let marker = format!("CCD_SESSION_ID={id}");
    eventually("both run", || {
        (processes::with_variable(&marker).len() == 6).then_some(())
    });
    daemons[0]
        .call_value("session.close", &json!({"session": id}))
        .unwrap();
    assert_eq!(processes::with_variable(&marker).len(), 3);
    let other = daemons[1]
        .call_value("session.get", &json!({"session": id}))
        .unwrap();
    assert_eq!(other["state"], "alive");
    let removed = daemons[0]
        .call_value("session.cleanup", &json!({"force": true}))
        .unwrap();
    assert_eq!(removed["removed"], 1);
    assert_eq!(processes::with_variable(&marker).len(), 3);
}

#[test]
fn what_left_an_ended_session_of_a_killed_daemon_lives_on_until_close() {
    let mut daemon = Daemon::start();
    let id = format!("orphan-{}", daemon.pid());
    let script = "setsid sh -c 'trap \"\" HUP; exec sleep 1235' & read line";
    let create = json!({"program": "sh", "args": ["-c", script], "id": id});
    daemon.call_value("session.create", &create).unwrap();
    let marker = format!("CCD_SESSION_ID={id}");
    let sleeping = || {
        let marked = processes::with_variable(&marker).into_iter();
        let names = marked.filter_map(|pid| fs::read_to_string(format!("/proc/{pid}/comm")).ok());
        names.filter(|name| name == "sleep\n").count()
    };
    eventually("it runs", || (sleeping() == 1).then_some(()));
    for (method, params) in [
        ("session.send", json!({"session": id, "text": "\r"})),
        ("session.wait", json!({"session": id, "for": "exit"})),
    ] {
        daemon.call_value(method, &params).unwrap();
    }
    daemon.kill();
    daemon.restart();
    assert_eq!(sleeping(), 1, "it no longer belonged to a live session");
    let reply = daemon
        .call_value("session.close", &json!({"session": id}))
        .unwrap();
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
    let marker = format!("CCD_SESSION_ID={id}");
    let sleeping = || {
        let mut marked = processes::with_variable(&marker);
        marked.retain(|pid| {
            fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name == "sleep\n")
        });
        marked
    };
    other.call_value("session.create", &create).unwrap();
    let theirs = eventually("it runs", || Some(sleeping()).filter(|all| all.len() == 1));
    daemon.call_value("session.create", &create).unwrap();
    eventually("both run", || (sleeping().len() == 2).then_some(()));
    daemon.kill();
    assert_eq!(
        sleeping().len(),
        2,
        "after setsid, SIGHUP does not reach it"
    );
    daemon.restart();
    assert_eq!(sleeping(), theirs);
    let reply = daemon
        .call_value("session.close", &json!({"session": id}))
        .unwrap();
    assert_eq!(reply["killed"], json!([]));
    assert_eq!(sleeping(), theirs);
    let session = other
        .call_value("session.get", &json!({"session": id}))
        .unwrap();
    assert_eq!(session["state"], "alive");
}
