//! A fault that each worker meets again at the log of one session costs that log, and nothing else.

use crate::support::session::{OpenSession, program};
use crate::support::worker::{is_one_process, signal_worker, worker};
use crate::support::{Daemon, eventually};
use ccd_protocol::session::{SessionCreateParams, SessionState};
use rustix::process::Signal;
use serde_json::json;
use std::fs;

fn cat<'a>(daemon: &'a Daemon, id: &str) -> OpenSession<'a> {
    daemon.open_with(&SessionCreateParams {
        id: Some(id.into()),
        ..program(daemon, "cat", &[])
    })
}

/// Starts a daemon whose workers die at something that they do to the session `bad`.
fn dying_at(what: &str) -> Option<Daemon> {
    let daemon = Daemon::builder().env(what, "bad").start();
    (!is_one_process(&daemon)).then_some(daemon)
}

/// Asserts that the next worker leaves the log of `bad` alone, that its program answers, and that `others` have lost
/// nothing.
fn assert_costs_only_its_log(daemon: &Daemon, bad: &OpenSession<'_>, others: &[OpenSession<'_>]) {
    let told = eventually("a worker leaves the log alone", || {
        let status = daemon.try_call_value("daemon.status", &json!({}))?;
        let errors = status["last_errors"].as_array()?;
        let told = errors.iter().map(ToString::to_string);
        told.filter(|error| error.contains("2 workers died"))
            .find(|error| error.contains("bad"))
    });
    assert!(told.contains("it is left alone"), "{told}");
    let serving = worker(daemon);
    bad.ask("still there", "still there\n");
    let now = bad.now();
    assert_eq!((now.state, now.pid), (SessionState::Alive, bad.record.pid));
    eventually("what is not logged is a gap", || {
        let output = bad.now().output;
        let missing: u64 = output.gaps.iter().map(|gap| gap.length).sum();
        (missing >= 24).then_some(())
    });
    let history = daemon.call_value("session.history", &json!({"session": "bad"}));
    let history = history.unwrap().to_string();
    assert!(history.contains("2 workers died"), "{history}");
    for other in others {
        other.ask("and on", "and on\n");
        let expected = b"before\r\nbefore\r\nand on\r\nand on\r\n";
        let log = other.now().output.log_path;
        eventually("everything is logged", || {
            (fs::read(&log).ok()? == expected).then_some(())
        });
        assert!(other.now().output.gaps.is_empty());
    }
    assert_eq!(worker(daemon), serving);
}

#[test]
#[cfg_attr(
    not(debug_assertions),
    ignore = "only a debug build dies when asked to"
)]
fn a_session_at_whose_log_two_workers_died_goes_on_without_its_log() {
    let Some(daemon) = dying_at("CCD_TEST_ABORT_AT_FLUSH") else {
        return;
    };
    let others = ["one", "two"].map(|id| cat(&daemon, id));
    for other in &others {
        other.ask("before", "before\n");
    }
    let bad = cat(&daemon, "bad");
    // The worker may die before it replies.
    let send = json!({"session": "bad", "text": "x", "newline": true});
    daemon.try_call_value("session.send", &send);
    assert_costs_only_its_log(&daemon, &bad, &others);
}

#[test]
#[cfg_attr(
    not(debug_assertions),
    ignore = "only a debug build dies when asked to"
)]
fn a_session_at_whose_adoption_two_workers_died_goes_on_without_its_log() {
    let Some(daemon) = dying_at("CCD_TEST_ABORT_AT_ADOPTION") else {
        return;
    };
    let others = ["one", "two"].map(|id| cat(&daemon, id));
    let bad = cat(&daemon, "bad");
    for session in others.iter().chain([&bad]) {
        session.ask("before", "before\n");
    }
    // The kill itself accuses no session.
    signal_worker(&daemon, worker(&daemon), Signal::KILL);
    assert_costs_only_its_log(&daemon, &bad, &others);
}

#[test]
fn what_cannot_be_removed_from_the_runtime_directory_keeps_no_worker_from_serving() {
    let mut daemon = Daemon::start();
    let cat = cat(&daemon, "one");
    let runtime = daemon.socket().parent().unwrap().to_owned();
    let stray = runtime.join("ccd.sock.rings/stray.ring");
    fs::create_dir(&stray).unwrap();
    if !is_one_process(&daemon) {
        signal_worker(&daemon, worker(&daemon), Signal::KILL);
        cat.ask("still there", "still there\n");
        let status = daemon.ok("daemon.status", &json!({}));
        let errors = status["last_errors"].to_string();
        assert!(errors.contains("stray.ring"), "{status}");
    }
    drop(cat);
    daemon.kill();
    daemon.restart();
    assert!(stray.exists());
    fs::remove_dir(&stray).unwrap();
}
