//! Processes that have cleared their environment, and with it the mark of their session.

use super::tree::printing_pids;
use crate::support::processes::lives;
use crate::support::session::lacks;
use crate::support::worker::is_one_process;
use crate::support::{Daemon, eventually};

/// A stubborn process without an environment, which prints its id.
const STUBBORN: &str = "sh -c 'trap \"\" HUP TERM; echo $$; exec sleep 600'";

fn are_gone(pids: &[i32]) {
    for &pid in pids {
        assert!(!lives(pid), "{pid} is left");
    }
}

#[test]
fn close_ends_what_is_in_the_programs_session_or_was_in_its_tree() {
    if lacks(&["setsid"]) {
        return;
    }
    let daemon = Daemon::start();
    for script in [
        // It was adopted, but is still in the session that the program has opened.
        format!("trap '' HUP; (env -i {STUBBORN} &); echo ready; exec sleep 600"),
        // It has a session of its own, and is orphaned only when the program is asked to exit.
        format!("env -i setsid {STUBBORN} & echo ready; exec sleep 600"),
    ] {
        let (session, pids) = printing_pids(&daemon, &script);
        let reply = session.close_within(200.0);
        assert_eq!((&reply.killed, &reply.left), (&pids, &vec![]), "{script}");
        are_gone(&pids);
    }
}

#[test]
fn close_ends_what_an_ended_program_has_left_in_its_session() {
    let daemon = Daemon::start();
    if is_one_process(&daemon) {
        return;
    }
    let script = format!("(env -i {STUBBORN} &); echo ready; read line");
    let (session, pids) = printing_pids(&daemon, &script);
    session.line("");
    session.ended();
    assert!(lives(pids[0]));
    assert_eq!(session.close().killed, pids);
    eventually("it is gone", || (!lives(pids[0])).then_some(()));
}

#[test]
fn what_was_once_seen_below_a_program_stays_its_own() {
    if lacks(&["setsid"]) {
        return;
    }
    let daemon = Daemon::start();
    if is_one_process(&daemon) {
        return;
    }
    let script = format!("env -i setsid {STUBBORN} & echo ready; read line");
    let (session, pids) = printing_pids(&daemon, &script);
    // The processes are listed.
    daemon.open("sleep", &["600"]).close();
    session.line("");
    session.ended();
    let (other, others) = printing_pids(&daemon, &script);
    assert_eq!(session.close().killed, pids);
    eventually("it is gone", || (!lives(pids[0])).then_some(()));
    assert!(lives(others[0]));
    other.close_within(0.0);
    are_gone(&others);
}

#[test]
fn what_was_only_adopted_ends_with_the_daemon_and_not_with_another_session() {
    if lacks(&["setsid"]) {
        return;
    }
    let mut daemon = Daemon::start();
    if is_one_process(&daemon) {
        return;
    }
    let script = format!("env -i setsid -f {STUBBORN}; echo ready; exec sleep 600");
    let (closed, mut pids) = printing_pids(&daemon, &script);
    let (other, others) = printing_pids(&daemon, &script);
    closed.close();
    drop(other);
    assert!(lives(others[0]));
    pids.extend(others);
    assert!(daemon.stop().success());
    are_gone(&pids);
}
