//! `kill -9` of the daemon, at any moment: nothing that a client has been told is lost.

use crate::support::{Daemon, eventually, processes, rounds};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use std::fs;
use std::io::Write;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A flood in which every byte follows from its offset: lines that count up.
const FLOOD: &str = "exec seq 1000000000 1999999999";

/// Length of one line: ten digits, and a newline as the terminal prints it.
const LINE_BYTES: u64 = 12;

/// Returns the byte of the flood at an offset.
fn flood_byte(offset: u64) -> u8 {
    let number = (1_000_000_000 + offset / LINE_BYTES).to_string();
    match usize::try_from(offset % LINE_BYTES).unwrap() {
        10 => b'\r',
        11 => b'\n',
        digit => number.as_bytes()[digit],
    }
}

fn assert_is_flood(start: u64, bytes: &[u8]) {
    for (at, &byte) in (start..).zip(bytes) {
        assert_eq!(byte, flood_byte(at), "at offset {at}");
    }
}

/// What clients were told about the output of a session.
#[derive(Debug, Default)]
struct Told {
    /// End of the output in items of a subscription.
    items_end: u64,
    /// End of the last match.
    match_end: u64,
}

/// Subscribes and receives everything until the daemon dies.
fn follow(daemon: &Daemon, session: &str) -> JoinHandle<u64> {
    let mut connection = daemon.connect();
    connection
        .call_value(
            "session.subscribe",
            &json!({"session": session, "since": 0}),
        )
        .unwrap();
    std::thread::spawn(move || {
        let mut end = 0;
        while let Some(line) = connection
            .take_notification()
            .or_else(|| connection.next_line_or_end())
        {
            let item = &line["params"]["result"];
            let Some(data) = item["data_b64"].as_str() else {
                end = item["lagged"]["to"].as_u64().unwrap();
                continue;
            };
            assert_eq!(item["start"], end);
            let data = STANDARD.decode(data).unwrap();
            assert_is_flood(end, &data);
            end += data.len() as u64;
        }
        end
    })
}

/// Expects one line of the flood after another until the daemon dies; sends to `begun` after each match.
fn expect_on(daemon: &Daemon, session: &str, begun: SyncSender<()>) -> JoinHandle<u64> {
    let mut connection = daemon.connect();
    let expect = json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "session.expect",
        "params": {"session": session, "patterns": [{"regex": "1[0-9]*000\n"}]},
    });
    std::thread::spawn(move || {
        let mut end = 0;
        while writeln!(connection.stream(), "{expect}").is_ok()
            && let Some(answer) = connection.next_line_or_end()
        {
            end = answer["result"]["end"].as_u64().unwrap();
            let _ = begun.try_send(());
        }
        end
    })
}

/// Waits for a fixed time and nothing else: the moment of the kill is to be random.
fn let_pass(time: Duration) {
    let until = Instant::now() + time;
    eventually("the time has passed", || {
        (Instant::now() >= until).then_some(())
    });
}

/// Returns the whole log of a session by file, with the offset of each.
fn log_files(daemon: &Daemon, session: &str) -> Vec<(u64, Vec<u8>)> {
    let folder = daemon.home().join("sessions").join(session);
    let mut rotated: Vec<(u64, Vec<u8>)> = fs::read_dir(&folder)
        .unwrap()
        .filter_map(|file| {
            let path = file.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            let start = name
                .strip_prefix("output-")?
                .strip_suffix(".log")?
                .parse()
                .unwrap();
            Some((start, fs::read(&path).unwrap()))
        })
        .collect();
    rotated.sort_unstable();
    let end = rotated
        .last()
        .map_or(0, |(start, bytes)| start + bytes.len() as u64);
    if let Ok(bytes) = fs::read(folder.join("output.log")) {
        rotated.push((end, bytes));
    }
    rotated
}

/// Returns false if the disk could not keep up: the log then has gaps, according to the record, and the round proves
/// nothing.
fn assert_nothing_is_lost(daemon: &Daemon, session: &str, told: &Told) -> bool {
    let record = daemon
        .call_value("session.get", &json!({"session": session}))
        .unwrap();
    assert_eq!(
        (&record["state"], &record["end_reason"]),
        (&json!("dead"), &json!("daemon_killed"))
    );
    assert!(
        record["signal"].is_null() && record["ended_at"].is_string(),
        "{record}"
    );
    if !record["output"]["gaps"].is_null() {
        return false;
    }
    let end = record["output"]["output_bytes"].as_u64().unwrap();
    assert!(
        end >= told.items_end && end >= told.match_end,
        "{end} < {told:?}"
    );
    let mut at = 0;
    for (start, bytes) in log_files(daemon, session) {
        assert_eq!(start, at, "the files of the log are contiguous");
        assert_is_flood(start, &bytes);
        at += bytes.len() as u64;
    }
    assert_eq!(at, end, "the record contains the length of the log");
    assert_eq!(
        record["output"]["output_lines"],
        end / LINE_BYTES,
        "{record}"
    );
    let last = json!({"session": session, "since": end.saturating_sub(5000), "raw": true});
    let piece = daemon.call_value("session.read", &last).unwrap();
    let bytes = STANDARD
        .decode(piece["data_b64"].as_str().unwrap())
        .unwrap();
    assert_is_flood(end.saturating_sub(5000), &bytes);
    assert_eq!(bytes.len() as u64, end.min(5000));
    true
}

fn assert_history_tells_of_the_kill(daemon: &Daemon, session: &str) {
    let row = eventually("the row is in the history", || {
        let reply = daemon
            .call_value("session.history", &json!({"session": session}))
            .unwrap();
        let rows = reply["interactions"].as_array().unwrap().clone();
        rows.into_iter().find(|row| row["action"] == "ERROR")
    });
    assert!(
        row.to_string().contains("killed") && row.to_string().contains("250 ms"),
        "{row}"
    );
}

#[test]
fn no_byte_that_anyone_was_told_of_is_lost() {
    let mut daemon = Daemon::builder()
        .config("{log_rotation_size: 1000000, max_sessions: 0}")
        .start();
    let mut proofs = 0;
    for round in 0..rounds() {
        let session = daemon.connect().start_session(&["sh", "-c", FLOOD]);
        let (begun, has_begun) = sync_channel(1);
        let follower = follow(&daemon, &session);
        let expecting = expect_on(&daemon, &session, begun);
        has_begun.recv().unwrap();
        // Spread over the time that a flush, a rotation and a commit take.
        let_pass(Duration::from_micros((round as u64 * 7919) % 60_000));
        daemon.kill();
        let told = Told {
            items_end: follower.join().unwrap(),
            match_end: expecting.join().unwrap(),
        };
        assert!(told.match_end > 0);
        daemon.restart();
        proofs += usize::from(assert_nothing_is_lost(&daemon, &session, &told));
        assert_history_tells_of_the_kill(&daemon, &session);
        let rings = fs::read_dir(daemon.home().join("run/ccd.sock.rings")).unwrap();
        assert_eq!(rings.count(), 0, "the content of the rings is in the log");
        let listed = daemon.call_value("session.list", &json!({})).unwrap();
        assert_eq!(
            listed["sessions"],
            json!([]),
            "a killed daemon's sessions are not live"
        );
    }
    let listed = daemon
        .call_value("session.list", &json!({"all": true}))
        .unwrap();
    assert_eq!(listed["sessions"].as_array().unwrap().len(), rounds());
    assert!(
        2 * proofs > rounds(),
        "the disk is too slow for this test: {proofs} proofs"
    );
}

#[test]
fn a_kill_while_sessions_start_leaves_nothing_half() {
    let mut daemon = Daemon::builder().config("{max_sessions: 0}").start();
    for round in 0..rounds() {
        let mut connection = daemon.connect();
        for number in 0..40 {
            let id = format!("r{round}-{number}");
            connection.request(
                "session.create",
                &json!({"program": "cat", "id": id, "persist": true}),
            );
        }
        let_pass(Duration::from_micros((round as u64 * 3571) % 20_000));
        daemon.kill();
        let answered: Vec<String> = std::iter::from_fn(|| connection.next_line_or_end())
            .map(|answer| answer["result"]["session_id"].as_str().unwrap().to_owned())
            .collect();
        daemon.restart();
        let mut connection = daemon.connect();
        for id in &answered {
            let record = connection
                .call_value("session.get", &json!({"session": id}))
                .unwrap();
            assert_eq!(record["end_reason"], "daemon_killed", "{id}");
        }
        let reply = connection
            .call_value("session.list", &json!({"all": true}))
            .unwrap();
        let listed = reply["sessions"].as_array().unwrap();
        eventually("every directory belongs to a session", || {
            let mut folders = fs::read_dir(daemon.home().join("sessions")).unwrap();
            let is_known = |name: String| listed.iter().any(|one| one["session_id"] == name);
            folders
                .all(|folder| is_known(folder.unwrap().file_name().into_string().unwrap()))
                .then_some(())
        });
        assert_eq!(
            fs::read_dir(daemon.home().join("run/ccd.sock.rings"))
                .unwrap()
                .count(),
            0
        );
        // Ids of interrupted starts can be used again.
        connection
            .call_value(
                "session.create",
                &json!({"program": "true", "id": format!("r{round}-39")}),
            )
            .unwrap();
        connection
            .call_value("session.cleanup", &json!({"force": true}))
            .unwrap();
    }
}

#[test]
fn the_cursor_and_what_was_read_before_survive_in_the_log() {
    let mut daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["cat"]);
    for number in 0..20 {
        let send = json!({"session": session, "text": format!("line {number}\r"), "expect": {"patterns": [{"exact": format!("line {number}\nline {number}\n")}]}});
        connection.call_value("session.send", &send).unwrap();
    }
    let before = connection
        .call_value("session.read", &json!({"session": session}))
        .unwrap();
    daemon.kill();
    daemon.restart();
    let after = daemon
        .call_value("session.read", &json!({"session": session}))
        .unwrap();
    assert_eq!(after, before);
    let old = daemon
        .call_value(
            "session.expect",
            &json!({"session": session, "patterns": [{"exact": "line 7"}], "from": 0}),
        )
        .unwrap();
    assert_eq!(old["matched"], "line 7");
}

#[test]
fn a_job_that_was_cut_off_has_failed_with_the_reason() {
    let mut daemon = Daemon::start();
    let mut connection = daemon.connect();
    for _ in 0..20 {
        connection.request("daemon.check", &json!({}));
    }
    connection.next_line().unwrap();
    daemon.kill();
    daemon.restart();
    let reply = daemon.call_value("job.list", &json!({})).unwrap();
    let jobs = reply["jobs"].as_array().unwrap();
    assert!(!jobs.is_empty());
    for job in jobs {
        match job["state"].as_str().unwrap() {
            "done" => {}
            "failed" => assert!(
                job["error"]["message"]
                    .as_str()
                    .unwrap()
                    .contains("before the job ended"),
                "{job}"
            ),
            other => panic!("a job of a killed daemon has the state {other}"),
        }
    }
}

#[test]
fn what_outlives_a_killed_daemon_is_ended_by_the_next() {
    let mut daemon = Daemon::start();
    let mut connection = daemon.connect();
    let mut start = |script: &str, ready: &str| {
        let session = connection.start_session(&["sh", "-c", script]);
        let expect = json!({"session": session, "patterns": [{"exact": ready}]});
        connection.call_value("session.expect", &expect).unwrap();
        session
    };
    let stubborn = start(
        "trap '' HUP TERM; echo ready; while :; do sleep 0.2; done",
        "ready",
    );
    let deaf = start("trap '' HUP; echo ready; exec sleep 600", "ready");
    let parent = start(
        "setsid sh -c 'echo left; exec sleep 600' & exec cat",
        "left",
    );
    let running = |session: &String| processes::with_variable(&format!("CCD_SESSION_ID={session}"));
    daemon.kill();
    eventually(
        "one process of the last session has received SIGHUP",
        || (running(&parent).len() == 1).then_some(()),
    );
    assert!(!running(&stubborn).is_empty() && !running(&deaf).is_empty());
    daemon.restart();
    for session in [stubborn, deaf, parent] {
        let left = running(&session);
        assert!(left.is_empty(), "{left:?} of {session}");
        let record = daemon
            .call_value("session.get", &json!({"session": session}))
            .unwrap();
        // Nobody has reaped the program.
        assert_eq!(
            (&record["state"], &record["exitstatus"], &record["signal"]),
            (&json!("dead"), &json!(null), &json!(null))
        );
    }
}
