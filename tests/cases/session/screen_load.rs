//! Screens that take long to draw: other clients do not notice, and a call ends in time.

use crate::support::processes::private_memory;
use crate::support::worker::worker;
use crate::support::{Connection, Daemon, eventually, eventually_within};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::time::{Duration, Instant};

/// Starts a program on the largest screen that erases it `count` times, each with another number in its corner. The
/// colour changes, so no cell is as it was.
fn erasing(daemon: &Daemon, count: u32) -> String {
    let mut output = String::new();
    for number in 1..=count {
        write!(output, "\x1b[4{}m\x1b[H\x1b[2J{number}", number % 2).unwrap();
    }
    let file = daemon.home().join(format!("output-{count}"));
    fs::write(&file, &output).unwrap();
    let params = json!({
        "program": "sh", "args": ["-c", "stty raw; cat \"$0\"; exec sleep 1000", file],
        "rows": 1000, "cols": 1000, "persist": true,
    });
    let created = daemon.ok("session.create", &params);
    let session = created["session_id"].as_str().unwrap().to_owned();
    eventually("everything is printed", || {
        let params = json!({"session": session});
        let record = daemon.ok("session.get", &params);
        (record["output"]["output_bytes"] == output.len()).then_some(())
    });
    session
}

fn look(session: &str) -> Value {
    json!({"session": session, "max_rows": 1})
}

/// Returns the longest time that a ping took, of many.
fn longest_ping(connection: &mut Connection) -> Duration {
    let pings = (0..100).map(|_| {
        let asked = Instant::now();
        connection.ok("daemon.ping", &json!({}));
        asked.elapsed()
    });
    pings.max().unwrap()
}

/// Returns the clock ticks that the worker has used.
fn cpu_ticks(pid: i32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let (_, fields) = stat.rsplit_once(')').unwrap();
    let fields: Vec<&str> = fields.split_whitespace().collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

#[test]
fn a_screen_that_takes_long_delays_no_other_client() {
    let daemon = Daemon::start();
    // As little output as is drawn at once elsewhere.
    let session = erasing(&daemon, 700);
    let mut looking = daemon.connect();
    let mut other = daemon.connect();
    looking.request("session.screen", &look(&session));
    let longest = longest_ping(&mut other);
    assert!(longest < Duration::from_secs(1), "{longest:?}");
}

#[test]
fn nothing_is_drawn_for_a_client_that_has_left() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let daemon = Daemon::start();
    let session = erasing(&daemon, 6_000);
    let pid = worker(&daemon);
    let mut looking = daemon.connect();
    let before = cpu_ticks(pid);
    looking.request("session.screen", &look(&session));
    eventually("it is being drawn", || {
        (cpu_ticks(pid) > before + 5).then_some(())
    });
    drop(looking);
    let (mut ticks, mut since) = (cpu_ticks(pid), Instant::now());
    let rests = eventually_within(Duration::from_secs(8), || {
        let now = cpu_ticks(pid);
        if now > ticks + 1 {
            (ticks, since) = (now, Instant::now());
        }
        (since.elapsed() > Duration::from_millis(500)).then_some(())
    });
    assert!(rests.is_some(), "the worker still draws");
}

#[test]
fn the_memory_for_screens_of_ended_sessions_goes_back_and_they_show_the_same_again() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let pid = worker(&daemon);
    let before = private_memory(pid);
    let sessions = [(); 4].map(|()| {
        let params = json!({"program": "echo", "args": ["hello"], "rows": 1000, "cols": 1000, "persist": true});
        let created = connection.ok("session.create", &params);
        let session = created["session_id"].as_str().unwrap().to_owned();
        connection.ended(&session);
        session
    });
    let mut show_all = || {
        for session in &sessions {
            let reply = connection.call_value("session.screen", &look(session));
            assert_eq!(reply.unwrap()["lines"], json!(["hello"]));
        }
    };
    show_all();
    eventually("the memory is given back", || {
        (private_memory(pid) < before + (16 << 20)).then_some(())
    });
    show_all();
}
