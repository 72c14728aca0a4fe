//! Clients that disconnect, at once or in the middle of a call: nothing is left of them.

use crate::support::worker::settled_worker;
use crate::support::{Daemon, eventually, processes};
use serde_json::json;

#[test]
fn a_client_that_leaves_ends_its_calls() {
    let daemon = Daemon::start();
    let worker = settled_worker(&daemon);
    let mut connection = daemon.connect();
    let session = connection.start_session(&["cat"]);
    let before = processes::descriptors(worker);
    let mut leaving = daemon.connect();
    for _ in 0..3 {
        leaving.request(
            "session.expect",
            &json!({"session": session, "patterns": [{"exact": "never"}], "timeout_ms": null}),
        );
    }
    let lasting = leaving.request("run.once", &json!({"program": "sleep", "args": ["1234.5"]}));
    let pids = eventually("the program runs", || {
        Some(processes::with_command_line("sleep 1234.5")).filter(|pids| !pids.is_empty())
    });
    assert!(lasting > 0 && pids.len() == 1);
    drop(leaving);
    eventually("the program of run.once ends", || {
        (!processes::lives(pids[0])).then_some(())
    });
    eventually("nothing is left of the connection", || {
        let status = connection.call_value("daemon.status", &json!({})).unwrap();
        (status["connections"] == 1 && processes::descriptors(worker) <= before).then_some(())
    });
    assert_eq!(
        connection
            .call_value("session.get", &json!({"session": session}))
            .unwrap()["state"],
        "alive"
    );
}

#[test]
fn a_client_that_leaves_while_its_session_starts_leaves_nothing_half() {
    let daemon = Daemon::builder().config("{max_sessions: 0}").start();
    let mut connection = daemon.connect();
    let marker = format!("LEFT_BEHIND={}", daemon.pid());
    for number in 0..60 {
        let mut leaving = daemon.connect();
        let (name, value) = marker.split_once('=').unwrap();
        let params = json!({"program": "cat", "id": format!("s{number}"), "env": {name: value}, "persist": true});
        leaving.request("session.create", &params);
    }
    // Each start is done completely or not at all.
    eventually(
        "programs, folders and listed sessions are the same number",
        || {
            let status = connection.call_value("daemon.status", &json!({})).unwrap();
            let listed = connection.call_value("session.list", &json!({})).unwrap();
            let listed = listed["sessions"].as_array().unwrap().len();
            let folders = std::fs::read_dir(daemon.home().join("sessions"))
                .unwrap()
                .count();
            let programs = processes::with_variable(&marker).len();
            (status["connections"] == 1 && folders == listed && programs == listed).then_some(())
        },
    );
    // A start may still be in progress.
    eventually("everything can be cleaned up", || {
        connection
            .call_value("session.cleanup", &json!({"force": true}))
            .unwrap();
        processes::with_variable(&marker).is_empty().then_some(())
    });
}
