//! How jobs of chains end: cancelled, together with the daemon, or without it; and what is kept of them.

use crate::support::client::Ran;
use crate::support::processes::with_command_line;
use crate::support::worker::{is_one_process, kill_worker};
use crate::support::{Ccctl, Connection, Daemon, assert_fields, assert_has, eventually};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::process::Stdio;

/// Starts a chain whose second step does not end, and returns its job once that step is running.
fn begun(connection: &mut Connection, sleep: &str, more: &Value) -> Value {
    let commands = json!([{"command": "echo one"}, {"command": format!("sleep {sleep}")}, {"command": "echo never"}]);
    let mut params = json!({"chain": {"commands": commands}});
    params
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    let started = connection.ok("chain.run", &params);
    runs(sleep);
    started["job"].clone()
}

/// Waits until a `sleep` runs.
fn runs(sleep: &str) {
    eventually("the step runs", || {
        (!with_command_line(&format!("sleep {sleep}")).is_empty()).then_some(())
    });
}

/// Waits until a `sleep` has ended.
fn has_ended(sleep: &str) {
    eventually("its program has ended", || {
        let left = with_command_line(&format!("sleep {sleep}"));
        left.is_empty().then_some(())
    });
}

fn get(daemon: &Daemon, job: &Value) -> Value {
    let params = json!({"job": job, "wait_ms": 20_000});
    eventually("the daemon answers", || {
        daemon.try_call_value("job.get", &params)
    })
}

fn nothing_is_left(daemon: &Daemon) {
    eventually("only records are left", || {
        let all = daemon.try_call_value("session.list", &json!({"all": true}))?;
        let mut all = all["sessions"].as_array().unwrap().iter();
        let mut folders = std::fs::read_dir(daemon.home().join("sessions")).unwrap();
        let is_left = all.any(|session| session["state"] != "dead") || folders.next().is_some();
        (!is_left).then_some(())
    });
}

#[test]
fn a_chain_that_is_cancelled_leaves_no_process_and_keeps_what_was_done() {
    let daemon = Daemon::start();
    for (sleep, more) in [("4713.1", json!({})), ("4713.2", json!({"shared": true}))] {
        let mut connection = daemon.connect();
        let job = begun(&mut connection, sleep, &more);
        connection.ok("job.cancel", &json!({ "job": job }));
        let ended = get(&daemon, &job);
        assert!(with_command_line(&format!("sleep {sleep}")).is_empty());
        assert_eq!(ended["state"], "cancelled", "{ended}");
        assert_eq!(ended["error"]["message"], "cancelled by a client");
        let steps = ended["result"]["steps"].as_array().unwrap();
        assert_eq!(steps.len(), 2, "{ended}");
        assert_eq!(steps[0]["output"], "one\n");
        assert_fields(&steps[1], json!({"success": false, "error": "cancelled"}));
        assert_eq!(ended["result"]["success"], false);
        nothing_is_left(&daemon);
    }
}

#[test]
fn a_job_does_not_depend_on_who_started_it() {
    let daemon = Daemon::start();
    let chain = json!({"commands": [{"command": "sh -c 'read x < fifo; echo $x'"}]});
    let fifo = daemon.home().join("fifo");
    rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, 0o600.into()).unwrap();
    let params = json!({"chain": chain, "cwd": daemon.home()});
    let job = daemon.ok("chain.run", &params)["job"].clone();
    // The connection is closed by now, and the step is still running.
    std::fs::write(&fifo, "late\n").unwrap();
    let ended = get(&daemon, &job);
    assert_eq!(ended["result"]["steps"][0]["output"], "late\n", "{ended}");
}

#[test]
fn a_job_whose_client_is_killed_or_gone_before_the_reply_ends_and_is_recorded() {
    let daemon = Daemon::start();
    let counts = || daemon.ok("daemon.status", &json!({}))["jobs"].clone();
    let fifo = daemon.home().join("fifo");
    rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, 0o600.into()).unwrap();
    let ccctl = Ccctl::new(&daemon);
    let mut command = ccctl.command(&["chain", "run", "--file", "-"]);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::null());
    let mut child = command.spawn().unwrap();
    let step = format!("read x < {}; echo $x", fifo.display());
    let chain = json!({"shell": true, "commands": [{"command": step}]});
    serde_json::to_writer(child.stdin.take().unwrap(), &chain).unwrap();
    eventually("it runs", || (counts()["running"] == 1).then_some(()));
    child.kill().unwrap();
    child.wait().unwrap();
    std::fs::write(&fifo, "late\n").unwrap();
    let killed = daemon.ok("job.list", &json!({}))["jobs"][0]["job"].clone();
    let ended = get(&daemon, &killed);
    assert_eq!(ended["result"]["steps"][0]["output"], "late\n", "{ended}");

    const LEFT: usize = 20;
    for _ in 0..LEFT {
        let mut leaving = daemon.connect();
        leaving.request(
            "chain.run",
            &json!({"chain": {"commands": [{"command": "echo"}]}}),
        );
    }
    eventually("all have ended", || {
        let listed = daemon.ok("job.list", &json!({}))["jobs"].clone();
        let mut listed = listed.as_array().unwrap().iter();
        let is_whole = listed.len() == 1 + LEFT;
        (is_whole && listed.all(|job| job["state"] == "done")).then_some(())
    });
    let none = json!({"queued": 0, "running": 0});
    eventually("none counts any more", || (counts() == none).then_some(()));
    nothing_is_left(&daemon);
}

#[test]
fn an_interrupt_cancels_and_says_so() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let mut command = ccctl.command(&["chain", "run", "--file", "-"]);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let chain = json!({"commands": [{"command": "echo one"}, {"command": "sleep 4713.3"}]});
    serde_json::to_writer(child.stdin.take().unwrap(), &chain).unwrap();
    runs("4713.3");
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(130), "{ran:?}");
    assert_has(&ran.stderr, ["cancelling job-", "chain.run: cancelled"]);
    assert!(ran.stdout.starts_with("ok 1 echo one"), "{ran:?}");
    assert!(with_command_line("sleep 4713.3").is_empty());
}

#[test]
fn a_result_outlives_the_daemon() {
    let mut daemon = Daemon::start();
    let mut connection = daemon.connect();
    let chain = json!({"commands": [{"command": "echo kept"}]});
    let before = connection.job("chain.run", &json!({ "chain": chain }));
    let unfinished = begun(&mut connection, "4713.4", &json!({}));
    daemon.stop();
    daemon.restart();
    assert_eq!(get(&daemon, &before["job"]), before);
    let stopped = get(&daemon, &unfinished);
    let error = json!({"message": "the daemon is stopping"});
    assert_fields(&stopped, json!({"state": "cancelled", "error": error}));
    let steps = &stopped["result"]["steps"];
    assert_eq!(steps[0]["output"], "one\n", "{stopped}");
    assert!(with_command_line("sleep 4713.4").is_empty());
}

#[test]
fn a_worker_that_is_killed_fails_the_job_with_a_reason_and_what_was_done() {
    let daemon = Daemon::start();
    if is_one_process(&daemon) {
        return;
    }
    let job = begun(&mut daemon.connect(), "4713.5", &json!({}));
    // The database contains what a subscriber was sent.
    let mut subscriber = daemon.connect();
    subscriber.ok("job.subscribe", &json!({ "job": job }));
    eventually("the first step is reported", || {
        let item = subscriber.next_item().unwrap();
        (item["entry_count"] == 1).then_some(())
    });
    kill_worker(&daemon);
    let failed = get(&daemon, &job);
    assert_eq!(failed["state"], "failed", "{failed}");
    assert_has(&failed["error"]["message"], ["killed or replaced"]);
    assert!(failed["ended_at"].is_string());
    let steps = failed["result"]["steps"].as_array().unwrap();
    assert!(steps.len() <= 1, "{failed}");
    has_ended("4713.5");
    nothing_is_left(&daemon);
}

#[test]
fn a_client_is_told_of_the_end_by_the_next_worker() {
    let daemon = Daemon::start();
    if is_one_process(&daemon) {
        return;
    }
    let ccctl = Ccctl::new(&daemon);
    ccctl.ok(&["chain", "save", "long", "echo one", "sleep 4713.6"]);
    let child = ccctl
        .command(&["chain", "run", "long"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    runs("4713.6");
    kill_worker(&daemon);
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let told = "chain.run: the worker was killed or replaced";
    assert_has(&ran.stderr, [told]);
    has_ended("4713.6");
}

#[test]
fn a_chain_waits_for_a_place() {
    let daemon = Daemon::builder().config("{max_sessions: 1}").start();
    let mut connection = daemon.connect();
    let holds = connection.start_session(&["cat"]);
    let chain = json!({"timeout": 60, "commands": [{"command": "echo after"}]});
    let job = connection.ok("chain.run", &json!({ "chain": chain }))["job"].clone();
    let waiting = eventually("it is queued", || {
        let job = connection.ok("job.get", &json!({ "job": job }));
        (job["state"] == "queued").then_some(job)
    });
    assert_has(&waiting["progress"]["waits_for"], ["max_sessions"]);
    let status = connection.ok("daemon.status", &json!({}));
    assert_eq!(status["jobs"], json!({"queued": 1, "running": 0}));
    connection.ok("session.close", &json!({ "session": holds }));
    let done = get(&daemon, &job);
    assert_eq!(done["result"]["steps"][0]["output"], "after\n", "{done}");
    // A job that is waiting is cancelled at once.
    let holds = connection.start_session(&["cat"]);
    let job = connection.ok("chain.run", &json!({ "chain": chain }))["job"].clone();
    connection.ok("job.cancel", &json!({ "job": job }));
    assert_eq!(get(&daemon, &job)["state"], "cancelled");
    connection.ok("session.close", &json!({ "session": holds }));
}

#[test]
fn there_are_no_more_jobs_than_there_may_be() {
    let daemon = Daemon::builder().config("{max_sessions: 1}").start();
    let mut connection = daemon.connect();
    connection.start_session(&["cat"]);
    let chain = json!({"chain": {"commands": [{"command": "true"}]}});
    let mut jobs = Vec::new();
    let message = loop {
        match connection.call_value("chain.run", &chain) {
            Ok(started) => jobs.push(started["job"].clone()),
            Err(_) => break connection.refused("chain.run", &chain, "limit_reached"),
        }
    };
    assert_eq!(jobs.len(), 64, "{message}");
    assert!(message.contains("64 jobs are running"), "{message}");
    for job in &jobs {
        connection.ok("job.cancel", &json!({ "job": job }));
    }
    assert_eq!(get(&daemon, &jobs[63])["state"], "cancelled");
}

/// Saves a chain whose step starts the same chain again; returns the parameters that run it.
fn recursive(daemon: &Daemon) -> Value {
    let client = env!("CARGO_BIN_EXE_ccctl_under_test");
    let command = format!("{client} chain run again");
    let chain = json!({"commands": [{"command": command}]});
    daemon.ok("chain.save", &json!({"name": "again", "chain": chain}));
    let env = json!({"CCD_HOME": daemon.home(), "CCD_NO_START": "1", "PATH": "/usr/bin:/bin"});
    json!({"name": "again", "caller_env": env})
}

#[test]
fn a_chain_that_starts_itself_is_told_so_and_ends() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let started = connection.ok("chain.run", &recursive(&daemon));
    let job = get(&daemon, &started["job"]);
    assert_eq!(job["result"]["success"], false, "{job}");
    assert_has(&job, ["does a job start itself?"]);
    let jobs = connection.ok("job.list", &json!({}));
    let jobs = jobs["jobs"].as_array().unwrap();
    assert_eq!(jobs.len(), 8);
    assert!(jobs.iter().all(|job| job["state"] == "done"), "{jobs:?}");
    nothing_is_left(&daemon);
}

#[test]
fn a_job_that_a_step_has_started_ends_with_it() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let client = env!("CARGO_BIN_EXE_ccctl_under_test");
    let command = format!("{client} parallel 'sleep 4713.9'");
    let env = json!({"CCD_HOME": daemon.home(), "CCD_NO_START": "1", "PATH": "/usr/bin:/bin"});
    let params = json!({"chain": {"commands": [{"command": command}]}, "caller_env": env});
    let job = connection.ok("chain.run", &params)["job"].clone();
    runs("4713.9");
    connection.ok("job.cancel", &json!({ "job": job }));
    assert_eq!(get(&daemon, &job)["state"], "cancelled");
    eventually("no job runs", || {
        let status = connection.ok("daemon.status", &json!({}));
        (status["jobs"] == json!({"queued": 0, "running": 0})).then_some(())
    });
    nothing_is_left(&daemon);
}
