//! Start and stop of the daemon: one per socket and base directory, and nothing is left behind.

use crate::support::client::Ran;
use crate::support::files::files;
use crate::support::{Daemon, assert_fields, assert_has, processes};
use rustix::process::Signal;
use serde_json::json;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::time::{Duration, Instant};

fn assert_refused(ran: &Ran, words: &[&str]) {
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert_eq!(ran.stderr.lines().count(), 1, "{ran:?}");
    assert_has(&ran.stderr, words);
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().mode() & 0o7777
}

#[test]
fn a_second_daemon_of_a_base_directory_or_a_socket_names_the_first_and_ends() {
    let daemon = Daemon::start();
    let pid = format!("pid {}", daemon.pid());
    let socket = daemon.socket();
    let socket = socket.to_str().unwrap();
    assert_refused(&daemon.run_to_end(&[]), &["already running", &pid, socket]);
    let other = daemon.home().join("other.sock");
    let ran = daemon.run_to_end(&["--socket", other.to_str().unwrap()]);
    assert_refused(&ran, &["already running", &pid]);
    assert!(!other.exists());
    let other = Daemon::builder().socket(&daemon.socket()).prepare();
    assert_refused(&other.run_to_end(&[]), &["already running", &pid]);
    let ran = daemon.run_to_end(&["--if-not-running"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_has(&ran.stderr, [&pid, socket]);
    daemon.ping();
}

#[test]
fn a_base_directory_without_its_lock_file_is_still_taken() {
    let daemon = Daemon::start();
    let pid = format!("pid {}", daemon.pid());
    let mut connection = daemon.connect();
    let session = connection.start_session(&["cat"]);
    let [lock, other] = ["ccd.lock", "other.sock"].map(|name| daemon.home().join(name));
    for also_without_socket in [false, true] {
        fs::remove_file(&lock).unwrap();
        if also_without_socket {
            fs::remove_file(daemon.socket()).unwrap();
            fs::remove_file(daemon.home().join("run/ccd.sock.lock")).unwrap();
        }
        let ran = daemon.run_to_end(&["--socket", other.to_str().unwrap()]);
        let socket = daemon.socket();
        assert_refused(&ran, &["already running", &pid, socket.to_str().unwrap()]);
        assert!(!other.exists());
        assert_eq!(connection.record(&session)["state"], "alive");
    }
}

#[test]
fn everything_is_for_its_user_alone() {
    let daemon = Daemon::start();
    daemon.connect().start_session(&["echo", "secret"]);
    assert_eq!(mode(&daemon.socket()), 0o600);
    let mut folders = vec![daemon.home().to_owned()];
    while let Some(folder) = folders.pop() {
        assert_eq!(mode(&folder), 0o700, "{folder:?}");
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            // Belongs to the test.
            if path.ends_with("daemon-output") {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else {
                assert_eq!(mode(&path) & 0o077, 0, "{path:?}");
            }
        }
    }
}

#[test]
fn a_directory_that_others_can_change_and_a_path_that_is_too_long_are_refused() {
    let daemon = Daemon::builder().prepare();
    let run = daemon.home().join("run");
    symlink("/tmp", &run).unwrap();
    let ran = daemon.run_to_end(&[]);
    assert_refused(&ran, &[run.to_str().unwrap(), "symbolic link"]);
    fs::remove_file(&run).unwrap();
    let shared = daemon.home().join("shared");
    fs::create_dir(&shared).unwrap();
    fs::set_permissions(&shared, Permissions::from_mode(0o777)).unwrap();
    let ran = daemon.run_to_end(&["--socket", shared.join("s").to_str().unwrap()]);
    assert_refused(&ran, &[shared.to_str().unwrap(), "others"]);
    let path = daemon.home().join("x".repeat(120));
    let ran = daemon.run_to_end(&["--socket", path.to_str().unwrap()]);
    let length = path.as_os_str().len().to_string();
    assert_refused(&ran, &["104", &length, "CCD_SOCKET"]);
}

#[test]
fn what_is_in_the_way_of_the_socket_is_left_alone() {
    let daemon = Daemon::builder().prepare();
    fs::create_dir(daemon.home().join("run")).unwrap();
    let socket = daemon.socket();
    let named = socket.to_str().unwrap();
    fs::write(&socket, "precious").unwrap();
    assert_refused(&daemon.run_to_end(&[]), &["in the way", named]);
    assert_eq!(fs::read_to_string(&socket).unwrap(), "precious");
    fs::remove_file(&socket).unwrap();
    let _listener = UnixListener::bind(&socket).unwrap();
    let ran = daemon.run_to_end(&[]);
    assert_refused(&ran, &["another process listens", named]);
}

#[test]
fn sigterm_ends_every_session_within_ten_seconds() {
    let mut daemon = Daemon::start();
    let mut connection = daemon.connect();
    let stubborn = "trap '' TERM HUP INT; echo ready; while :; do sleep 1; done";
    let sessions = [
        connection.start_session(&["cat"]),
        connection.start_session(&["sh", "-c", stubborn]),
        connection.start_session(&["bash", "-c", "setsid sleep 4321 & echo ready; wait"]),
    ];
    for session in &sessions[1..] {
        connection.expect_text(session, "ready");
    }
    let started = Instant::now();
    assert!(daemon.stop().success());
    let took = started.elapsed();
    assert!(took < Duration::from_secs(10), "{took:?}");
    assert!(!daemon.socket().exists(), "the socket is removed");
    for session in &sessions {
        let marked = format!("CCD_SESSION_ID={session}");
        assert_eq!(processes::with_variable(&marked), [0; 0]);
    }
    assert_eq!(files(&daemon.home().join("run/ccd.sock.rings")).len(), 0);
    daemon.restart();
    for session in &sessions {
        let record = daemon.connect().record(session);
        assert_fields(&record, json!({"state": "dead", "end_reason": "shutdown"}));
        let has_status = record["exitstatus"].is_i64() || record["signal"].is_i64();
        assert!(has_status, "{record}");
    }
}

#[test]
fn stop_answers_first_and_then_ends() {
    let mut daemon = Daemon::start();
    let mut connection = daemon.connect();
    connection.start_session(&["cat"]);
    let pid = daemon.pid();
    let reply = connection.ok("daemon.stop", &json!({}));
    assert_eq!(reply, json!({"pid": pid, "sessions": 1}));
    assert_eq!(connection.next_line(), None);
    assert!(daemon.wait_for_end().success());
    assert!(!daemon.socket().exists());
}

#[test]
fn sigint_checkpoints_the_database_and_keeps_the_output() {
    let mut daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["sh", "-c", "echo kept; sleep 1000"]);
    connection.expect_text(&session, "kept");
    daemon.signal(Signal::INT);
    assert!(daemon.wait_for_end().success());
    let wal = fs::metadata(daemon.home().join("ccd.sqlite-wal"));
    assert_eq!(wal.map_or(0, |wal| wal.len()), 0);
    daemon.restart();
    let params = json!({"session": session});
    assert_eq!(daemon.ok("session.read", &params)["text"], "kept\n");
    let history = daemon.ok("session.history", &params);
    let rows = history["interactions"].as_array().unwrap();
    for action in ["START", "EXPECT"] {
        assert!(rows.iter().any(|row| row["action"] == action), "{history}");
    }
}
