//! How jobs of chains end: cancelled, together with the daemon, or without it; and what is kept of them.

use crate::support::processes::with_command_line;
use crate::support::worker::{is_one_process, kill_worker};
use crate::support::{Ccctl, Connection, Daemon, eventually};
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
    let started = connection.call_value("chain.run", &params).unwrap();
    eventually("the step runs", || {
        (!with_command_line(&format!("sleep {sleep}")).is_empty()).then_some(())
    });
    started["job"].clone()
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
        connection
            .call_value("job.cancel", &json!({ "job": job }))
            .unwrap();
        let ended = get(&daemon, &job);
        assert!(with_command_line(&format!("sleep {sleep}")).is_empty());
        assert_eq!(ended["state"], "cancelled", "{ended}");
        assert_eq!(ended["error"]["message"], "cancelled by a client");
        let steps = ended["result"]["steps"].as_array().unwrap();
        assert_eq!(steps.len(), 2, "{ended}");
        assert_eq!(steps[0]["output"], "one\n");
        assert_eq!(
            (&steps[1]["success"], &steps[1]["error"]),
            (&json!(false), &json!("cancelled"))
        );
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
    let job = daemon.call_value("chain.run", &params).unwrap()["job"].clone();
    // The connection is closed by now, and the step is still running.
    std::fs::write(&fifo, "late\n").unwrap();
    let ended = get(&daemon, &job);
    assert_eq!(ended["result"]["steps"][0]["output"], "late\n", "{ended}");
}

#[test]
fn an_interrupt_cancels_and_says_so() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let mut command = ccctl.command(&["chain", "run", "--file", "-"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let chain = json!({"commands": [{"command": "echo one"}, {"command": "sleep 4713.3"}]});
    serde_json::to_writer(child.stdin.take().unwrap(), &chain).unwrap();
    eventually("the step runs", || {
        (!with_command_line("sleep 4713.3").is_empty()).then_some(())
    });
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{told}");
    assert!(
        told.contains("cancelling job-") && told.contains("chain.run: cancelled"),
        "{told}"
    );
    assert!(
        String::from_utf8(output.stdout)
            .unwrap()
            .starts_with("ok 1 echo one")
    );
    assert!(with_command_line("sleep 4713.3").is_empty());
}

#[test]
fn a_result_outlives_the_daemon() {
    let mut daemon = Daemon::start();
    let mut connection = daemon.connect();
    let chain = json!({"commands": [{"command": "echo kept"}]});
    let job = connection
        .call_value("chain.run", &json!({ "chain": chain }))
        .unwrap()["job"]
        .clone();
    let before = get(&daemon, &job);
    let unfinished = begun(&mut connection, "4713.4", &json!({}));
    daemon.stop();
    daemon.restart();
    assert_eq!(get(&daemon, &job), before);
    let stopped = get(&daemon, &unfinished);
    assert_eq!(
        (&stopped["state"], &stopped["error"]["message"]),
        (&json!("cancelled"), &json!("the daemon is stopping"))
    );
    assert_eq!(
        stopped["result"]["steps"][0]["output"], "one\n",
        "{stopped}"
    );
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
    subscriber
        .call_value("job.subscribe", &json!({ "job": job }))
        .unwrap();
    eventually("the first step is reported", || {
        let item = subscriber.next_item().unwrap();
        (item["entry_count"] == 1).then_some(())
    });
    kill_worker(&daemon);
    let failed = get(&daemon, &job);
    assert_eq!(failed["state"], "failed", "{failed}");
    let why = failed["error"]["message"].as_str().unwrap();
    assert!(why.contains("killed or replaced"), "{why}");
    assert!(failed["ended_at"].is_string());
    let steps = failed["result"]["steps"].as_array().unwrap();
    assert!(steps.len() <= 1, "{failed}");
    eventually("its program has ended", || {
        with_command_line("sleep 4713.5").is_empty().then_some(())
    });
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
    eventually("the step runs", || {
        (!with_command_line("sleep 4713.6").is_empty()).then_some(())
    });
    kill_worker(&daemon);
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(
        told.contains("chain.run: the worker was killed or replaced"),
        "{told}"
    );
    eventually("its program has ended", || {
        with_command_line("sleep 4713.6").is_empty().then_some(())
    });
}

#[test]
fn a_chain_waits_for_a_place() {
    let daemon = Daemon::builder().config("{max_sessions: 1}").start();
    let mut connection = daemon.connect();
    let holds = connection.start_session(&["cat"]);
    let chain = json!({"timeout": 60, "commands": [{"command": "echo after"}]});
    let job = connection
        .call_value("chain.run", &json!({ "chain": chain }))
        .unwrap()["job"]
        .clone();
    let waiting = eventually("it is queued", || {
        let job = connection
            .call_value("job.get", &json!({ "job": job }))
            .unwrap();
        (job["state"] == "queued").then_some(job)
    });
    assert!(
        waiting["progress"]["waits_for"]
            .as_str()
            .unwrap()
            .contains("max_sessions"),
        "{waiting}"
    );
    let status = connection.call_value("daemon.status", &json!({})).unwrap();
    assert_eq!(status["jobs"], json!({"queued": 1, "running": 0}));
    connection
        .call_value("session.close", &json!({ "session": holds }))
        .unwrap();
    let done = get(&daemon, &job);
    assert_eq!(done["result"]["steps"][0]["output"], "after\n", "{done}");
    // A job that is waiting is cancelled at once.
    let holds = connection.start_session(&["cat"]);
    let job = connection
        .call_value("chain.run", &json!({ "chain": chain }))
        .unwrap()["job"]
        .clone();
    connection
        .call_value("job.cancel", &json!({ "job": job }))
        .unwrap();
    assert_eq!(get(&daemon, &job)["state"], "cancelled");
    connection
        .call_value("session.close", &json!({ "session": holds }))
        .unwrap();
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
        connection
            .call_value("job.cancel", &json!({ "job": job }))
            .unwrap();
    }
    assert_eq!(get(&daemon, &jobs[63])["state"], "cancelled");
}

/// Saves a chain whose step starts the same chain again; returns the parameters that run it.
fn recursive(daemon: &Daemon) -> Value {
    let client = env!("CARGO_BIN_EXE_ccctl_under_test");
    let command = format!("{client} chain run again");
    let chain = json!({"commands": [{"command": command}]});
    daemon
        .call_value("chain.save", &json!({"name": "again", "chain": chain}))
        .unwrap();
    let env = json!({"CCD_HOME": daemon.home(), "CCD_NO_START": "1", "PATH": "/usr/bin:/bin"});
    json!({"name": "again", "caller_env": env})
}

#[test]
fn a_chain_that_starts_itself_is_told_so_and_ends() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let started = connection
        .call_value("chain.run", &recursive(&daemon))
        .unwrap();
    let job = get(&daemon, &started["job"]);
    assert_eq!(job["result"]["success"], false, "{job}");
    assert!(
        job.to_string().contains("does a job start itself?"),
        "{job}"
    );
    let jobs = connection.call_value("job.list", &json!({})).unwrap();
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
    let job = connection.call_value("chain.run", &params).unwrap()["job"].clone();
    eventually("the inner job runs", || {
        (!with_command_line("sleep 4713.9").is_empty()).then_some(())
    });
    connection
        .call_value("job.cancel", &json!({ "job": job }))
        .unwrap();
    assert_eq!(get(&daemon, &job)["state"], "cancelled");
    eventually("no job runs", || {
        let status = connection.call_value("daemon.status", &json!({})).unwrap();
        (status["jobs"] == json!({"queued": 0, "running": 0})).then_some(())
    });
    nothing_is_left(&daemon);
}
