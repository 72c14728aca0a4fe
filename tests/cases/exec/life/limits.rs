//! Runs that are ended: by their time limit, by silence, by a client, after their answer.

use crate::support::eventually;
use crate::support::exec::{Claude, Executor, Repository};
use serde_json::{Value, json};

const IGNORES_SIGNALS: &str = "trap '' INT TERM HUP; init; say 'I stay.'; touch \"$HOME/started\"; while :; do sleep 0.2; done";

#[test]
fn a_claude_that_ignores_int_and_term_is_killed_and_its_limit_is_the_verdict() {
    let executor = Executor::with_script(IGNORES_SIGNALS);
    let params = json!({"timeout": 1, "output_format": "text"});
    let ran = executor.run(&Repository::new(), &params);
    let result = ran.ended_as("timeout", "time limit of 1 second");
    assert_eq!(result.stdout, "I stay.\n");
    // TERM comes 5 s after INT, KILL another 2 s later.
    let elapsed = result.execution_time;
    assert!((7.0..11.0).contains(&elapsed), "{elapsed}");
}

#[test]
fn the_first_signal_is_int_at_the_configured_limit_and_what_was_changed_until_then_is_in_the_diff()
{
    let script = "trap 'date +%s.%N > \"$HOME/int\"; result; exit 0' INT; init; echo half > half.txt; date +%s.%N > \"$HOME/start\"; while :; do sleep 0.02; done";
    // It counts if the request has none.
    let executor = Executor::configured(Claude::script(script), &json!({"timeout": 2}));
    let repository = Repository::new();
    let ran = executor.run(&repository, &json!({"timeout": null}));
    let message = ran.result.error_message.unwrap();
    assert!(message.contains("time limit of 2 seconds"), "{message}");
    assert_eq!(ran.result.status.name(), "timeout");
    assert_eq!(ran.result.files_changed, ["half.txt"]);
    assert_eq!(ran.result.diff, repository.diff_since("HEAD"));
    let at = |name: &str| executor.wait_for_file(name).trim().parse::<f64>().unwrap();
    let after = at("int") - at("start");
    assert!((1.0..3.0).contains(&after), "{after}");
}

#[test]
fn silence_is_progress_with_evidence_and_ends_no_run_by_itself() {
    let claude = Claude::script("init; while ! [ -e \"$HOME/go\" ]; do sleep 0.05; done; result");
    let executor = Executor::configured(claude, &json!({"stall_s": 1}));
    let repository = Repository::new();
    let started = executor.start(&repository, &json!({}));
    let progress = executor.wait_for_progress(&started, |progress| {
        progress["stalled_s"].as_u64() >= Some(1)
    });
    let evidence = progress["evidence"].as_str();
    assert!(evidence.is_some_and(|text| !text.is_empty()), "{progress}");
    std::fs::write(executor.claude.home().join("go"), "").unwrap();
    assert_eq!(executor.result(&started).status.name(), "success");
}

#[test]
fn silence_ends_a_run_that_has_a_stall_timeout_and_output_postpones_that() {
    let executor = Executor::with_script("init; exec sleep 300");
    let repository = Repository::new();
    let ran = executor.run(&repository, &json!({"stall_timeout": 1}));
    ran.ended_as("timeout", "printed nothing for 1 second");
    let speaks = "init; for i in 1 2 3 4 5 6; do say \"$i\"; sleep 0.4; done; result";
    executor.claude.stand_in(speaks);
    executor
        .run(&repository, &json!({"stall_timeout": 2}))
        .succeeded_and_changed(&[]);
}

/// A run that is cancelled in some way fails, and nothing of it is left.
fn cancelled(cancel: impl Fn(&Executor, &ccd_protocol::exec::ExecStarted)) {
    let executor =
        Executor::with_script("init; touch \"$HOME/started\"; setsid sleep 300 & sleep 300");
    let repository = Repository::new();
    let started = executor.start(&repository, &json!({}));
    executor.wait_for_file("started");
    cancel(&executor, &started);
    let result = executor.result(&started);
    assert_eq!(result.status.name(), "failed");
    let message = result.error_message.unwrap();
    assert!(message.contains("cancelled"), "{message}");
    executor.assert_nothing_runs();
    assert_eq!(executor.job(&started, 0)["state"], "cancelled");
}

#[test]
fn a_run_is_cancelled_by_its_own_id_and_by_its_job() {
    cancelled(|executor, started| {
        let params = json!({"request_id": started.request_id});
        executor.daemon.ok("exec.cancel", &params);
    });
    cancelled(|executor, started| {
        let params = json!({"job": started.job});
        executor.daemon.ok("job.cancel", &params);
    });
}

#[test]
fn progress_names_phases_turns_and_tools_and_entries_are_the_lines_of_claude_code() {
    let call = r#"printf '{"type":"assistant","message":{"id":"m2","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"true"}}]},"parent_tool_use_id":null}\n'"#;
    let executor = Executor::with_script(&format!(
        "init; say one; {call}; while ! [ -e \"$HOME/go\" ]; do sleep 0.05; done; result"
    ));
    let repository = Repository::new();
    let started = executor.start(&repository, &json!({"output_format": "stream-json"}));
    let progress = executor.wait_for_progress(&started, |progress| progress["calls"] == 1);
    for (name, value) in [
        ("phase", json!("running")),
        ("tool", json!("Bash")),
        ("turns", json!(2)),
    ] {
        assert_eq!(progress[name], value, "{progress}");
    }
    let mut connection = executor.daemon.connect();
    connection.ok("job.subscribe", &json!({"job": started.job}));
    std::fs::write(executor.claude.home().join("go"), "").unwrap();
    let mut lines: Vec<String> = Vec::new();
    loop {
        let item = connection.next_item().unwrap();
        let line = |entry: &Value| entry["value"].as_str().unwrap().to_owned();
        lines.extend(item["entries"].as_array().into_iter().flatten().map(line));
        if item["ended"] == true {
            break;
        }
    }
    let stdout = executor.result(&started).stdout;
    assert_eq!(lines, stdout.lines().collect::<Vec<&str>>());
    let first: Value = serde_json::from_str(&lines[0]).unwrap();
    assert_eq!(first["subtype"], "init");
    eventually("the job has ended", || {
        (executor.job(&started, 0)["state"] == "done").then_some(())
    });
}
