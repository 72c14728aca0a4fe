//! Tape directories are watched, but reading a tape wakes no watcher.
#![cfg(target_os = "linux")]

use crate::support::worker::worker;
use crate::support::{Daemon, eventually};
use serde_json::json;
use std::fmt::Write as _;
use std::fs;

/// Number of exchanges of the tape.
const ANSWERS: usize = 1000;

/// Returns how often each watcher thread has waited.
fn waits(daemon: &Daemon) -> Vec<String> {
    let tasks = fs::read_dir(format!("/proc/{}/task", worker(daemon))).unwrap();
    let mut waits: Vec<String> = tasks
        .filter_map(|task| {
            let task = task.unwrap();
            let name = fs::read_to_string(task.path().join("comm")).unwrap_or_default();
            let status = fs::read_to_string(task.path().join("status")).unwrap_or_default();
            let mut lines = status.lines();
            let line = lines.find(|line| line.starts_with("voluntary_ctxt_switches"))?;
            let id = task.file_name();
            name.starts_with("notify")
                .then(|| format!("{} {line}", id.display()))
        })
        .collect();
    waits.sort_unstable();
    waits
}

#[test]
fn a_tape_that_is_played_a_thousand_times_wakes_no_watcher() {
    let daemon = Daemon::start();
    let root = daemon.home().join("tapes-here");
    fs::create_dir(&root).unwrap();
    let mut text = String::from(
        "{ meta: { program: 'cat', args: [], env: {}, cwd: '', pty: { rows: 24, cols: 80 } }, session: { format: 1 }, exchanges: [\n  { pre: { prompt: '' }, input: { type: 'raw', dataText: '' }, output: { chunks: [] } },\n",
    );
    for number in 0..ANSWERS {
        let _ = writeln!(
            text,
            "  {{ pre: {{ prompt: '' }}, input: {{ type: 'line', dataText: 'line {number}' }}, output: {{ chunks: [{{ delay_ms: 0, dataText: 'answer {number}.\\r\\n' }}] }} }},"
        );
    }
    fs::write(root.join("cat.json5"), text + "] }\n").unwrap();
    let mut connection = daemon.connect();
    let create = json!({"program": "cat", "tape": {"root": root, "latency": 0}});
    let session = connection.ok("session.create", &create)["session_id"].clone();
    let mut play = |number: usize| {
        let patterns = json!([{"exact": format!("answer {number}.")}]);
        let send = json!({
            "session": session, "text": format!("line {number}"), "newline": true,
            "expect": {"patterns": patterns},
        });
        connection.ok("session.send", &send);
    };
    play(0);
    let mut before = waits(&daemon);
    eventually("the watchers have handled all changes of the start", || {
        let now = waits(&daemon);
        let is_quiet = now == before;
        before = now;
        is_quiet.then_some(())
    });
    assert!(
        before.len() >= 2,
        "tapes and configuration are watched: {before:?}"
    );
    for number in 1..ANSWERS {
        play(number);
    }
    assert_eq!(waits(&daemon), before);
    fs::write(root.join("other.json5"), "{").unwrap();
    eventually("a change is noticed", || {
        (waits(&daemon) != before).then_some(())
    });
}
