//! Processes that have cleared their environment, and with it the mark of their session.

use super::tree::printing_pids;
use crate::support::processes::lives;
use crate::support::session::lacks;
use crate::support::worker::with_worker;
use crate::support::{Daemon, eventually};
use serde_json::json;

/// A stubborn process without an environment, which prints its id.
const STUBBORN: &str = "sh -c 'trap \"\" HUP TERM; echo $$; exec sleep 600'";

fn are_gone(pids: &[i32]) {
    for &pid in pids {
        assert!(!lives(pid), "{pid} is left");
    }
}

#[test]
fn close_ends_what_is_in_the_programs_session_or_was_in_its_tree() {
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
    let Some(daemon) = with_worker() else { return };
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
    let Some(daemon) = with_worker() else { return };
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
    let Some(mut daemon) = with_worker() else {
        return;
    };
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

#[test]
fn a_process_of_which_only_the_first_thread_has_ended_is_ended() {
    if lacks(&["python3"]) {
        return;
    }
    let mut daemon = Daemon::start();
    let start = |environment: &str| {
        let script = format!("({environment} python3 -c '{HEADLESS}' &); exec sleep 600");
        let session = daemon.open("sh", &["-c", &script]);
        let pid: i32 = session.expect(r"\d+\n").matched.trim().parse().unwrap();
        eventually("its first thread ends", || (!lives(pid)).then_some(()));
        assert!(has_threads(pid));
        (session.id().to_owned(), pid)
    };
    for environment in ["", "setsid"] {
        let (session, pid) = start(environment);
        let close = json!({"session": session, "grace_ms": 200});
        let reply = daemon.ok("session.close", &close);
        assert_eq!(reply["killed"], json!([pid]), "{environment:?}: {reply}");
        eventually("it is gone", || (!has_threads(pid)).then_some(()));
    }
    let (_, pid) = start("env -i setsid");
    daemon.stop();
    assert!(!has_threads(pid));
}

/// The system call exit ends the calling thread alone.
const HEADLESS: &str = r#"
import ctypes, os, signal, threading, time
for number in (signal.SIGHUP, signal.SIGTERM): signal.signal(number, signal.SIG_IGN)
threading.Thread(target=time.sleep, args=(600,)).start()
print(os.getpid(), flush=True)
ctypes.CDLL(None).syscall(60 if os.uname().machine == "x86_64" else 93, 0)"#;

fn has_threads(pid: i32) -> bool {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task"));
    threads.is_ok_and(|threads| threads.count() > 1)
}
