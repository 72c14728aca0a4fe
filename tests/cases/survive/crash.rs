//! `kill -9` of the daemon, at any moment: nothing that a client has been told is lost.

use crate::support::files::files;
use crate::support::{Daemon, any_moment, eventually, processes, rounds};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

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

/// Makes a call that must not fail.
#[track_caller]
fn ask(daemon: &Daemon, method: &str, params: Value) -> Value {
    daemon.ok(method, &params)
}

fn rings(daemon: &Daemon) -> usize {
    let rings = fs::read_dir(daemon.home().join("run/ccd.sock.rings"));
    rings.unwrap().count()
}

/// Subscribes and receives everything until the daemon dies.
fn follow(daemon: &Daemon, session: &str) -> JoinHandle<u64> {
    let mut connection = daemon.connect();
    let subscribe = json!({"session": session, "since": 0});
    connection.ok("session.subscribe", &subscribe);
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
    let params = json!({"session": session, "patterns": [{"regex": "1[0-9]*000\n"}]});
    let expect = json!({"jsonrpc": "2.0", "id": 1, "method": "session.expect", "params": params});
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

/// Asserts that the files of a session's log follow each other, and returns their length.
fn assert_log_is_flood(daemon: &Daemon, session: &str) -> u64 {
    let folder = daemon.home().join("sessions").join(session);
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    let start = |path: &Path| {
        let name = name(path);
        let start = name.strip_prefix("output-")?.strip_suffix(".log")?;
        Some(start.parse::<u64>().unwrap())
    };
    let mut rotated: Vec<_> = files(&folder)
        .into_iter()
        .filter_map(|path| Some((start(&path)?, path)))
        .collect();
    rotated.sort_unstable();
    let mut at = 0;
    for (start, path) in rotated {
        assert_eq!(start, at, "the files of the log are contiguous");
        let bytes = fs::read(path).unwrap();
        assert_is_flood(start, &bytes);
        at += bytes.len() as u64;
    }
    let last = fs::read(folder.join("output.log")).unwrap_or_default();
    assert_is_flood(at, &last);
    at + last.len() as u64
}

/// Returns false if the disk could not keep up: the log then has gaps, according to the record, and the round proves
/// nothing. Clients were told of the output up to `told`.
fn assert_nothing_is_lost(daemon: &Daemon, session: &str, told: u64) -> bool {
    let record = ask(daemon, "session.get", json!({"session": session}));
    let end = (&record["state"], &record["end_reason"]);
    assert_eq!(end, (&json!("dead"), &json!("daemon_killed")));
    assert!(record["signal"].is_null(), "{record}");
    assert!(record["ended_at"].is_string(), "{record}");
    let output = &record["output"];
    if !output["gaps"].is_null() {
        return false;
    }
    let end = output["output_bytes"].as_u64().unwrap();
    assert!(end >= told, "{end} < {told}");
    let len = assert_log_is_flood(daemon, session);
    assert_eq!(len, end, "the record contains the length of the log");
    assert_eq!(output["output_lines"], end / LINE_BYTES, "{record}");
    let since = end.saturating_sub(5000);
    let last = json!({"session": session, "since": since, "raw": true});
    let piece = ask(daemon, "session.read", last);
    let bytes = STANDARD.decode(piece["data_b64"].as_str().unwrap());
    let bytes = bytes.unwrap();
    assert_is_flood(since, &bytes);
    assert_eq!(bytes.len() as u64, end.min(5000));
    true
}

fn assert_history_tells_of_the_kill(daemon: &Daemon, session: &str) {
    let row = eventually("the row is in the history", || {
        let reply = ask(daemon, "session.history", json!({"session": session}));
        let mut rows = reply["interactions"].as_array().unwrap().iter();
        let row = rows.find(|row| row["action"] == "ERROR");
        row.map(ToString::to_string)
    });
    assert!(row.contains("killed") && row.contains("250 ms"), "{row}");
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
        // The time that a flush, a rotation and a commit take.
        any_moment(round, Duration::from_millis(60));
        daemon.kill();
        let (items_end, match_end) = (follower.join().unwrap(), expecting.join().unwrap());
        assert!(match_end > 0);
        daemon.restart();
        let told = items_end.max(match_end);
        proofs += usize::from(assert_nothing_is_lost(&daemon, &session, told));
        assert_history_tells_of_the_kill(&daemon, &session);
        assert_eq!(rings(&daemon), 0, "their content is in the log");
        assert_eq!(daemon.listed(false), [""; 0], "they are not live");
    }
    assert_eq!(daemon.listed(true).len(), rounds());
    assert!(2 * proofs > rounds(), "too slow a disk: {proofs} proofs");
}

#[test]
fn a_kill_while_sessions_start_leaves_nothing_half() {
    let mut daemon = Daemon::builder().config("{max_sessions: 0}").start();
    for round in 0..rounds() {
        let mut connection = daemon.connect();
        for number in 0..40 {
            let id = format!("r{round}-{number}");
            let create = json!({"program": "cat", "id": id, "persist": true});
            connection.request("session.create", &create);
        }
        any_moment(round, Duration::from_millis(20));
        daemon.kill();
        let answered: Vec<String> = std::iter::from_fn(|| connection.next_line_or_end())
            .map(|answer| answer["result"]["session_id"].as_str().unwrap().to_owned())
            .collect();
        daemon.restart();
        for id in &answered {
            let record = ask(&daemon, "session.get", json!({"session": id}));
            assert_eq!(record["end_reason"], "daemon_killed", "{id}");
        }
        let listed = daemon.listed(true);
        eventually("every directory belongs to a session", || {
            let mut folders = fs::read_dir(daemon.home().join("sessions")).unwrap();
            let is_known = |name| listed.contains(&name);
            folders
                .all(|folder| is_known(folder.unwrap().file_name().into_string().unwrap()))
                .then_some(())
        });
        assert_eq!(rings(&daemon), 0);
        // Ids of interrupted starts can be used again.
        let again = json!({"program": "true", "id": format!("r{round}-39")});
        ask(&daemon, "session.create", again);
        ask(&daemon, "session.cleanup", json!({"force": true}));
    }
}

#[test]
fn the_cursor_and_what_was_read_before_survive_in_the_log() {
    let mut daemon = Daemon::start();
    let session = daemon.open("cat", &[]);
    for number in 0..20 {
        let line = format!("line {number}");
        session.ask(&line, &format!("{line}\n{line}\n"));
    }
    let session = session.id().to_owned();
    let read = |daemon: &Daemon| ask(daemon, "session.read", json!({"session": session}));
    let before = read(&daemon);
    daemon.kill();
    daemon.restart();
    assert_eq!(read(&daemon), before);
    let expect = json!({"session": session, "patterns": [{"exact": "line 7"}], "from": 0});
    assert_eq!(ask(&daemon, "session.expect", expect)["matched"], "line 7");
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
    let reply = ask(&daemon, "job.list", json!({}));
    let jobs = reply["jobs"].as_array().unwrap();
    assert!(!jobs.is_empty());
    for job in jobs {
        let error = job["error"]["message"].as_str().unwrap_or_default();
        match job["state"].as_str().unwrap() {
            "done" => {}
            "failed" => assert!(error.contains("before the job ended"), "{job}"),
            other => panic!("a job of a killed daemon has the state {other}"),
        }
    }
}

#[test]
fn what_outlives_a_killed_daemon_is_ended_by_the_next() {
    let mut daemon = Daemon::start();
    let start = |script: &str| {
        let session = daemon.open("sh", &["-c", script]);
        session.expect("ready");
        session.id().to_owned()
    };
    let stubborn = start("trap '' HUP TERM; echo ready; while :; do sleep 0.2; done");
    let deaf = start("trap '' HUP; echo ready; exec sleep 600");
    let parent = start("setsid sh -c 'echo ready; exec sleep 600' & exec cat");
    let running = |session: &String| processes::with_variable(&format!("CCD_SESSION_ID={session}"));
    daemon.kill();
    eventually(
        "one process of the last session has received SIGHUP",
        || (running(&parent).len() == 1).then_some(()),
    );
    assert!(!running(&stubborn).is_empty() && !running(&deaf).is_empty());
    daemon.restart();
    for session in [stubborn, deaf, parent] {
        assert_eq!(running(&session), [0; 0], "{session}");
        let record = ask(&daemon, "session.get", json!({"session": session}));
        assert_eq!(record["state"], "dead");
        // Nobody has reaped the program.
        assert!(record["exitstatus"].is_null() && record["signal"].is_null());
    }
}
