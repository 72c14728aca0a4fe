//! Two hundred sessions that end at once.

use crate::support::processes::{descriptors, lives};
use crate::support::worker::settled_worker;
use crate::support::{Daemon, eventually};
use serde_json::{Value, json};

const SESSIONS: usize = 200;

/// Starts the sessions; returns the ids of their processes. Some sessions have a process outside their process group.
fn crowd(daemon: &Daemon) -> Vec<i32> {
    let mut connection = daemon.connect();
    let mut pids = Vec::new();
    for number in 0..SESSIONS {
        let create = if number % 20 == 0 {
            let script = "setsid sleep 1236 & echo $! >pid-$CCD_SESSION_ID; exec cat";
            json!({"program": "sh", "args": ["-c", script], "cwd": daemon.home(), "id": format!("left-{number}")})
        } else {
            json!({"program": "cat"})
        };
        let session = connection.ok("session.create", &create);
        pids.push(i32::try_from(session["pid"].as_i64().unwrap()).unwrap());
        if number % 20 == 0 {
            let path = daemon.home().join(format!("pid-left-{number}"));
            pids.push(eventually("its child runs", || {
                std::fs::read_to_string(&path).ok()?.trim().parse().ok()
            }));
        }
    }
    assert!(pids.iter().all(|&pid| lives(pid)));
    pids
}

fn daemon() -> Daemon {
    Daemon::builder().config(r#"{"max_sessions": 0}"#).start()
}

fn ended(daemon: &Daemon) -> Vec<Value> {
    let listed = daemon.call_value("session.list", &json!({"all": true}));
    listed.unwrap()["sessions"].as_array().unwrap().clone()
}

#[test]
fn a_daemon_that_stops_ends_them_all_within_its_limit() {
    let mut daemon = daemon();
    let pids = crowd(&daemon);
    assert!(daemon.stop().success());
    let left: Vec<_> = pids.iter().filter(|&&pid| lives(pid)).collect();
    assert!(left.is_empty(), "{left:?}");
    daemon.restart();
    // A session that was not ended in time would now have another reason.
    let reasons = ended(&daemon)
        .into_iter()
        .map(|session| session["end_reason"].clone());
    assert_eq!(
        reasons.collect::<Vec<_>>(),
        vec![json!("shutdown"); SESSIONS]
    );
}

#[test]
fn a_forced_cleanup_ends_and_removes_them_all() {
    let daemon = daemon();
    let pids = crowd(&daemon);
    let reply = daemon.call_value("session.cleanup", &json!({"force": true}));
    assert_eq!(reply.unwrap()["removed"], SESSIONS);
    let left: Vec<_> = pids.iter().filter(|&&pid| lives(pid)).collect();
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(ended(&daemon), Vec::<Value>::new());
    let folders = std::fs::read_dir(daemon.home().join("sessions")).unwrap();
    assert_eq!(folders.count(), 0);
}

#[test]
fn sessions_that_have_ended_keep_nothing_open() {
    const ENDED: usize = 30;
    let daemon = daemon();
    let mut connection = daemon.connect();
    let pid = settled_worker(&daemon);
    let before = descriptors(pid);
    for number in 0..ENDED {
        let id = format!("talks-{number}");
        let talk = json!({"program": "sh", "args": ["-c", "echo something; exec cat"], "id": id});
        connection.ok("session.create", &talk);
        let something = json!({"session": id, "from": 0, "patterns": [{"exact": "something"}]});
        connection.ok("session.expect", &something);
        let close = json!({"session": id});
        connection.ok("session.close", &close);
    }
    eventually("the descriptors are closed", || {
        (descriptors(pid) < before + ENDED / 2).then_some(())
    });
    assert_eq!(ended(&daemon).len(), ENDED);
}
