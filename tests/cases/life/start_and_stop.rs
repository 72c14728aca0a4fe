//! Start and stop of the daemon: one per socket and base directory, and nothing is left behind.

use crate::support::client::Ran;
use crate::support::{Daemon, processes};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::time::{Duration, Instant};

fn assert_refused(ran: &Ran, words: &[&str]) {
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert_eq!(ran.stderr.lines().count(), 1, "{ran:?}");
    for word in words {
        assert!(ran.stderr.contains(word), "{word:?} is missing in {ran:?}");
    }
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
    assert!(
        ran.stderr.contains(&pid) && ran.stderr.contains(socket),
        "{ran:?}"
    );
    assert_eq!(daemon.call_value("daemon.ping", &json!({})), Ok(json!({})));
}

#[test]
fn a_base_directory_without_its_lock_file_is_still_taken() {
    let daemon = Daemon::start();
    let pid = format!("pid {}", daemon.pid());
    let mut connection = daemon.connect();
    let session = connection.start_session(&["cat"]);
    let (lock, other) = (
        daemon.home().join("ccd.lock"),
        daemon.home().join("other.sock"),
    );
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
        let record = daemon.call_value("session.get", &json!({"session": session}));
        assert_eq!(record.unwrap()["state"], "alive");
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
    assert_refused(
        &daemon.run_to_end(&[]),
        &[run.to_str().unwrap(), "symbolic link"],
    );
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
    fs::write(daemon.socket(), "precious").unwrap();
    assert_refused(
        &daemon.run_to_end(&[]),
        &["in the way", daemon.socket().to_str().unwrap()],
    );
    assert_eq!(fs::read_to_string(daemon.socket()).unwrap(), "precious");
    fs::remove_file(daemon.socket()).unwrap();
    let _listener = UnixListener::bind(daemon.socket()).unwrap();
    assert_refused(
        &daemon.run_to_end(&[]),
        &["another process listens", daemon.socket().to_str().unwrap()],
    );
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
        let params = json!({"session": session, "patterns": [{"exact": "ready"}]});
        connection.call_value("session.expect", &params).unwrap();
    }
    let socket = daemon.socket();
    let started = Instant::now();
    assert!(daemon.stop().success());
    assert!(
        started.elapsed() < Duration::from_secs(10),
        "{:?}",
        started.elapsed()
    );
    assert!(!socket.exists(), "the socket is removed");
    for session in &sessions {
        assert_eq!(
            processes::with_variable(&format!("CCD_SESSION_ID={session}")),
            [0; 0]
        );
    }
    assert_eq!(
        fs::read_dir(daemon.home().join("run/ccd.sock.rings"))
            .unwrap()
            .count(),
        0
    );
    daemon.restart();
    for session in &sessions {
        let record = daemon
            .call_value("session.get", &json!({"session": session}))
            .unwrap();
        assert_eq!(
            (&record["state"], &record["end_reason"]),
            (&json!("dead"), &json!("shutdown"))
        );
        assert!(
            record["exitstatus"].is_i64() || record["signal"].is_i64(),
            "{record}"
        );
    }
}

#[test]
fn stop_answers_first_and_then_ends() {
    let mut daemon = Daemon::start();
    let mut connection = daemon.connect();
    connection.start_session(&["cat"]);
    let pid = daemon.pid();
    let reply = connection.call_value("daemon.stop", &json!({})).unwrap();
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
    let params = json!({"session": session, "patterns": [{"exact": "kept"}]});
    connection.call_value("session.expect", &params).unwrap();
    daemon.signal(Signal::INT);
    assert!(daemon.wait_for_end().success());
    let wal = daemon.home().join("ccd.sqlite-wal");
    assert!(
        fs::metadata(&wal).map_or(0, |meta| meta.len()) == 0,
        "{wal:?} is not empty"
    );
    daemon.restart();
    let text = daemon
        .call_value("session.read", &json!({"session": session}))
        .unwrap();
    assert_eq!(text["text"], "kept\n");
    let history = daemon
        .call_value("session.history", &json!({"session": session}))
        .unwrap();
    let actions: Vec<&Value> = history["interactions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row["action"])
        .collect();
    assert!(
        actions.contains(&&json!("START")) && actions.contains(&&json!("EXPECT")),
        "{history}"
    );
}
