//! A daemon that starts on a full disk: old sessions can be read and removed, and it works as soon as there is room.

use super::disk::{SmallDisk, fill, run, shell};
use crate::support::client::Ran;
use crate::support::files::logged_bytes;
use crate::support::{Ccctl, Daemon, assert_fields, assert_has, eventually};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

/// The exit status of `ccctl` for errors of the disk.
const STORAGE: i32 = 1;

/// A daemon with its base directory on a small disk, with one ended session of half a megabyte.
struct Used {
    daemon: Daemon,
    session: String,
    filler: PathBuf,
    _disk: SmallDisk,
    _place: TempDir,
}

fn used() -> Option<Used> {
    let place = tempfile::tempdir().unwrap();
    let base = place.path().join("base");
    let disk = SmallDisk::mount(&base, 3 << 20)?;
    let daemon = Daemon::builder()
        .env("CCD_HOME", base.to_str().unwrap())
        .socket(&place.path().join("ccd.sock"))
        .start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["seq", "1", "90000"]);
    connection.ended(&session);
    // It returns once the rows are written.
    let history = json!({"session": session});
    connection.ok("session.history", &history);
    Some(Used {
        daemon,
        session,
        filler: base.join("filler"),
        _disk: disk,
        _place: place,
    })
}

impl Used {
    fn restart_on_a_full_disk(&mut self) {
        fill(&self.filler);
        self.daemon.restart();
    }

    fn ccctl(&self, args: &[&str]) -> Ran {
        let mut ccctl = Ccctl::new(&self.daemon).command(args);
        let socket = self.daemon.socket();
        Ran::of(ccctl.env("CCD_SOCKET", socket).output().unwrap())
    }

    /// Runs `ccctl`, asserts that it succeeds, and returns its standard output.
    fn ok(&self, args: &[&str]) -> String {
        let ran = self.ccctl(args);
        assert_eq!(ran.code, Some(0), "ccctl {args:?}: {}", ran.stderr);
        ran.stdout
    }

    /// Asserts that the session is listed, and its output and history can be read.
    fn assert_can_be_read(&self) {
        let listed = self.ok(&["session", "list", "--all"]);
        assert_has(&listed, [&self.session]);
        let read = self.ok(&["session", "read", &self.session, "--lines", "3"]);
        assert!(read.contains("89999"), "{read}");
        let history = json!({"session": self.session});
        let history = self.daemon.ok("session.history", &history);
        assert!(history.to_string().contains("seq 1 90000"), "{history}");
    }

    fn assert_cannot_be_created(&self) {
        let create = self.ccctl(&["session", "create", "sleep", "600"]);
        assert_eq!(create.code, Some(STORAGE), "{create:?}");
        let told = ["base/ccd.sqlite", "its disk is full"];
        assert_has(&create.stderr, told);
        assert_has(&create.stderr, ["ccctl session cleanup"]);
        let all = self.daemon.ok("session.list", &json!({"all": true}));
        assert_eq!(all["sessions"].as_array().unwrap().len(), 1);
    }

    /// Fills the disk, and what room the files of the database have.
    fn fill_with_database(&self) {
        fill(&self.filler);
        eventually("the database is full", || {
            let start = json!({"program": "true"});
            self.daemon.call_value("session.create", &start).err()
        });
    }

    fn listed(&self) -> Vec<String> {
        let all = self.daemon.ok("session.list", &json!({"all": true}));
        let all = all["sessions"].as_array().unwrap().iter();
        all.map(|session| session["session_id"].as_str().unwrap().to_owned())
            .collect()
    }

    fn assert_can_be_created(&self) {
        let start = json!({"program": "sleep", "args": ["600"]});
        eventually("a session can be created", || {
            self.daemon.call_value("session.create", &start).ok()
        });
    }
}

#[test]
fn a_daemon_that_starts_on_a_full_disk_can_be_read_and_a_cleanup_makes_room() {
    let Some(mut used) = used() else {
        return;
    };
    used.daemon.stop();
    used.restart_on_a_full_disk();
    used.assert_can_be_read();
    used.assert_cannot_be_created();
    used.ok(&["session", "cleanup"]);
    let listed = used.ok(&["session", "list", "--all"]);
    assert!(!listed.contains(&used.session), "{listed}");
    used.assert_can_be_created();
    assert_is_sound(&mut used);
}

#[test]
fn a_cleanup_on_a_full_disk_makes_the_room_that_it_needs_or_says_that_sessions_stay() {
    let Some(mut used) = used() else {
        return;
    };
    used.ok(&["session", "cleanup"]);
    let run = |program: &[&str]| {
        let mut connection = used.daemon.connect();
        let session = connection.start_session(program);
        connection.ended(&session);
        session
    };
    // The oldest leaves nothing whose removal would make room.
    run(&["true"]);
    run(&["seq", "1", "90000"]);
    used.fill_with_database();
    used.ok(&["session", "cleanup"]);
    assert_eq!(used.listed(), Vec::<String>::new());

    let session = run(&["true"]);
    used.fill_with_database();
    let cleanup = used.ccctl(&["session", "cleanup"]);
    assert_eq!(cleanup.code, Some(STORAGE), "{cleanup:?}");
    assert_has(&cleanup.stderr, ["still listed", "its disk is full"]);
    assert_has(&cleanup.stderr, ["once there is room, repeat"]);
    assert!(used.listed().contains(&session));
    fs::remove_file(&used.filler).unwrap();
    used.ok(&["session", "cleanup"]);
    used.daemon.stop();
    used.daemon.restart();
    assert_eq!(used.listed(), Vec::<String>::new());
}

#[test]
fn a_daemon_that_was_killed_starts_on_a_full_disk() {
    let Some(mut used) = used() else {
        return;
    };
    let sleeps = used.daemon.connect().start_session(&["sleep", "600"]);
    used.daemon.kill();
    used.restart_on_a_full_disk();
    used.assert_can_be_read();
    let record = used.daemon.connect().record(&sleeps);
    assert_eq!(record["end_reason"], "daemon_killed");
    fs::remove_file(&used.filler).unwrap();
    used.assert_can_be_created();
    assert_is_sound(&mut used);
    // The first daemon could not record it.
    let record = used.daemon.connect().record(&sleeps);
    assert_eq!(record["end_reason"], "daemon_killed");
}

/// Starts a program that prints two megabytes on a full disk; returns its session.
fn print_on_a_full_disk(used: &Used) -> String {
    let session = shell(&used.daemon);
    fill(&used.filler);
    let command = "yes 0123456 | head -c 2000000";
    run(&used.daemon, &session, command, "printed");
    session
}

/// Asserts that the session ended for this reason, and that its output is as long as before, with what is in no log as a gap.
fn assert_ended(used: &Used, session: &str, reason: &str, before: &Value) {
    let record = used.daemon.connect().record(session);
    let output = json!({"output_bytes": before["output"]["output_bytes"]});
    assert_fields(
        &record,
        json!({"end_reason": reason, "signal": 1, "output": output}),
    );
    let gaps = record["output"]["gaps"].as_array().unwrap();
    let missing: u64 = gaps.iter().filter_map(|gap| gap["length"].as_u64()).sum();
    let logged = logged_bytes(record["output"]["log_path"].as_str().unwrap());
    let all = record["output"]["output_bytes"].as_u64().unwrap();
    assert_eq!(logged + missing, all, "{record}");
    assert!(missing > 1_000_000, "{record}");
}

#[test]
fn the_end_of_a_session_on_a_full_disk_is_recorded_by_the_next_start() {
    let Some(mut used) = used() else {
        return;
    };
    let session = print_on_a_full_disk(&used);
    let before = used.daemon.connect().record(&session);
    assert!(used.daemon.stop().success());
    // Once while the disk is still full, then for good.
    used.daemon.restart();
    assert_ended(&used, &session, "shutdown", &before);
    used.daemon.stop();
    fs::remove_file(&used.filler).unwrap();
    for _ in 0..2 {
        used.daemon.restart();
        assert_ended(&used, &session, "shutdown", &before);
        used.daemon.stop();
    }
}

#[test]
fn the_end_of_a_session_on_a_full_disk_is_recorded_once_there_is_room() {
    let Some(mut used) = used() else {
        return;
    };
    let session = print_on_a_full_disk(&used);
    let mut connection = used.daemon.connect();
    let before = connection.record(&session);
    let close = json!({"session": session});
    connection.ok("session.close", &close);
    fs::remove_file(&used.filler).unwrap();
    let rings = used.daemon.socket().with_file_name("ccd.sock.rings");
    eventually("its ring is removed", || {
        (fs::read_dir(&rings).unwrap().count() == 0).then_some(())
    });
    used.daemon.kill();
    used.daemon.restart();
    assert_ended(&used, &session, "closed", &before);
}

/// The next daemon opens the database as usual, with the sessions that are in it.
fn assert_is_sound(used: &mut Used) {
    let all = |daemon: &Daemon| {
        let all = daemon.call_value("session.list", &json!({"all": true}));
        all.unwrap()["sessions"].as_array().unwrap().len()
    };
    let before = all(&used.daemon);
    used.daemon.stop();
    used.daemon.restart();
    assert_eq!(all(&used.daemon), before);
    let shared_memory = used.filler.with_file_name("ccd.sqlite-shm");
    let len = fs::metadata(shared_memory).unwrap().len();
    assert!(len >= 32 << 10, "several connections use it: {len} bytes");
}
