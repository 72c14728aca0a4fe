//! Payloads while no daemon takes them.

use super::{events, failure, silent_hook};
use crate::support::worker::{is_one_process, kill_worker, signal_worker, worker};
use crate::support::{Daemon, eventually};
use rustix::process::Signal;
use serde_json::{Value, json};

fn post(daemon: &Daemon, number: usize) {
    let (id, command) = (format!("t{number}"), format!("tool{number} build"));
    let payload = failure("s", &id, &command, "Exit code 1\nerror: x");
    silent_hook(daemon, &payload);
}

/// Returns the commands of the recorded events, oldest first.
fn commands(daemon: &Daemon, count: usize) -> Vec<String> {
    let command = |event: &Value| event["context"]["command"].as_str().unwrap().to_owned();
    events(daemon, count).iter().map(command).collect()
}

fn expected(count: usize) -> Vec<String> {
    let numbers = 0..count;
    numbers
        .map(|number| format!("tool{number} build"))
        .collect()
}

#[test]
fn what_came_while_no_daemon_ran_is_taken_in_in_order_by_the_next_one() {
    let mut daemon = Daemon::start();
    post(&daemon, 0);
    commands(&daemon, 1);
    daemon.stop();
    for number in 1..6 {
        post(&daemon, number);
    }
    let spool = daemon.home().join("spool");
    assert_eq!(std::fs::read_dir(&spool).unwrap().count(), 5);
    daemon.restart();
    assert_eq!(commands(&daemon, 6), expected(6));
    eventually("the spool is empty", || {
        (std::fs::read_dir(&spool).unwrap().count() == 0).then_some(())
    });
    let status = daemon.status();
    assert_eq!(status["hooks"]["events"][0]["spooled"], 5);
}

#[test]
fn what_a_hook_leaves_while_the_daemon_is_busy_is_there_when_one_looks() {
    let mut daemon = Daemon::start();
    daemon.stop();
    post(&daemon, 0);
    let spool = daemon.home().join("spool");
    let in_time = std::fs::read_dir(&spool).unwrap().next().unwrap().unwrap();
    let aside = daemon.home().join("aside");
    std::fs::rename(in_time.path(), &aside).unwrap();
    post(&daemon, 1);
    daemon.restart();
    assert_eq!(commands(&daemon, 1), ["tool1 build"]);
    std::fs::rename(&aside, in_time.path()).unwrap();
    commands(&daemon, 2);
}

#[test]
fn stops_restarts_and_kills_of_the_worker_lose_none_and_double_none() {
    let daemon = Daemon::start();
    if is_one_process(&daemon) {
        return;
    }
    let pid = worker(&daemon);
    for number in 0..30 {
        post(&daemon, number);
        match number {
            0 => signal_worker(&daemon, pid, Signal::STOP),
            3 => signal_worker(&daemon, pid, Signal::CONT),
            4 | 14 | 24 => kill_worker(&daemon),
            9 | 19 | 29 => {
                // The worker that answers is not the one that serves afterwards.
                let _ = daemon.try_call_value("daemon.restart", &json!({}));
            }
            _ => {}
        }
    }
    eventually("all payloads are taken in", || {
        let listed = daemon.try_call_value("coach.events", &json!({"limit": 1000}))?;
        let count = listed["events"].as_array()?.len();
        (count == 30).then_some(())
    });
    let mut commands = commands(&daemon, 30);
    commands.sort();
    let mut expected = expected(30);
    expected.sort();
    assert_eq!(commands, expected);
}
