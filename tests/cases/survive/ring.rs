//! Ring files that another program truncates or overwrites, and a full runtime directory: only the session whose ring it is
//! ends, or only the new session does not start.

use crate::output::disk::{SmallDisk, fill};
use crate::support::Daemon;
use crate::support::session::{OpenSession, assert_error, program};
use crate::support::worker::{is_one_process, kill_worker, with_worker};
use ccd_protocol::ErrorCode;
use ccd_protocol::session::{EndReason, SessionState};
use rustix::fs::{CWD, Mode, mkfifoat};
use serde_json::json;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

/// Answers each line, and floods when asked to.
const ANSWERS: &str = r#"
stty -echo; echo ready
while read -r line; do
    case $line in
        flood) yes 0123456789 | head -c 4000000; echo over ;;
        *) echo "$line" ;;
    esac
done"#;

fn open(daemon: &Daemon) -> OpenSession<'_> {
    let session = daemon.open("sh", &["-c", ANSWERS]);
    session.expect("ready\n");
    session
}

fn ask(session: &OpenSession<'_>, count: usize) {
    for number in 0..count {
        session.ask(&format!("{number}"), &format!("{number}\n"));
    }
}

fn ring_path(session: &OpenSession<'_>) -> PathBuf {
    let mut rings = session.daemon.socket().into_os_string();
    rings.push(format!(".rings/{}.ring", session.id()));
    PathBuf::from(rings)
}

fn ring_file(session: &OpenSession<'_>) -> File {
    let options = File::options().write(true).open(ring_path(session));
    options.unwrap()
}

#[track_caller]
fn assert_lives(session: &OpenSession<'_>) {
    ask(session, 3);
    let now = session.now();
    assert_eq!(
        (now.state, now.pid),
        (SessionState::Alive, session.record.pid)
    );
}

#[track_caller]
fn assert_ends_for_its_ring(session: &OpenSession<'_>) {
    // Fails if it has ended already.
    let flood = json!({"session": session.id(), "text": "flood", "newline": true});
    let _ = session.daemon.call_value("session.send", &flood);
    assert_eq!(session.ended().end_reason, Some(EndReason::RingLost));
    let params = json!({"session": session.id()});
    let history = session.daemon.call_value("session.history", &params);
    let history = history.unwrap().to_string();
    assert!(history.contains("truncated or overwritten"), "{history}");
}

/// Changes the file of a ring.
type Damage = dyn Fn(&File) -> io::Result<()>;

#[test]
fn a_ring_that_is_truncated_or_overwritten_ends_its_session_alone() {
    let daemon = Daemon::start();
    let other = open(&daemon);
    let truncate = |len| move |ring: &File| ring.set_len(len);
    let overwrite = |offset, len| move |ring: &File| ring.write_all_at(&vec![0xff; len], offset);
    let damage: [&Damage; 6] = [
        &truncate(0),
        &truncate(4096),
        &truncate(70_000),
        &overwrite(0, 128),
        &overwrite(0, 4096),
        &overwrite(64, 300_000),
    ];
    for damage in damage {
        // A few short reads: the holder reads the terminal. Many: it has lent it to the worker.
        for asked in [2, 40] {
            let damaged = open(&daemon);
            for session in [&damaged, &other] {
                ask(session, asked);
            }
            damage(&ring_file(&damaged)).unwrap();
            assert_ends_for_its_ring(&damaged);
            assert_lives(&other);
        }
    }
    if !is_one_process(&daemon) {
        kill_worker(&daemon);
        assert_lives(&other);
    }
}

#[test]
fn a_ring_that_is_truncated_during_a_flood_ends_its_session_alone() {
    let daemon = Daemon::start();
    let other = open(&daemon);
    for len in [0, 4096, 70_000] {
        let flooding = open(&daemon);
        flooding.line("flood");
        flooding.expect("0123456789");
        ring_file(&flooding).set_len(len).unwrap();
        assert_ends_for_its_ring(&flooding);
        assert_lives(&other);
    }
}

#[test]
fn a_worker_that_takes_over_ends_a_session_with_a_truncated_ring_alone() {
    let Some(daemon) = with_worker() else { return };
    let (truncated, other) = (open(&daemon), open(&daemon));
    ring_file(&truncated).set_len(0).unwrap();
    kill_worker(&daemon);
    assert_lives(&other);
    assert_eq!(truncated.now().state, SessionState::Dead);
}

#[test]
fn a_ring_that_is_damaged_while_no_daemon_runs_is_the_reason_of_the_end() {
    let mut daemon = Daemon::start();
    let damage: [fn(&Path) -> io::Result<()>; 4] = [
        |ring| File::options().write(true).open(ring)?.set_len(70_000),
        |ring| fs::write(ring, ""),
        |ring| {
            fs::remove_file(ring)?;
            std::os::unix::fs::symlink("/dev/null", ring)
        },
        |ring| {
            fs::remove_file(ring)?;
            Ok(mkfifoat(CWD, ring, Mode::from_raw_mode(0o600))?)
        },
    ];
    let sessions = damage.map(|damage| {
        let session = open(&daemon);
        (session.id().to_owned(), ring_path(&session), damage)
    });
    let other = open(&daemon).id().to_owned();
    daemon.kill();
    for (_, ring, damage) in &sessions {
        damage(ring).unwrap();
    }
    daemon.restart();
    let reason = |id: &str| {
        let record = daemon.call_value("session.get", &json!({"session": id}));
        record.unwrap()["end_reason"].clone()
    };
    for (id, ..) in &sessions {
        assert_eq!(reason(id), "ring_lost");
    }
    assert_eq!(reason(&other), "daemon_killed");
}

#[test]
fn a_full_runtime_directory_refuses_a_start_and_ends_nothing() {
    let place = tempfile::tempdir().unwrap();
    let Some(_disk) = SmallDisk::mount(&place.path().join("run"), 2 << 20) else {
        return;
    };
    let daemon = Daemon::builder()
        .socket(&place.path().join("run/ccd.sock"))
        .start();
    let sessions = [open(&daemon), open(&daemon)];
    let filler = place.path().join("run/filler");
    fill(&filler);
    let refused = daemon.refused(&program(&daemon, "sh", &["-c", ANSWERS]));
    assert_error(&refused, ErrorCode::SpawnFailed);
    assert!(refused.to_string().contains("No space left"), "{refused}");
    for session in &sessions {
        session.line("flood");
        session.expect("over\n");
        assert_lives(session);
    }
    fs::remove_file(&filler).unwrap();
    assert_lives(&open(&daemon));
}
