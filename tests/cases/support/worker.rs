//! The worker of the daemon, while another process holds the terminals.

use super::daemon::Daemon;
use super::eventually::eventually;
use super::executable;
use super::session::guesses;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Returns the process id of the worker that answers.
pub(crate) fn worker(daemon: &Daemon) -> i32 {
    eventually("a worker answers", || {
        let status = daemon.try_call_value("daemon.status", &json!({}))?;
        i32::try_from(status["pid"].as_i64()?).ok()
    })
}

/// Returns the worker as [`worker`] does, once it has opened all databases: from then on, its descriptors are those of its clients and sessions.
pub(crate) fn settled_worker(daemon: &Daemon) -> i32 {
    // It is answered once the coach's databases are open, which are the last.
    daemon.call_value("coach.status", &json!({})).unwrap();
    worker(daemon)
}

/// Sends the worker a signal.
pub(crate) fn signal_worker(daemon: &Daemon, pid: i32, signal: Signal) {
    assert_ne!(pid, daemon.pid());
    kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
}

/// Kills the worker, and waits for the next one.
pub(crate) fn kill_worker(daemon: &Daemon) {
    let pid = worker(daemon);
    signal_worker(daemon, pid, Signal::KILL);
    eventually("another worker answers", || {
        (worker(daemon) != pid).then_some(())
    });
}

/// Hands over to another worker, as in an upgrade, and waits for it.
pub(crate) fn replace_worker(daemon: &Daemon) {
    let pid = worker(daemon);
    let _ = daemon.try_call_value("daemon.restart", &json!({}));
    eventually("another worker answers", || {
        (worker(daemon) != pid).then_some(())
    });
}

/// Returns whether the daemon is one process, so that nothing survives its end.
pub(crate) fn is_one_process(daemon: &Daemon) -> bool {
    worker(daemon) == daemon.pid() || guesses(daemon)
}

/// Starts a daemon whose worker is another process; `None` if this build has no such.
pub(crate) fn with_worker() -> Option<Daemon> {
    Some(Daemon::start()).filter(|daemon| !is_one_process(daemon))
}

/// Returns `last_hand_over` of the status, once it has this number.
pub(crate) fn hand_over(daemon: &Daemon, number: u64) -> Value {
    eventually("another worker serves", || {
        let status = daemon.try_call_value("daemon.status", &json!({}))?;
        let last = status["last_hand_over"].clone();
        (last["number"] == number).then_some(last)
    })
}

/// Writes a copy of the daemon with some bytes appended, which makes it another build. A build named `broken` fails
/// before it serves.
pub(crate) fn other_build(daemon: &Daemon, name: &str) -> PathBuf {
    let path = daemon.home().join(name);
    let mut content = std::fs::read(env!("CARGO_BIN_EXE_ccd_under_test")).unwrap();
    content.extend_from_slice(b"another build");
    executable::write(&path, &content);
    path
}
