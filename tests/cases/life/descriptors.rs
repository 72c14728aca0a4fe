//! A daemon whose processes run out of descriptors.

use crate::support::Daemon;
use crate::support::processes::descriptors;
use crate::support::session::program;
use crate::support::worker::{is_one_process, settled_worker};
use ccd_protocol::session::SessionCreate;
use rustix::process::{Pid, Resource, Rlimit, prlimit};
use serde_json::json;

/// Limits a process to `more` descriptors in addition to its open ones. Returns the previous limit.
fn leave_descriptors(pid: i32, more: u64) -> Rlimit {
    // New descriptors get the lowest free number, so an inherited one with a high number does not matter.
    let open = descriptors(pid) as u64;
    let limits = std::fs::read_to_string(format!("/proc/{pid}/limits")).unwrap();
    let mut lines = limits.lines();
    let line = lines.find(|line| line.starts_with("Max open files"));
    let mut numbers = line.unwrap().split_whitespace().flat_map(str::parse);
    let limit = Rlimit {
        current: Some(open + more),
        maximum: numbers.nth(1),
    };
    prlimit(Pid::from_raw(pid), Resource::Nofile, limit).unwrap()
}

#[test]
fn a_start_without_a_descriptor_is_told_so_whichever_it_is() {
    let daemon = Daemon::with_config(r#"{"max_sessions": 0}"#);
    if is_one_process(&daemon) {
        return;
    }
    let worker = settled_worker(&daemon);
    let sleep = program(&daemon, "sleep", &["1000"]);
    for process in [daemon.pid(), worker] {
        for more in 0..8 {
            // The client connects before the limit is set.
            let mut client = daemon.connect();
            client.ping();
            let before = leave_descriptors(process, more);
            let mut started = Vec::new();
            let error = loop {
                match client.call::<SessionCreate>(&sleep) {
                    Ok(session) => started.push(session.session_id),
                    Err(error) => break error,
                }
                assert!(started.len() < 20);
            };
            let message = error["message"].as_str().unwrap();
            assert!(message.contains("descriptors"), "{more}: {error}");
            prlimit(Pid::from_raw(process), Resource::Nofile, before).unwrap();
            for session in started {
                client.ok("session.close", &json!({"session": session, "grace_ms": 0}));
            }
        }
    }
    let cat = daemon.open("cat", &[]);
    cat.ask("all is well", "all is well\n");
    assert_eq!(daemon.listed(false).len(), 1);
    assert_eq!(settled_worker(&daemon), worker);
}
