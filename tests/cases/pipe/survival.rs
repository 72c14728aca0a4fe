//! Named pipes when the worker is killed or replaced, and when nothing happens.

use crate::pipe::events::{daemon, events, pipe_of, reader, streaming};
use crate::support::eventually;
use crate::support::session::OpenSession;
use crate::support::worker::{hand_over, is_one_process, kill_worker, worker};
use rustix::io::ioctl_fionread;
use serde_json::json;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// What a pipe takes in one write.
const PAGE_BYTES: usize = 4096;

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

/// Waits until a value has stayed the same for some milliseconds.
fn unchanged_for(limit_ms: u64, value: impl Fn() -> u64) {
    let (mut last, mut since) = (value(), Instant::now());
    eventually("the value stays the same", || {
        let now = value();
        if now != last {
            (last, since) = (now, Instant::now());
        }
        (since.elapsed() >= Duration::from_millis(limit_ms)).then_some(())
    });
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
            daemon.ok("daemon.restart", &json!({}));
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
    daemon.ok("session.pipe", &params);
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
    assert_eq!(once(&session, &[first, second].concat()), all);
}

/// Returns what a raw pipe carried, without the bytes that it carried twice where its record says so.
fn once(session: &OpenSession<'_>, carried: &str) -> String {
    let pipe = session.now().pipe.unwrap();
    let (mut once, mut rest) = (String::new(), carried);
    for repeat in pipe.repeats {
        assert!(repeat.bytes <= 4096, "{repeat:?}");
        let len = usize::try_from(repeat.offset - pipe.start_offset).unwrap() - once.len();
        let (before, after) = rest.split_at(len);
        once.push_str(before);
        let bytes = usize::try_from(repeat.bytes).unwrap();
        let is_twice = after.get(..bytes) == after.get(bytes..2 * bytes);
        rest = if is_twice { &after[bytes..] } else { after };
    }
    once + rest
}

#[test]
fn a_raw_pipe_repeats_no_byte_but_where_its_record_says_so() {
    let daemon = daemon();
    if is_one_process(&daemon) {
        return;
    }
    let script = "while read x; do seq -s ' ' 1 30000; done";
    let session = daemon.open("sh", &["-c", script]);
    let params = json!({"session": session.id(), "open": true, "raw": true});
    daemon.ok("session.pipe", &params);
    // Open for writing as well: a pipe that nobody has open loses what it holds when its writer is killed.
    let mut options = File::options();
    let options = options.read(true).write(true);
    let mut file = options.open(pipe_of(&session)).unwrap();
    let watched = file.try_clone().unwrap();
    let mut carried = Vec::new();
    let mut take = |len: usize| {
        let mut piece = vec![0; len];
        file.read_exact(&mut piece).unwrap();
        carried.extend_from_slice(&piece);
        carried.len()
    };
    for round in 1..=5 {
        session.ask("", " 30000\n");
        // The pipe is full, and then takes a part of what the worker wants to write.
        let mut taken = take(PAGE_BYTES);
        // Then the pipe is full again.
        unchanged_for(100, || ioctl_fionread(&watched).unwrap());
        kill_worker(&daemon);
        // What the next worker reads from the log reaches back that far.
        let printed = session.bytes().len();
        while taken + 32 * PAGE_BYTES < printed {
            taken = take(PAGE_BYTES);
        }
        assert!(session.now().pipe.unwrap().repeats.len() <= round);
    }
    let last = reader(&pipe_of(&session));
    drop((file, watched));
    session.keys(&["C-d"]);
    session.ended();
    carried.extend_from_slice(last.join().unwrap().as_bytes());
    let all = String::from_utf8(session.bytes()).unwrap();
    assert!(once(&session, &String::from_utf8(carried).unwrap()) == all);
}

#[test]
fn what_a_killed_daemon_leaves_is_removed_by_the_next_one_and_its_own_end_leaves_nothing() {
    let mut daemon = daemon();
    let path = pipe_of(&streaming(&daemon, "cat", &[]));
    let other = path.with_file_name("other.pipe");
    fs::write(&other, "").unwrap();
    daemon.kill();
    assert!(path.exists());
    daemon.restart();
    assert!(!path.exists());
    assert!(other.exists(), "a file that ccd did not create is kept");
    fs::remove_file(other).unwrap();
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
    unchanged_for(500, sleeps);
}
