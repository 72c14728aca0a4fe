//! Named pipes when the worker is killed or replaced, and when nothing happens.

use crate::pipe::events::{daemon, events, pipe_of, reader, streaming};
use crate::support::eventually;
use crate::support::worker::{hand_over, is_one_process, kill_worker, worker};
use serde_json::json;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Reads a pipe, opens it again whenever it ends, and sends its lines.
fn follow(path: &Path) -> mpsc::Receiver<String> {
    let (lines, received) = mpsc::sync_channel(100_000);
    let path = path.to_owned();
    // The thread ends with the session, whose pipe is then removed.
    std::thread::spawn(move || {
        while let Ok(file) = File::open(&path) {
            for line in BufReader::new(file).lines().map_while(Result::ok) {
                if lines.send(line).is_err() {
                    return;
                }
            }
        }
    });
    received
}

/// Returns all output as one line, because a line that arrived in two chunks is two events.
fn printed(events: &[(&str, &str)]) -> String {
    let output = events.iter().filter(|event| event.0 == "OUT");
    output.map(|event| event.1).collect()
}

#[test]
fn a_pipe_goes_on_after_its_worker_was_killed_or_replaced() {
    let daemon = daemon();
    if is_one_process(&daemon) {
        return;
    }
    let session = streaming(&daemon, "cat", &[]);
    let lines = follow(&pipe_of(&session));
    let mut seen = Vec::new();
    let mut until = |wanted: &str| {
        eventually("the line appears", || {
            seen.extend(lines.try_iter());
            let text = seen.join("\n");
            let is_there = printed(&events(&text)).matches(wanted).count() >= 2;
            is_there.then_some(text)
        })
    };
    for round in 0..3 {
        for number in 0..50 {
            // One line at a time: terminals mix the echo of a line with other output.
            let line = format!("line {round} {number}");
            session.ask(&line, &format!("{line}\n{line}\n"));
        }
        until(&format!("line {round} 49"));
        if round == 0 {
            kill_worker(&daemon);
        } else if round == 1 {
            daemon.call_value("daemon.restart", &json!({})).unwrap();
            hand_over(&daemon, 2);
        }
    }
    let text = until("line 2 49");
    let all = events(&text);
    let printed = printed(&all);
    for round in 0..3 {
        for number in 0..50 {
            let text = format!("line {round} {number}");
            // Typed, echoed, printed; what the killed worker was writing may appear twice.
            assert!(printed.matches(&text).count() >= 2, "{text}: {all:?}");
            assert!(all.contains(&("IN ", &text)), "{text}: {all:?}");
        }
    }
    let resumed = all
        .iter()
        .filter(|event| event.0 == "MTX" && event.1.starts_with("resumed_at="));
    assert_eq!(resumed.count(), 2);
    let record = session.now().pipe.unwrap();
    assert!(PathBuf::from(&record.pipe_path).exists());
    session.close();
    assert!(!PathBuf::from(&record.pipe_path).exists());
}

#[test]
fn output_that_came_while_no_worker_ran_is_in_the_pipe() {
    let daemon = daemon();
    if is_one_process(&daemon) {
        return;
    }
    let session = daemon.open("sh", &["-c", "read x; seq 1 9000; read x"]);
    let params = json!({"session": session.id(), "open": true, "raw": true});
    daemon.call_value("session.pipe", &params).unwrap();
    let path = pipe_of(&session);
    let first = reader(&path);
    session.line("");
    // While the output is being printed.
    kill_worker(&daemon);
    session.expect("(?m)^9000$");
    let second = reader(&path);
    session.line("");
    session.ended();
    let (first, second) = (first.join().unwrap(), second.join().unwrap());
    let all = String::from_utf8(session.bytes()).unwrap();
    assert!(all.starts_with(&first) && all.ends_with(&second));
    // What the killed worker was writing may appear twice, but nothing is missing.
    let twice = (first.len() + second.len()).checked_sub(all.len());
    assert!(twice.is_some_and(|twice| twice <= 16 << 10), "{twice:?}");
}

#[test]
fn what_a_killed_daemon_leaves_is_removed_by_the_next_one() {
    let mut daemon = daemon();
    let path = pipe_of(&streaming(&daemon, "cat", &[]));
    let other = path.with_file_name("other.pipe");
    fs::write(&other, "").unwrap();
    daemon.kill();
    assert!(path.exists());
    daemon.restart();
    assert!(!path.exists());
    assert!(other.exists(), "a file that ccd did not create is kept");
}

#[test]
fn the_end_of_the_daemon_removes_the_pipes_and_ends_what_reads_them() {
    let mut daemon = daemon();
    let path = pipe_of(&streaming(&daemon, "cat", &[]));
    let reading = reader(&path);
    daemon.stop();
    assert!(reading.join().unwrap().contains("end_reason=shutdown"));
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 0);
}

#[test]
fn a_pipe_on_which_nothing_happens_costs_no_wake_up() {
    let daemon = daemon();
    let idle = streaming(&daemon, "sh", &["-c", "printf 'a prompt> '; exec cat"]);
    idle.expect("prompt> ");
    // A full pipe that nobody reads.
    let full = streaming(&daemon, "sh", &["-c", "seq 1 20000; exec cat"]);
    full.expect("(?m)^20000$");
    let pid = worker(&daemon);
    let sleeps = || -> u64 {
        let tasks = fs::read_dir(format!("/proc/{pid}/task")).unwrap().flatten();
        let status = tasks.filter_map(|task| fs::read_to_string(task.path().join("status")).ok());
        let count = |status: &String| {
            let line = status
                .lines()
                .find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
            line.and_then(|count| count.trim().parse::<u64>().ok())
                .unwrap_or(0)
        };
        status.map(|status| count(&status)).sum()
    };
    if is_one_process(&daemon) {
        return; // the single process also polls the terminals
    }
    let (mut last, mut since) = (sleeps(), Instant::now());
    eventually("nothing wakes it up for half a second", || {
        let now = sleeps();
        if now != last {
            (last, since) = (now, Instant::now());
        }
        (since.elapsed() >= Duration::from_millis(500)).then_some(())
    });
}
