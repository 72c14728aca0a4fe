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
    let never = json!({"session": session, "patterns": [{"exact": "never"}], "timeout_ms": null});
    for _ in 0..3 {
        leaving.request("session.expect", &never);
    }
    leaving.request("run.once", &json!({"program": "sleep", "args": ["1234.5"]}));
    let pids = eventually("the program runs", || {
        Some(processes::with_command_line("sleep 1234.5")).filter(|pids| !pids.is_empty())
    });
    assert_eq!(pids.len(), 1);
    drop(leaving);
    eventually("the program of run.once ends", || {
        (!processes::lives(pids[0])).then_some(())
    });
    eventually("nothing is left of the connection", || {
        let status = connection.status();
        (status["connections"] == 1 && processes::descriptors(worker) <= before).then_some(())
    });
    assert_eq!(connection.record(&session)["state"], "alive");
}

#[test]
fn a_client_that_leaves_while_its_session_starts_leaves_nothing_half() {
    let daemon = Daemon::with_config("{max_sessions: 0}");
    let mut connection = daemon.connect();
    let value = daemon.pid().to_string();
    let marker = format!("LEFT_BEHIND={value}");
    for number in 0..60 {
        let mut leaving = daemon.connect();
        let params = json!({"program": "cat", "id": format!("s{number}"), "env": {"LEFT_BEHIND": value}, "persist": true});
        leaving.request("session.create", &params);
    }
    // Each start is done completely or not at all.
    eventually("programs, folders and sessions are as many", || {
        let listed = daemon.listed(false).len();
        let folders = std::fs::read_dir(daemon.home().join("sessions")).unwrap();
        let programs = processes::with_variable(&marker).len();
        let is_over = connection.status()["connections"] == 1;
        (is_over && folders.count() == listed && programs == listed).then_some(())
    });
    // A start may still be in progress.
    eventually("everything can be cleaned up", || {
        connection.ok("session.cleanup", &json!({"force": true}));
        processes::with_variable(&marker).is_empty().then_some(())
    });
}
