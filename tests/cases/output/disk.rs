//! Problems with the disk of a session's log: the session continues, and the loss is reported.

use crate::support::{Daemon, assert_has, assert_lacks, eventually, processes};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Reads at most so many bytes from an offset on; returns them with the reply.
fn read_raw(daemon: &Daemon, session: &str, since: u64, max_bytes: u64) -> (Vec<u8>, Value) {
    let params = json!({"session": session, "since": since, "max_bytes": max_bytes, "raw": true});
    let reply = daemon.ok("session.read", &params);
    let bytes = STANDARD.decode(reply["data_b64"].as_str().unwrap());
    (bytes.unwrap(), reply)
}

/// Starts a shell without echo, so that the output is only what its commands print.
pub(super) fn shell(daemon: &Daemon) -> String {
    let script = "stty -echo -onlcr; printf ready; while read -r line; do eval \"$line\"; done";
    let mut connection = daemon.connect();
    let session = connection.start_session(&["sh", "-c", script]);
    let params = json!({"session": session, "patterns": [{"exact": "ready"}]});
    connection.ok("session.expect", &params);
    session
}

/// Runs a command in the shell, and waits until `marker` is printed at its end.
pub(super) fn run(daemon: &Daemon, session: &str, command: &str, marker: &str) {
    let line = format!("{command}; echo; echo {marker}\n");
    let patterns = json!([{"exact": format!("\n{marker}\n")}]);
    let send = json!({"session": session, "text": line, "expect": {"patterns": patterns}});
    daemon.ok("session.send", &send);
}

/// Waits until the log of a session ends with this text.
pub(super) fn is_logged(daemon: &Daemon, session: &str, end: &str) {
    let log = daemon
        .home()
        .join("sessions")
        .join(session)
        .join("output.log");
    eventually("it is logged", || {
        let text = fs::read(&log).ok()?;
        text.ends_with(end.as_bytes()).then_some(())
    });
}

/// A small file system for one test; unmounted at the end.
pub(crate) struct SmallDisk(PathBuf);

impl SmallDisk {
    /// Mounts one; `None` if that is not allowed.
    pub(crate) fn mount(folder: &Path, bytes: u64) -> Option<Self> {
        fs::create_dir_all(folder).unwrap();
        let is_root = rustix::process::geteuid().is_root();
        let options = format!("size={bytes},mode=0700");
        let mount = || {
            Command::new("mount")
                .args(["-t", "tmpfs", "-o", &options, "ccd-test"])
                .arg(folder)
                .output()
        };
        if !is_root || !mount().is_ok_and(|output| output.status.success()) {
            eprintln!("skipped: a small file system cannot be mounted here");
            return None;
        }
        Some(Self(folder.to_owned()))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // The daemon may still have files open there, so the file system is detached at once, and freed with them.
        let unmounted = Command::new("umount").arg("--lazy").arg(&self.0).status();
        assert!(unmounted.is_ok_and(|status| status.success()) || std::thread::panicking());
    }
}

#[test]
fn a_full_disk_costs_log_and_nothing_else() {
    let mut daemon = Daemon::builder().prepare();
    let folder = daemon.home().join("sessions");
    let Some(_disk) = SmallDisk::mount(&folder, 2 << 20) else {
        return;
    };
    daemon.restart();
    let mut connection = daemon.connect();
    let session = shell(&daemon);
    run(&daemon, &session, "yes 0123456 | head -c 1000000", "first");
    assert_eq!(connection.record(&session)["output"]["gaps"], Value::Null);
    // Eight times what memory and disk hold together: if the session waited for the disk, it would hang.
    let flood = "yes 7654321 | head -c 48000000";
    run(&daemon, &session, flood, "second");
    let offset = eventually("the loss is reported", || {
        let record = connection.record(&session);
        let offset = record["output"]["gaps"].as_array()?.last()?["offset"].as_u64()?;
        let (bytes, reply) = read_raw(&daemon, &session, offset, 1000);
        // A write that was only slow is not a loss in the end.
        let skipped = reply["end"].as_u64()? - offset - bytes.len() as u64;
        (skipped > 0 && reply["omitted_bytes"].as_u64()? >= skipped).then_some(offset)
    });
    assert!(offset >= 1_000_000, "{offset}");
    let status = connection.ok("daemon.status", &json!({}));
    assert_has(&status["last_errors"], [&session, "not logged"]);
    let history = connection.ok("session.history", &json!({"session": session}));
    assert_has(&history, [r#""action":"ERROR""#]);

    // Bytes on disk are read at their offsets; lost ones are not replaced by anything.
    let (start, _) = read_raw(&daemon, &session, 5, 8000);
    assert_eq!(start, b"0123456\n".repeat(1000));

    remount_larger(&folder);
    run(&daemon, &session, "yes abcdefg | head -c 800000", "third");
    let record = connection.record(&session);
    let end = record["output"]["output_bytes"].as_u64().unwrap();
    let gap = record["output"]["gaps"].as_array().unwrap().last().unwrap();
    let gap_end = gap["offset"].as_u64().unwrap() + gap["length"].as_u64().unwrap();
    // It is logged again once there is room.
    assert!(gap_end <= end - 800_000, "{record}");
    connection.ok("session.close", &json!({"session": session}));
    let (bytes, reply) = read_raw(&daemon, &session, end - 7 - 8000, 8000);
    assert_eq!(reply["omitted_bytes"], 7);
    assert_eq!(bytes, b"abcdefg\n".repeat(1000));
    daemon.stop();
    daemon.restart();
    let after = daemon.ok("session.get", &json!({"session": session}));
    // The next daemon knows the gaps.
    assert_eq!(after["output"]["gaps"], record["output"]["gaps"]);
    daemon.stop();
}

#[test]
fn a_limit_on_file_sizes_is_a_full_disk_for_the_daemon_and_a_signal_for_programs() {
    let daemon = Daemon::builder().file_limit(1 << 20).start();
    let mut connection = daemon.connect();
    let pid = connection.ok("daemon.status", &json!({}))["pid"].clone();
    let session = shell(&daemon);
    run(&daemon, &session, "yes 0123456 | head -c 3000000", "first");
    let gap = eventually("the loss is reported", || {
        let record = connection.record(&session);
        record["output"]["gaps"].as_array()?.first().cloned()
    });
    let offset = gap["offset"].as_u64().unwrap();
    // The write that does not fit is left out as a whole.
    assert!((500_000..=1 << 20).contains(&offset), "{gap}");
    eventually("the history names the limit", || {
        let history = json!({"session": session});
        let history = connection.ok("session.history", &history);
        history.to_string().contains("(ulimit -f)").then_some(())
    });
    let logged = json!({"session": session, "since": 5, "max_bytes": 16});
    let read = connection.ok("session.read", &logged);
    assert_eq!(read["text"], "0123456\n0123456\n");

    let status = "status=$(head -c 2000000 /dev/zero > \"$HOME/large\"; echo $?)";
    let home = daemon.home().display();
    let command = format!("HOME={home}; {status}; echo \"<$status>\"");
    run(&daemon, &session, &command, "second");
    let last = json!({"session": session, "lines": 3});
    let read = connection.ok("session.read", &last);
    assert_has(&read["text"], [format!("<{}>", 128 + libc::SIGXFSZ)]);
    let status = connection.ok("daemon.status", &json!({}));
    assert_eq!(status["pid"], pid, "the same worker serves");
}

#[test]
fn a_database_that_reaches_the_limit_on_file_sizes_names_the_limit() {
    let daemon = Daemon::builder().file_limit(96 << 10).prepare();
    let ran = daemon.run_to_end(&[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let parts = ["ccd.sqlite", "larger than 98304 bytes", "(ulimit -f)"];
    assert_has(&ran.stderr, parts);
    assert_lacks(&ran.stderr, ["disk is full"]);
}

fn remount_larger(folder: &Path) {
    let status = Command::new("mount")
        .args(["-o", "remount,size=64m"])
        .arg(folder)
        .status()
        .unwrap();
    assert!(status.success());
}

/// Writes a file until the disk is full.
pub(crate) fn fill(file: &Path) {
    let mut file = fs::File::create(file).unwrap();
    while file.write_all(&[0; 512]).is_ok() {}
}

#[test]
fn a_full_disk_under_the_database_is_told_and_leaves_no_program() {
    let place = tempfile::tempdir().unwrap();
    let base = place.path().join("base");
    let Some(_disk) = SmallDisk::mount(&base, 3 << 20) else {
        return;
    };
    let daemon = Daemon::builder()
        .env("CCD_HOME", base.to_str().unwrap())
        .socket(&place.path().join("ccd.sock"))
        .start();
    let mut connection = daemon.connect();
    let session = shell(&daemon);
    let filler = base.join("filler");
    fill(&filler);
    run(&daemon, &session, "seq 1 100000", "counted");
    let start =
        json!({"program": "sleep", "args": ["600"], "id": "no-room-4711", "name": "wanted"});
    for _ in 0..3 {
        let message = connection.refused("session.create", &start, "storage");
        let told = "its disk is full, or the quota on it is used up; free some space";
        assert_has(&message, ["base/ccd.sqlite", told]);
        let left = processes::with_variable("CCD_SESSION_ID=no-room-4711");
        assert!(left.is_empty(), "{left:?}");
        let all = connection.call_value("session.list", &json!({"all": true}));
        assert_eq!(all.unwrap()["sessions"].as_array().unwrap().len(), 1);
        assert!(!base.join("sessions/no-room-4711").exists());
    }
    // Its holder removes a ring in its own time.
    eventually("only the live session has a ring", || {
        let rings = fs::read_dir(place.path().join("ccd.sock.rings")).unwrap();
        (rings.count() == 1).then_some(())
    });

    fs::remove_file(&filler).unwrap();
    let started = connection.ok("session.create", &start);
    assert_eq!(started["state"], "alive");
    let closed = connection.call_value("session.cleanup", &json!({"force": true}));
    assert_eq!(closed.unwrap()["removed"], 2);
}

#[test]
fn a_log_folder_that_is_removed_while_the_session_runs_is_made_again() {
    let mut daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = shell(&daemon);
    run(&daemon, &session, "echo before", "first");
    let folder = daemon.home().join("sessions").join(&session);
    is_logged(&daemon, &session, "first\n");
    fs::remove_dir_all(&folder).unwrap();
    run(&daemon, &session, "echo after", "second");
    is_logged(&daemon, &session, "second\n");
    // Output that is in no file any more is reported as a gap; memory still has it, even after the end of the session.
    let lost = "readybefore\n\nfirst\n".len();
    let gaps = json!([{"offset": 0, "length": lost}]);
    assert_eq!(connection.record(&session)["output"]["gaps"], gaps);
    let all = "readybefore\n\nfirst\nafter\n\nsecond\n";
    let read = connection.ok("session.read", &json!({"session": session}));
    assert_eq!(read["text"], all);
    connection.ok("session.close", &json!({"session": session}));
    let from_start = json!({"session": session, "since": 0});
    let read = connection.ok("session.read", &from_start);
    assert_eq!(read["text"], all);
    // The next daemon has only the log.
    daemon.stop();
    daemon.restart();
    let mut connection = daemon.connect();
    assert_eq!(connection.record(&session)["output"]["gaps"], gaps);
    let read = connection.ok("session.read", &from_start);
    assert_eq!(read["text"], "after\n\nsecond\n");
    assert_eq!(read["omitted_bytes"], lost);
    assert_eq!(read["start"], lost);
}

#[test]
fn a_session_without_any_place_for_its_log_goes_on() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = shell(&daemon);
    let folder = daemon.home().join("sessions");
    // The daemon writes into the directory and creates it again, until a file takes its place.
    eventually("a file is in the way", || {
        let _ = fs::remove_dir_all(&folder);
        fs::write(&folder, "a file in the way").ok()
    });
    run(&daemon, &session, "yes | head -c 3000000", "first");
    run(&daemon, &session, "echo on and on", "second");
    let read = connection.ok("session.read", &json!({"session": session, "lines": 4}));
    assert_eq!(read["text"], "first\non and on\n\nsecond\n");
    let record = connection.record(&session);
    assert!(record["output"]["gaps"][0].is_object(), "{record}");
    fs::remove_file(&folder).unwrap();
    run(&daemon, &session, "echo logged again", "third");
    is_logged(&daemon, &session, "third\n");
}
