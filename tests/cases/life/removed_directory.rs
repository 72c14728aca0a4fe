//! Somebody removes the directory of the socket and the rings while the daemon runs, as some systems do with a user's
//! runtime directory at logout.

use crate::support::client::Installation;
use crate::support::{assert_has, eventually, processes, rounds};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::symlink;

/// Starts a session that answers each line with itself, and removes the directory of the socket.
fn without_directory() -> (Installation, i32, i32) {
    let installation = Installation::new();
    installation.ok(&["session", "create", "--name", "lasting", "--", "cat"]);
    let [worker, holder] = pids(&installation);
    fs::remove_dir_all(installation.socket().parent().unwrap()).unwrap();
    (installation, worker, holder)
}

/// The processes of the worker and the holder.
fn pids(installation: &Installation) -> [i32; 2] {
    let status = installation.ok(&["daemon", "status", "--json"]);
    let status: Value = serde_json::from_str(&status).unwrap();
    ["pid", "holder_pid"].map(|name| i32::try_from(status[name].as_i64().unwrap()).unwrap())
}

fn signal(pid: i32, signal: Signal) {
    kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
}

fn kill(pid: i32) {
    signal(pid, Signal::KILL);
    eventually("it is gone", || (!processes::lives(pid)).then_some(()));
}

#[track_caller]
fn ask(installation: &Installation, text: &str) {
    installation.ok(&["session", "send", "lasting", text, "--expect", text]);
}

#[test]
fn a_client_reaches_the_sessions_again_and_can_start_others() {
    let (installation, worker, holder) = without_directory();
    ask(&installation, "first");
    assert_eq!(pids(&installation), [worker, holder], "the same daemon");
    let rings = installation.socket().with_file_name("ccd.sock.rings");
    for (name, is_without_rings) in [("second", false), ("third", true)] {
        if is_without_rings {
            fs::remove_dir_all(&rings).unwrap();
        }
        installation.ok(&["session", "create", "--name", name, "--", "cat"]);
    }
    ask(&installation, "again");
    let ran = installation.run(&["daemon", "restart"]);
    // On systems without a handover it is refused.
    assert_eq!(ran.code == Some(0), worker != holder, "{ran:?}");
    ask(&installation, "second");
    installation.ok(&["daemon", "stop", "--force"]);
    eventually("it is gone", || {
        (!processes::lives(holder) && !installation.socket().exists()).then_some(())
    });
}

#[test]
fn every_command_finds_a_daemon_whose_files_are_gone() {
    let (installation, worker, holder) = without_directory();
    ask(&installation, "first");
    let is_one_process = worker == holder;
    for args in [
        &["--no-start", "daemon", "ping"][..],
        &["daemon", "status"],
        &["daemon", "start"],
        &["ls"],
        &["daemon", "restart"],
        &["daemon", "stop", "--force"],
    ] {
        if is_one_process && args.contains(&"restart") {
            continue;
        }
        for file in ["ccd.lock", "run/ccd.sock", "run/ccd.sock.lock"] {
            let _ = fs::remove_file(installation.home().join(file));
        }
        installation.ok(args);
        if !args.contains(&"stop") {
            assert_eq!(pids(&installation)[1], holder, "{args:?}");
        }
    }
    assert!(!processes::lives(holder));
}

#[test]
fn a_list_that_was_lost_with_the_daemon_is_asked_for_again() {
    for _ in 0..rounds() {
        let (installation, worker, holder) = without_directory();
        ask(&installation, "first");
        for pid in [worker, holder] {
            signal(pid, Signal::KILL);
        }
        let listed = installation.ok(&["ls", "--all"]);
        assert!(listed.contains("lasting"), "{listed}");
    }
}

#[test]
fn sessions_survive_the_worker_that_had_their_rings() {
    let (installation, worker, holder) = without_directory();
    if worker == holder {
        return;
    }
    kill(worker);
    eventually("the next worker creates the socket by itself", || {
        installation.socket().exists().then_some(())
    });
    installation.ok(&["--no-start", "daemon", "ping"]);
    ask(&installation, "after a kill");
    fs::remove_file(installation.socket()).unwrap();
    ask(&installation, "with another socket");
    let [worker, _] = pids(&installation);
    kill(worker);
    ask(&installation, "after another kill");
    let read = installation.ok(&["session", "read", "lasting"]);
    let said = ["after a kill", "with another socket", "after another kill"];
    assert_has(&read, said);
    assert_eq!(pids(&installation)[1], holder);
}

#[test]
fn sessions_wait_while_something_else_is_in_the_place_of_the_directory() {
    let (installation, worker, holder) = without_directory();
    if worker == holder {
        return;
    }
    let elsewhere = installation.home().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let run = installation.socket().parent().unwrap().to_owned();
    let rings = installation.socket().with_file_name("ccd.sock.rings");
    let mut worker = worker;
    let obstacles: [&dyn Fn(); 2] = [&|| fs::write(&run, "").unwrap(), &|| {
        fs::remove_dir_all(&rings).unwrap();
        symlink(&elsewhere, &rings).unwrap();
    }];
    for (place, put) in [&run, &rings].into_iter().zip(obstacles) {
        put();
        kill(worker);
        fs::remove_file(place).unwrap();
        // Otherwise the next attempt is in a minute, if the last one came before this.
        signal(holder, Signal::HUP);
        ask(&installation, "when it is put right");
        let [next, same] = pids(&installation);
        assert_eq!(same, holder);
        worker = next;
    }
    // The link is not followed.
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
}
