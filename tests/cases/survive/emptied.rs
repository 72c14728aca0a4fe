//! Another program cuts the file short in which a session's output waits: that session may lose what waits, and nothing
//! else is lost.

use crate::support::files::logged_bytes;
use crate::support::session::OpenSession;
use crate::support::worker::{hand_over, is_one_process, kill_worker};
use crate::support::{Daemon, eventually};
use ccd_protocol::session::SessionState;
use serde_json::json;
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;

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

fn ring(session: &OpenSession<'_>) -> PathBuf {
    let mut rings = session.daemon.socket().into_os_string();
    rings.push(format!(".rings/{}.ring", session.record.session_id));
    rings.into()
}

/// Cuts the ring's file to `len` bytes.
fn cut(session: &OpenSession<'_>, len: u64) {
    let file = File::options().write(true).open(ring(session)).unwrap();
    file.set_len(len).unwrap();
}

fn assert_lives(session: &OpenSession<'_>) {
    ask(session, 3);
    let now = session.now();
    assert_eq!(
        (now.state, now.pid),
        (SessionState::Alive, session.record.pid)
    );
}

fn assert_reported(session: &OpenSession<'_>) {
    let params = json!({"session": session.record.session_id});
    eventually("the history says it", || {
        let history = session
            .daemon
            .call_value("session.history", &params)
            .unwrap();
        history
            .to_string()
            .contains("has emptied the file")
            .then_some(())
    });
}

#[test]
fn a_ring_that_is_cut_short_costs_neither_its_session_nor_another() {
    let daemon = Daemon::start();
    // A few short reads: the holder reads the terminal. Many: it has lent it to the worker.
    for (asked, len) in [(2, 0), (40, 0), (2, 4096), (40, 4096)] {
        let (cut_short, other) = (open(&daemon), open(&daemon));
        for session in [&cut_short, &other] {
            ask(session, asked);
        }
        cut(&cut_short, len);
        assert_lives(&cut_short);
        assert_lives(&other);
        assert_reported(&cut_short);
        assert!(other.now().output.gaps.is_empty());
        if !is_one_process(&daemon) {
            kill_worker(&daemon);
            assert_lives(&cut_short);
            assert_lives(&other);
        }
        // No reader sees an offset twice, and the program's end is seen.
        let all = eventually("everything is logged", || {
            let output = cut_short.now().output;
            let missing: u64 = output.gaps.iter().map(|gap| gap.length).sum();
            let logged = logged_bytes(&output.log_path);
            (logged + missing >= output.output_bytes).then_some(output.output_bytes)
        });
        assert!(all >= cut_short.record.output.output_bytes, "{all}");
        cut_short.close();
        other.close();
    }
}

#[test]
fn a_ring_that_is_overwritten_costs_no_other_session() {
    let daemon = Daemon::start();
    for (asked, offset, len) in [(2, 0, 128), (40, 0, 128), (2, 0, 4096), (40, 64, 300_000)] {
        let (overwritten, other) = (open(&daemon), open(&daemon));
        ask(&overwritten, asked);
        let file = File::options()
            .write(true)
            .open(ring(&overwritten))
            .unwrap();
        file.write_all_at(&vec![0xff; len], offset).unwrap();
        assert_lives(&overwritten);
        assert_lives(&other);
        assert_reported(&overwritten);
        let bytes = overwritten.now().output.output_bytes;
        assert!(bytes < 100_000, "{bytes}");
        overwritten.close();
        other.close();
    }
}

#[test]
fn a_ring_that_is_cut_short_during_a_flood_costs_a_gap() {
    let daemon = Daemon::start();
    let (flooding, other) = (open(&daemon), open(&daemon));
    for _ in 0..10 {
        flooding.line("flood");
        flooding.expect("0123456789");
        cut(&flooding, 0);
        assert_lives(&other);
        flooding.expect("over\n");
    }
    assert_lives(&flooding);
    assert_reported(&flooding);
    if !is_one_process(&daemon) {
        kill_worker(&daemon);
        assert_lives(&flooding);
        assert_lives(&other);
    }
    let output = flooding.now().output;
    assert!(output.gaps.iter().all(|gap| gap.length > 0), "{output:?}");
    flooding.close();
}

#[test]
fn a_ring_that_was_cut_short_unnoticed_is_not_handed_over() {
    let daemon = Daemon::start();
    let (cut_short, other) = (open(&daemon), open(&daemon));
    if is_one_process(&daemon) {
        return;
    }
    cut(&cut_short, 0);
    let refused = daemon.call_value("daemon.restart", &json!({})).unwrap_err();
    assert!(
        refused["message"].to_string().contains("emptied"),
        "{refused}"
    );
    // Its output restores it.
    assert_lives(&cut_short);
    daemon.call_value("daemon.restart", &json!({})).unwrap();
    hand_over(&daemon, 1);
    assert_lives(&cut_short);
    // A worker that is killed meanwhile costs that session alone.
    cut(&cut_short, 0);
    kill_worker(&daemon);
    assert_lives(&other);
}
