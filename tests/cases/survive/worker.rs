//! Sessions outlive the worker.

use super::lent::{numbered, while_stopped};
use crate::support::files::Odd;
use crate::support::processes::lives;
use crate::support::session::{OpenSession, assert_error, program};
use crate::support::worker::{is_one_process, kill_worker, with_worker, worker};
use crate::support::{Daemon, eventually, eventually_within};
use ccd_protocol::ErrorCode;
use ccd_protocol::session::{EndReason, SessionCreateParams, SessionSendParams, SessionState};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[test]
fn a_program_does_not_notice_how_often_the_worker_dies() {
    let Some(daemon) = with_worker() else { return };
    let script = "x=41; while read line; do eval \"$line\"; done";
    let session = daemon.open("sh", &["-c", script]);
    session.ask("echo $x", "\n41\n");
    for round in 0..3 {
        kill_worker(&daemon);
        assert_lives(&session);
        let line = format!("x=$((x + 1)); echo round {round} $x");
        session.ask(&line, &format!("\nround {round} {}\n", 42 + round));
    }
    for round in 0..4 {
        let pid = worker(&daemon);
        send(pid, Signal::ABORT);
        eventually("another worker answers", || {
            (worker(&daemon) != pid).then_some(())
        });
        let line = format!("echo abort {round}");
        session.ask(&line, &format!("\nabort {round}\n"));
    }
    let reason = last_reason(&daemon);
    assert!(reason.contains("signal 6"), "{reason}");
    session.line("exit 7");
    assert_eq!(session.ended().exitstatus, Some(7));
}

#[test]
fn what_ended_while_there_was_no_worker_has_its_true_status() {
    let Some(daemon) = with_worker() else { return };
    let session = daemon.open("sh", &["-c", "read go; echo last words; exit 9"]);
    let pid = worker(&daemon);
    send(pid, Signal::STOP);
    send(session.record.pid, Signal::TERM);
    assert_ends(session.record.pid);
    send(pid, Signal::KILL);
    let ended = eventually("the next worker reports the end", || {
        let ended = daemon.try_call_value("session.get", &json!({"session": session.id()}))?;
        (ended["state"] == "dead").then_some(ended)
    });
    let end = (&ended["signal"], &ended["end_reason"]);
    assert_eq!(end, (&json!(15), &json!("signalled")));
}

#[test]
fn what_was_decided_at_the_start_holds_after_a_kill() {
    let Some(daemon) = with_worker() else { return };
    let plain = daemon.open_with(&SessionCreateParams {
        plain: true,
        name: Some("plain".into()),
        max_output_size: Some(300_000),
        persist: Some(false),
        ..program(&daemon, "cat", &[])
    });
    let reused = SessionCreateParams {
        reuse: true,
        ..program(&daemon, "sleep", &["1000"])
    };
    let first = daemon.open_with(&reused);
    kill_worker(&daemon);
    let again = daemon.open_with(&reused);
    assert_eq!((again.id(), again.record.reused), (first.id(), true));
    let conflict = daemon.refused(&SessionCreateParams {
        name: Some("plain".into()),
        ..program(&daemon, "cat", &[])
    });
    assert_error(&conflict, ErrorCode::SessionConflict);
    let line = "neither echoed nor changed";
    plain.ask(line, &format!("^{line}\n"));
    // The limit ends the session meanwhile.
    let typed = || plain.try_send(line_of("x".repeat(1000)));
    (0..400).take_while(|_| typed().is_ok()).count();
    assert_eq!(plain.ended().end_reason, Some(EndReason::OutputLimit));
}

#[test]
fn modes_size_and_screen_are_those_before_the_kill() {
    let Some(daemon) = with_worker() else { return };
    // Application cursor keys, then more output than is read back into memory.
    let script = "printf '\\033[?1h'; seq -f '%060.0f' 30000; printf 'ready\\n'; stty raw -echo; exec cat -v";
    let session = daemon.open("sh", &["-c", script]);
    session.expect("ready");
    let screen = || {
        let mut lines = session.screen().lines;
        lines.retain(|line| !line.is_empty());
        lines
    };
    let before = screen();
    for round in 0..3 {
        session.resize(30 + round, 100);
        kill_worker(&daemon);
        assert_eq!(i64::from(session.now().rows), 30 + round);
    }
    let after = screen();
    assert!(after.ends_with(&before), "{after:?} {before:?}");
    session.keys(&["Up"]);
    session.expect(r"\^\[OA");
}

#[test]
fn what_was_asked_typed_hidden_ended_or_put_into_a_log_before_a_kill_holds_after_it() {
    let Some(daemon) = with_worker() else { return };
    // `cat -v` prints the reply to a query of the terminal.
    let script = "stty raw -echo; printf 'now\\033[6n'; exec cat -v";
    let asking = daemon.open("sh", &["-c", script]);
    asking.expect(r"\^\[\[1;4R");
    let hidden = daemon.open("cat", &[]);
    let secret = SessionSendParams {
        secret: true,
        ..line_of("correct-horse-battery".into())
    };
    hidden.try_send(secret).unwrap();
    hidden.expect("battery\n");
    let ending = daemon.open("sh", &["-c", "cat; echo between; read go; cat; echo done"]);
    let end_of_input = SessionSendParams {
        eof: true,
        ..SessionSendParams::default()
    };
    ending.try_send(end_of_input).unwrap();
    // Somebody else has written into the log of this one.
    let logged = daemon.open("cat", &[]);
    logged.ask("before", "before\n");
    let log = logged.now().output.log_path;
    eventually("it is logged", || {
        std::fs::read(&log).ok().filter(|bytes| bytes.len() > 14)
    });
    let mut log = std::fs::OpenOptions::new().append(true).open(log).unwrap();
    std::io::Write::write_all(&mut log, b"not from here").unwrap();
    kill_worker(&daemon);
    logged.ask("after", "after\n");
    hidden.ask("it was correct-horse-battery", "battery\n");
    let history = daemon.call_value("session.history", &json!({"session": hidden.id()}));
    let history = history.unwrap().to_string();
    assert!(history.contains("it was"), "{history}");
    assert!(!history.contains("horse"), "{history}");
    assert_eq!(ending.ended().exitstatus, Some(0));
    assert!(ending.output().contains("done"));
    for _ in 0..2 {
        kill_worker(&daemon);
    }
    asking.text("end");
    asking.expect("end");
    assert_eq!(asking.output().matches("^[[1;4R").count(), 1);
}

#[test]
fn a_transient_session_waits_for_a_client_and_not_for_ever() {
    let Some(daemon) = with_worker() else { return };
    let transient = |name: &str| SessionCreateParams {
        transient: true,
        id: Some(name.into()),
        ..program(&daemon, "cat", &[])
    };
    let mut creator = daemon.connect();
    for name in ["claimed", "forgotten"] {
        let params = serde_json::to_value(transient(name)).unwrap();
        creator.call_value("session.create", &params).unwrap();
    }
    kill_worker(&daemon);
    let mut heir = daemon.connect();
    heir.call_value("session.subscribe", &json!({"session": "claimed"}))
        .unwrap();
    let is_there = |name: &str| {
        let found = daemon.call_value("session.get", &json!({"session": name}));
        found.unwrap()["state"] != "dead"
    };
    eventually("the session without a client is ended", || {
        (!is_there("forgotten")).then_some(())
    });
    assert!(is_there("claimed"));
    drop(heir);
    eventually("the session ends with its client", || {
        (!is_there("claimed")).then_some(())
    });
}

#[test]
fn the_daemon_ends_when_it_is_told_to_while_there_is_no_worker() {
    let Some(mut daemon) = with_worker() else {
        return;
    };
    let session = daemon.open("cat", &[]).record;
    let pid = worker(&daemon);
    // The holder learns of both at once.
    daemon.signal(Signal::STOP);
    send(pid, Signal::KILL);
    assert_ends(pid);
    daemon.signal(Signal::TERM);
    daemon.signal(Signal::CONT);
    assert!(daemon.wait_for_end().success());
    assert!(!lives(session.pid));
}

#[test]
fn a_mistake_in_the_configuration_ends_no_session() {
    let daemon = Daemon::builder().config("{max_sessions: 7}").start();
    if is_one_process(&daemon) {
        return;
    }
    let session = daemon.open("cat", &[]);
    std::fs::write(daemon.config_path(), "{max_sessions: many}").unwrap();
    let refused = daemon.call_value("daemon.upgrade", &json!({}));
    assert_error(&refused.unwrap_err(), ErrorCode::InvalidArgument);
    kill_worker(&daemon);
    session.ask("still here", "still here\n");
    let status = daemon.ok("daemon.status", &json!({}));
    let warning = status["config_warnings"][0].as_str().unwrap();
    assert!(
        warning.contains(":1:16: ") && warning.contains("the defaults apply until it is corrected"),
        "{warning}"
    );
    std::fs::write(daemon.config_path(), "{max_sessions: 8}").unwrap();
    daemon.ok("daemon.reload", &json!({}));
    let status = daemon.ok("daemon.status", &json!({}));
    assert_eq!(
        (&status["sessions"]["max"], &status["config_warnings"]),
        (&json!(8), &json!([]))
    );
}

/// A directory with a file in its place, until this is dropped.
struct Replaced<'a> {
    place: &'a Path,
    aside: PathBuf,
}

impl Drop for Replaced<'_> {
    fn drop(&mut self) {
        std::fs::remove_file(self.place).unwrap();
        std::fs::rename(&self.aside, self.place).unwrap();
    }
}

#[test]
fn workers_that_cannot_start_end_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let daemon = Daemon::builder()
        .socket(&folder.path().join("ccd.sock"))
        .start();
    if is_one_process(&daemon) {
        return;
    }
    let session = daemon.open("cat", &[]);
    session.ask("before", "before\n");
    let replaced = Replaced {
        place: daemon.home(),
        aside: folder.path().join("aside"),
    };
    let pid = worker(&daemon);
    send(pid, Signal::STOP);
    std::fs::rename(replaced.place, &replaced.aside).unwrap();
    std::fs::write(replaced.place, "").unwrap();
    send(pid, Signal::KILL);
    let printed = replaced.aside.join("daemon-output");
    let failed = eventually_within(Duration::from_secs(200), || {
        let said = std::fs::read_to_string(&printed).unwrap();
        said.contains("10 workers in a row").then_some(())
    });
    failed.unwrap();
    assert!(lives(session.record.pid));
    drop(replaced);
    daemon.signal(Signal::HUP);
    session.ask("after", "after\n");
    let reason = last_reason(&daemon);
    assert!(reason.contains("status 1"), "{reason}");
}

#[test]
fn what_is_stopped_goes_on_where_it_was() {
    const LINES: usize = 200_000;
    let config = r#"{"max_output_size": 0}"#;
    let daemon = Daemon::builder().config(config).start();
    if is_one_process(&daemon) {
        return;
    }
    let serving = worker(&daemon);
    for stopped in [serving, daemon.pid()] {
        let script = format!("read go; seq 1 {LINES}; echo all of it; exec cat");
        let flood = daemon.open("sh", &["-c", &format!("stty -echo; echo ready; {script}")]);
        flood.expect("ready\n");
        let before = flood.bytes().len();
        flood.line("go");
        while_stopped(stopped, || ());
        flood.expect("all of it\n");
        assert!(flood.bytes()[before..] == numbered(LINES, "all of it"));
    }
    assert_eq!(worker(&daemon), serving);
}

/// Returns a request to type a line.
fn line_of(text: String) -> SessionSendParams {
    SessionSendParams {
        text: Some(text),
        newline: true,
        ..SessionSendParams::default()
    }
}

#[track_caller]
fn assert_lives(session: &OpenSession<'_>) {
    let now = session.now();
    let expected = (SessionState::Alive, session.record.pid);
    assert_eq!((now.state, now.pid), expected);
}

fn assert_ends(pid: i32) {
    eventually("it has ended", || (!lives(pid)).then_some(()));
}

/// Returns the reason of the last handover.
fn last_reason(daemon: &Daemon) -> String {
    let status = daemon.ok("daemon.status", &json!({}));
    let reason = &status["last_hand_over"]["reason"];
    reason.as_str().unwrap().to_owned()
}

fn send(pid: i32, signal: Signal) {
    kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
}

#[test]
fn what_replaces_a_log_costs_that_log_and_neither_program_nor_daemon() {
    let Some(daemon) = with_worker() else { return };
    let other = daemon.open("cat", &[]);
    for odd in Odd::all() {
        let session = daemon.open("cat", &[]);
        session.ask("before", "before\n");
        let log = PathBuf::from(session.now().output.log_path);
        let logged = b"before\r\nbefore\r\n";
        let has_logged = |expected: &[u8]| std::fs::read(&log).is_ok_and(|log| log == expected);
        eventually("it is logged", || has_logged(logged).then_some(()));
        let placed = odd.put(&log);
        kill_worker(&daemon);
        session.ask("after", "after\n");
        other.ask("and on", "and on\n");
        assert_lives(&session);
        let gaps = session.now().output.gaps;
        assert!(
            gaps.first()
                .is_some_and(|gap| gap.offset == 0 && gap.length >= logged.len() as u64),
            "{odd:?}: {gaps:?}"
        );
        let errors = daemon.ok("daemon.status", &json!({}));
        let errors = errors["last_errors"].to_string();
        assert!(errors.contains(session.id()), "{odd:?}: {errors}");
        placed.assert_nothing_foreign_changed();
        if odd != Odd::Directory {
            let logged = b"after\r\nafter\r\n";
            // A device without end may still be in its place.
            let is_file = || std::fs::symlink_metadata(&log).is_ok_and(|found| found.is_file());
            eventually("a new log begins", || {
                (is_file() && has_logged(logged)).then_some(())
            });
        }
        session.close();
    }
}
