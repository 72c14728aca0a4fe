//! The end of a session: of its program, the program's process group, and processes that have left it.

use crate::support::processes::{lives, with_variable};
use crate::support::session::OpenSession;
use crate::support::{Ccctl, Daemon, eventually};
use ccd_protocol::session::{EndReason, SessionState};
use std::time::Instant;

/// Starts a shell script that prints process ids, one per line and in any order, and `ready`.
pub(super) fn printing_pids<'a>(daemon: &'a Daemon, script: &str) -> (OpenSession<'a>, Vec<i32>) {
    let session = daemon.open("sh", &["-c", script]);
    let count = script.matches("echo $").count() + 1;
    let printed = session
        .expect(&format!(r"(?:(?:\d+|ready)\n){{{count}}}"))
        .matched;
    let numbers = printed.lines().filter(|line| *line != "ready");
    let pids: Vec<i32> = numbers.map(|line| line.parse().unwrap()).collect();
    let all_live = pids.iter().all(|&pid| lives(pid));
    assert!(!pids.is_empty() && all_live, "{printed}");
    (session, pids)
}

fn nothing_is_left(session: &OpenSession<'_>, pids: &[i32]) {
    for &pid in pids {
        assert!(!lives(pid), "{pid} outlived its session");
    }
    let marked = with_variable(&format!("CCD_SESSION_ID={}", session.id()));
    assert!(marked.is_empty(), "{marked:?}");
}

#[test]
fn close_ends_the_group_and_what_has_left_it() {
    let daemon = Daemon::start();
    for script in [
        "sleep 600 & echo $!; setsid sh -c 'echo $$; exec sleep 600' &
            sleep 600 & echo $!; echo ready; wait",
        // It cleared its environment, and is found in the tree.
        "setsid env -i /bin/sh -c 'echo $$; exec sleep 600' & echo ready; wait",
        // It forked twice, and is found by its environment.
        "(setsid sh -c 'echo $$; exec sleep 600' &); echo ready; exec cat",
    ] {
        let (session, pids) = printing_pids(&daemon, script);
        let reply = session.close();
        assert!(!reply.forced && reply.killed.is_empty(), "{reply:?}");
        assert!(reply.exitstatus.is_some() || reply.signal.is_some());
        nothing_is_left(&session, &pids);
        assert_eq!(session.now().end_reason, Some(EndReason::Closed));
    }
    let stubborn = "setsid sh -c 'trap \"\" HUP TERM; echo $$; while :; do sleep 0.2; done' &
        echo ready; wait";
    let (session, pids) = printing_pids(&daemon, stubborn);
    let reply = session.close_within(300.0);
    assert!(reply.forced);
    assert!(reply.killed.contains(&pids[0]), "{reply:?}");
    nothing_is_left(&session, &pids);
    // A program that is stopped can end by itself.
    let stopped = "echo $$; echo ready; kill -STOP $$; exec cat";
    let (session, pids) = printing_pids(&daemon, stopped);
    eventually("the program stops", || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pids[0])).unwrap();
        stat.contains(") T ").then_some(())
    });
    let reply = session.close_within(10_000.0);
    assert!(!reply.forced, "{reply:?}");
    nothing_is_left(&session, &pids);
}

#[test]
fn a_program_that_ignores_every_request_is_killed_after_the_grace_period_if_there_is_one() {
    let daemon = Daemon::start();
    let script = "trap '' HUP TERM INT; echo $$; echo ready; while :; do sleep 0.2; done";
    let (session, pids) = printing_pids(&daemon, script);
    let started = Instant::now();
    let reply = session.close_within(400.0);
    let took = started.elapsed();
    assert!((400..3000).contains(&took.as_millis()), "{took:?}");
    assert!(reply.forced);
    assert!(reply.killed.contains(&pids[0]), "{reply:?}");
    assert_eq!((reply.exitstatus, reply.signal), (None, Some(9)));
    nothing_is_left(&session, &pids);
    let record = session.now();
    assert_eq!((record.exitstatus, record.signal), (None, Some(9)));
    assert_eq!(record.end_reason, Some(EndReason::Closed));
    let (session, pids) = printing_pids(&daemon, script);
    assert!(session.close_within(0.0).forced);
    nothing_is_left(&session, &pids);
}

#[test]
fn a_program_may_end_in_its_own_way_within_the_grace_period() {
    let daemon = Daemon::start();
    let script = "trap 'sleep 0.2; echo cleaned up; exit 3' TERM; trap '' HUP
        echo $$; echo ready; while :; do sleep 0.1; done";
    let (session, pids) = printing_pids(&daemon, script);
    let reply = session.close_within(10_000.0);
    assert_eq!((reply.exitstatus, reply.signal), (Some(3), None));
    assert!(!reply.forced);
    assert!(session.output().contains("cleaned up"));
    nothing_is_left(&session, &pids);
}

#[test]
fn what_left_the_session_lives_on_after_its_end_until_close_or_cleanup() {
    let daemon = Daemon::start();
    let script = "sleep 600 & echo $!; setsid sh -c 'echo $$; exec sleep 600' & echo ready; read line; exit 4";
    let (session, pids) = printing_pids(&daemon, script);
    session.line("");
    let ended = session.ended();
    assert_eq!(
        (ended.exitstatus, ended.state),
        (Some(4), SessionState::Dead)
    );
    assert_eq!(ended.end_reason, Some(EndReason::Exited));
    // The process group lost its terminal; the process in its own session did not.
    eventually("the process group receives SIGHUP", || {
        (!lives(pids[0])).then_some(())
    });
    assert!(lives(pids[1]));
    let reply = session.close();
    assert_eq!(reply.exitstatus, Some(4));
    assert_eq!(reply.killed, [pids[1]]);
    eventually("it is gone", || (!lives(pids[1])).then_some(()));
    let script = "setsid sh -c 'echo $$; exec sleep 600' & echo ready; read line";
    let (session, pids) = printing_pids(&daemon, script);
    session.line("");
    session.ended();
    assert!(lives(pids[0]));
    let empty = serde_json::json!({});
    let reply = daemon.ok("session.cleanup", &empty);
    assert_eq!(reply["removed"], 2);
    eventually("it is gone", || (!lives(pids[0])).then_some(()));
}

#[test]
fn jobs_of_a_shell_end_with_it() {
    let daemon = Daemon::start();
    let bash = daemon.open_bash();
    let before = bash.ask("sleep 600 & echo pid $!", r"\n\r?pid (\d+)\n");
    let background: i32 = before.groups[1].as_ref().unwrap().parse().unwrap();
    bash.line("sleep 600");
    bash.close();
    nothing_is_left(&bash, &[background]);
}

#[test]
fn output_of_a_child_that_outlives_the_program_is_taken_for_a_moment() {
    let daemon = Daemon::start();
    let script = "trap '' HUP; (sleep 0.05; echo late words) & exit 0";
    let session = daemon.open("sh", &["-c", script]);
    session.ended();
    assert_eq!(session.output(), "late words\n");
}

#[test]
fn closing_twice_at_once_ends_once() {
    let daemon = Daemon::start();
    let (session, pids) = printing_pids(&daemon, "echo $$; echo ready; exec cat");
    let replies: Vec<_> = std::thread::scope(|scope| {
        let closers: Vec<_> = (0..3).map(|_| scope.spawn(|| session.close())).collect();
        let replies = closers.into_iter().map(|closer| closer.join().unwrap());
        replies.collect()
    });
    for reply in &replies {
        assert_eq!(reply.signal, replies[0].signal);
        assert_eq!(reply.exitstatus, replies[0].exitstatus);
    }
    nothing_is_left(&session, &pids);
}

#[test]
fn the_client_closes_and_tells_how_it_ended() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let script = "trap '' HUP TERM; echo $$; echo ready; while :; do sleep 0.2; done";
    let (session, pids) = printing_pids(&daemon, script);
    let told = ccctl.ok(&["session", "close", session.id(), "--grace", "0.1"]);
    for part in ["signal 9", "killed", &pids[0].to_string()] {
        assert!(told.contains(part), "{told}");
    }
    let again = ccctl.ok(&["session", "close", session.id()]);
    assert!(again.contains("signal 9"), "{again}");
    assert_eq!(ccctl.run(&["session", "close", "nobody"]).code, Some(4));
}
