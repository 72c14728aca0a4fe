//! A daemon whose worker is stopped or hangs: clients say so, and it can be ended.

use crate::support::client::{Ccctl, Ran};
use crate::support::processes::lives;
use crate::support::worker::{is_one_process, signal_worker, worker};
use crate::support::{Daemon, assert_has, eventually};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// How long a command may take on a machine that is busy with other tests. None of them would end without a limit.
const LIMIT: Duration = Duration::from_secs(20);

/// Runs a command that must end in time.
fn run(daemon: &Daemon, args: &[&str]) -> Ran {
    let began = Instant::now();
    let ran = Ccctl::new(daemon).run(args);
    assert!(began.elapsed() < LIMIT, "{args:?}: {:?}", began.elapsed());
    ran
}

fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

/// Asserts that a command reports that the daemon does not reply.
#[track_caller]
fn assert_silent(ran: &Ran, daemon: &Daemon) {
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert_eq!(ran.stderr.lines().count(), 1, "{ran:?}");
    let pid = format!("the daemon (pid {}) does not reply", daemon.pid());
    assert_has(&ran.stderr, [&pid, "ccctl daemon stop --force"]);
}

/// Starts a program that reads; returns its session and process ids.
fn start(daemon: &Daemon) -> (String, i32) {
    let record = daemon.open("cat", &[]).record;
    (record.session_id, record.pid)
}

/// Waits for the end of the daemon, with which these processes and this session have ended.
fn assert_all_ended(daemon: &mut Daemon, pids: [i32; 2], session: &str) {
    assert!(daemon.wait_for_end().success());
    assert!(!pids.into_iter().any(lives));
    assert!(!daemon.socket().exists());
    daemon.restart();
    assert_eq!(daemon.connect().record(session)["end_reason"], "shutdown");
}

/// Starts to end a daemon by force.
fn stopping(daemon: &Daemon) -> Child {
    let mut stop = Ccctl::new(daemon).command(&["daemon", "stop", "--force"]);
    stop.stdout(Stdio::null()).spawn().unwrap()
}

/// Ends a daemon by force, and asserts what is said about that.
#[track_caller]
fn assert_stopped(daemon: &Daemon, why: &str) {
    let ran = run(daemon, &["daemon", "stop", "--force"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let told = format!("ccd stopped: pid {}, which {why}\n", daemon.pid());
    assert_eq!(ran.stdout, told);
}

/// A thread of another process that does nothing any more, not even after SIGCONT.
struct Hung(i32);

impl Hung {
    /// Hangs the main thread of a process, which only this thread can end. `None` if the system does not allow it.
    fn new(pid: i32) -> Option<Self> {
        // SAFETY: these requests use no memory of this process.
        let has_seized = unsafe {
            libc::ptrace(libc::PTRACE_SEIZE, pid, 0, 0) == 0
                && libc::ptrace(libc::PTRACE_INTERRUPT, pid, 0, 0) == 0
        };
        has_seized.then_some(Self(pid)).inspect(|hung| {
            assert!(libc::WIFSTOPPED(hung.wait()));
        })
    }

    /// Waits for the next change of the process, which its parent does not see before.
    fn wait(&self) -> i32 {
        let mut status = 0;
        // SAFETY: the status is valid for the call.
        let waited = unsafe { libc::waitpid(self.0, &raw mut status, libc::__WALL) };
        assert_eq!(waited, self.0);
        status
    }

    /// Waits until somebody has killed it.
    fn is_killed(&self) {
        let status = self.wait();
        assert!(libc::WIFSIGNALED(status), "{status:#x}");
        assert_eq!(libc::WTERMSIG(status), libc::SIGKILL);
    }
}

#[test]
fn a_worker_that_is_stopped_does_not_reply_and_serves_again_when_it_continues() {
    let daemon = Daemon::start();
    if is_one_process(&daemon) {
        return;
    }
    let (session, _) = start(&daemon);
    let pid = worker(&daemon);
    signal_worker(&daemon, pid, Signal::STOP);
    assert_silent(&run(&daemon, &["daemon", "status"]), &daemon);
    assert_silent(&run(&daemon, &["daemon", "restart"]), &daemon);
    let line = format!("session send {session} one -e one --timeout 0.2");
    let sent = run(&daemon, &words(&line));
    assert_silent(&sent, &daemon);
    assert_has(&sent.stderr, ["whether the input was typed"]);
    let line = format!("session wait {session} --exit --timeout 0.2 --json");
    let waited: Value = serde_json::from_str(&run(&daemon, &words(&line)).stderr).unwrap();
    let data = json!({"kind": "failed", "done": "unknown"});
    assert_eq!(waited["error"]["data"], data, "{waited}");
    signal_worker(&daemon, pid, Signal::CONT);
    // It may carry out the restart, which is in its socket.
    eventually("a worker serves the session", || {
        let params = json!({ "session": session });
        let record = daemon.try_call_value("session.get", &params)?;
        (record["state"] == "alive").then_some(())
    });
}

#[test]
fn a_worker_that_is_stopped_is_ended_with_its_sessions() {
    let mut daemon = Daemon::start();
    if is_one_process(&daemon) {
        return;
    }
    let (session, program) = start(&daemon);
    let pid = worker(&daemon);
    signal_worker(&daemon, pid, Signal::STOP);
    assert_stopped(&daemon, "did not reply");
    assert_all_ended(&mut daemon, [pid, program], &session);
}

#[test]
fn a_worker_that_hangs_is_killed_and_the_next_one_ends_the_sessions() {
    let mut daemon = Daemon::start();
    if is_one_process(&daemon) {
        return;
    }
    let (session, program) = start(&daemon);
    let pid = worker(&daemon);
    let Some(hung) = Hung::new(pid) else { return };
    let mut stopping = stopping(&daemon);
    hung.is_killed();
    assert!(stopping.wait().unwrap().success());
    assert_all_ended(&mut daemon, [pid, program], &session);
}

#[test]
fn a_daemon_whose_processes_both_hang_is_killed() {
    let mut daemon = Daemon::start();
    if is_one_process(&daemon) {
        return;
    }
    let (holder, pid) = (daemon.pid(), worker(&daemon));
    // This process is the holder's parent, too, so it needs no wait of its own.
    let (Some(hung), Some(_)) = (Hung::new(pid), Hung::new(holder)) else {
        return;
    };
    let mut stopping = stopping(&daemon);
    hung.is_killed();
    assert_eq!(daemon.wait_for_end().signal(), Some(libc::SIGKILL));
    assert!(stopping.wait().unwrap().success());
    assert!(!lives(pid) && !lives(holder));
}

#[test]
fn a_daemon_whose_connections_are_all_taken_is_ended_by_force() {
    let mut daemon = Daemon::with_config(r#"{"limits": {"connections": 5}}"#);
    let taken = eventually("all connections are taken", || {
        let mut taken = Vec::new();
        for _ in 0..5 {
            let mut client = daemon.connect();
            client.request("daemon.ping", &json!({}));
            // Refused while an earlier connection is still counted.
            client.next_line_or_end()?.get("result")?;
            client.send_raw(b"{");
            taken.push(client);
        }
        let refused = run(&daemon, &["daemon", "status"]).stderr;
        refused.contains("which is the limit").then_some(taken)
    });
    assert_stopped(&daemon, "accepted no more connections");
    assert!(daemon.wait_for_end().success());
    drop(taken);
}

#[test]
fn a_daemon_whose_socket_was_removed_and_that_hangs_is_ended_by_force() {
    let mut daemon = Daemon::start();
    std::fs::remove_file(daemon.socket()).unwrap();
    daemon.signal(Signal::STOP);
    assert_stopped(&daemon, "had no socket");
    assert!(daemon.wait_for_end().success());
    let ran = run(&daemon, &["daemon", "stop", "--force"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
}
