//! Somebody removes the directory of the socket and the rings while the daemon runs, as some systems do with a user's
//! runtime directory at logout.

use crate::support::client::Installation;
use crate::support::{eventually, processes};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::fs;

/// Starts a session that answers each line with itself, and removes the directory of the socket.
fn without_directory() -> (Installation, i32, i32) {
    let installation = Installation::new();
    let ran = installation.run(&["session", "create", "--name", "lasting", "--", "cat"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let [worker, holder] = pids(&installation);
    fs::remove_dir_all(installation.socket().parent().unwrap()).unwrap();
    (installation, worker, holder)
}

/// The processes of the worker and the holder.
fn pids(installation: &Installation) -> [i32; 2] {
    let ran = installation.run(&["daemon", "status", "--json"]);
    let status: Value = serde_json::from_str(&ran.stdout).unwrap();
    ["pid", "holder_pid"].map(|name| i32::try_from(status[name].as_i64().unwrap()).unwrap())
}

fn kill(pid: i32) {
    kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
    eventually("it is gone", || (!processes::lives(pid)).then_some(()));
}

#[track_caller]
fn ask(installation: &Installation, text: &str) {
    let ran = installation.run(&["session", "send", "lasting", text, "--expect", text]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

#[test]
fn a_client_reaches_the_sessions_again() {
    let (installation, worker, holder) = without_directory();
    ask(&installation, "first");
    assert_eq!(pids(&installation), [worker, holder], "the same daemon");
    let ran = installation.run(&["session", "create", "--name", "second", "--", "cat"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let ran = installation.run(&["daemon", "restart"]);
    // On systems without a handover it is refused.
    assert_eq!(ran.code == Some(0), worker != holder, "{ran:?}");
    ask(&installation, "second");
    let ran = installation.run(&["daemon", "stop", "--force"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    eventually("it is gone", || {
        (!processes::lives(holder) && !installation.socket().exists()).then_some(())
    });
}

#[test]
fn sessions_survive_the_worker_that_had_their_rings() {
    let (installation, worker, holder) = without_directory();
    if worker == holder {
        return;
    }
    kill(worker);
    ask(&installation, "after a kill");
    fs::remove_file(installation.socket()).unwrap();
    ask(&installation, "with another socket");
    let [worker, _] = pids(&installation);
    kill(worker);
    ask(&installation, "after another kill");
    let ran = installation.run(&["session", "read", "lasting"]);
    for said in ["after a kill", "with another socket", "after another kill"] {
        assert!(ran.stdout.contains(said), "{ran:?}");
    }
    assert_eq!(pids(&installation)[1], holder);
}
