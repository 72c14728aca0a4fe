//! Acknowledged payloads survive kills.

use crate::support::processes::worker_of;
use crate::support::{Daemon, any_moment, eventually_within, kind, rounds};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const CLIENTS: usize = 50;

/// Posts payloads one after another until the daemon is gone, and notes those that it has acknowledged.
fn client(
    daemon: &Daemon,
    round: usize,
    client: usize,
    stop: &AtomicBool,
    taken: &Mutex<Vec<String>>,
) {
    let Ok(mut stream) = UnixStream::connect(daemon.socket()) else {
        return;
    };
    let mut replies = BufReader::new(stream.try_clone().unwrap());
    for number in 0.. {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let command = format!("tool-{round}-{client}-{number} build");
        let session = format!("s{client}");
        let payload = super::failure(&session, "t", &command, "Exit code 1\nerror: x");
        let id = format!("{round:08x}{client:08x}{number:016x}");
        let params =
            json!({"delivery_id": id, "at": "2026-01-01T00:00:00.000000Z", "payload": payload});
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": "hook.post", "params": params});
        let mut line = String::new();
        let sent = stream.write_all(format!("{request}\n").as_bytes());
        if sent.is_err() || replies.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        let reply: Value = serde_json::from_str(&line).unwrap();
        if kind(&reply["error"]) == "busy" {
            return; // more waits than the journal holds: a client keeps it in the spool then
        }
        assert!(reply.get("result").is_some(), "{reply}");
        taken.lock().unwrap().push(command);
    }
}

#[test]
fn every_acknowledged_payload_is_recorded_once_through_kills_of_the_daemon() {
    let mut daemon = Daemon::start();
    let taken = Mutex::new(Vec::new());
    for round in 0..rounds() {
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for number in 0..CLIENTS {
                let (daemon, stop, taken) = (&daemon, &stop, &taken);
                scope.spawn(move || client(daemon, round, number, stop, taken));
            }
            any_moment(round, Duration::from_millis(200));
            // All processes at once, in the middle of everything.
            daemon.signal(Signal::STOP);
            if let Some(worker) = worker_of(daemon.pid()).and_then(Pid::from_raw) {
                let _ = kill_process(worker, Signal::KILL);
            }
            stop.store(true, Ordering::Relaxed);
            daemon.signal(Signal::KILL);
        });
        daemon.kill();
        daemon.restart();
        // A journal that is full takes nothing that could be lost.
        if round % 10 == 9 {
            processed(&daemon);
        }
    }
    let taken: BTreeSet<String> = taken.into_inner().unwrap().into_iter().collect();
    assert!(taken.len() >= rounds(), "{}", taken.len());
    processed(&daemon);
    let recorded = all_commands(&daemon);
    let set: BTreeSet<&String> = recorded.iter().collect();
    let missing = taken.iter().filter(|command| !set.contains(command));
    assert_eq!(missing.count(), 0, "some are missing");
    assert_eq!(set.len(), recorded.len(), "some are recorded twice");
    println!("{} acknowledged, {} recorded", taken.len(), recorded.len());
}

/// Waits until all payloads are processed, which takes longer than they took to be accepted.
fn processed(daemon: &Daemon) {
    let done = eventually_within(Duration::from_secs(120), || {
        let status = daemon.call_value("coach.status", &json!({})).ok()?;
        (status["backlog_bytes"] == 0).then_some(())
    });
    done.expect("all payloads are processed");
}

/// Returns the commands of all events.
fn all_commands(daemon: &Daemon) -> Vec<String> {
    let mut commands = Vec::new();
    let mut before: Option<String> = None;
    loop {
        let params = json!({"limit": 1000, "before": before});
        let page = daemon.ok("coach.events", &params);
        let events = page["events"].as_array().unwrap();
        let Some(last) = events.last() else {
            return commands;
        };
        before = last["id"].as_str().map(str::to_owned);
        let command = |event: &Value| event["context"]["command"].as_str().unwrap().to_owned();
        commands.extend(events.iter().map(command));
    }
}
