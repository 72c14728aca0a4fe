//! Chains: commands in sequence.

use crate::support::files::files_with;
use crate::support::session::assert_error;
use crate::support::{Ccctl, Connection, Daemon, assert_fields, assert_has, assert_lacks};
use ccd_protocol::ErrorCode;
use serde_json::{Value, json};

/// Runs a chain to its end and returns the job.
#[track_caller]
pub(crate) fn job_of(daemon: &Daemon, params: &Value) -> Value {
    daemon.job("chain.run", params)
}

/// Runs a chain and returns its steps.
#[track_caller]
pub(crate) fn steps(daemon: &Daemon, commands: &Value) -> Vec<Value> {
    let job = job_of(daemon, &json!({"chain": {"commands": commands}}));
    assert_eq!(job["state"], "done", "{job}");
    job["result"]["steps"].as_array().unwrap().clone()
}

pub(crate) fn refused(daemon: &Daemon, method: &str, params: &Value, code: ErrorCode) -> String {
    let error = daemon.error(method, params);
    assert_error(&error, code);
    error["message"].as_str().unwrap().to_owned()
}

/// Returns what each step or command has printed.
pub(crate) fn outputs(results: &[Value]) -> Vec<&str> {
    let results = results.iter();
    results
        .map(|result| result["output"].as_str().unwrap())
        .collect()
}

fn ran(steps: &[Value]) -> Vec<bool> {
    steps.iter().map(|step| step["ran"] == true).collect()
}

#[test]
fn steps_run_after_success_after_failure_or_always_and_those_that_do_not_are_listed() {
    let daemon = Daemon::start();
    let commands = json!([
        {"command": "echo always"},
        {"command": "false"},
        {"command": "echo mended", "on_failure": true},
        {"command": "echo never", "on_success": true},
    ]);
    let job = job_of(&daemon, &json!({"chain": {"commands": commands}}));
    let steps = job["result"]["steps"].as_array().unwrap();
    assert_eq!(ran(steps), [true, true, true, false]);
    assert_eq!(outputs(steps), ["always\n", "", "mended\n", ""]);
    assert_eq!(steps[1]["exit_code"], 1);
    assert_fields(&steps[3], json!({"success": false, "exit_code": null}));
    assert_eq!(steps[3]["skipped_reason"], "on_success: step 2 failed");
    let result = json!({"ran": 3, "failed": 1, "skipped": 1, "success": false});
    assert_fields(&job["result"], result);
}

#[test]
fn steps_run_by_their_numbers_and_conditions_look_at_earlier_ones() {
    let daemon = Daemon::start();
    let commands = json!([
        {"command": "printf 'a\\nversion 3\\n'"},
        {"command": "echo yes", "condition": {"output_matches": "^version [0-9]$"}},
        {"command": "echo no", "condition": {"step": 1, "output_matches": "version 4"}},
        {"command": "echo not", "condition": {"not": {"step": 1, "output_matches": "version 4"}}},
        {"command": "sh -c 'exit 7'"},
        {"command": "echo seven", "condition": {"step": -1, "exit_code": 7, "success": false}},
    ]);
    let steps = steps(&daemon, &commands);
    assert_eq!(ran(&steps), [true, true, false, true, true, true]);
    assert_eq!(steps[2]["skipped_reason"], "the condition does not hold");
    let commands = json!([
        {"command": "echo last", "sequence_order": 30},
        {"command": "echo first", "sequence_order": 10},
        {"command": "echo middle"},
    ]);
    let steps = self::steps(&daemon, &commands);
    assert_eq!(outputs(&steps), ["first\n", "middle\n", "last\n"]);
    let orders: Vec<&Value> = steps.iter().map(|step| &step["sequence_order"]).collect();
    assert_eq!(orders, [10, 11, 30]);
}

#[test]
fn in_one_shell_a_change_of_folder_lasts_and_a_step_without_input_finds_its_end() {
    let daemon = Daemon::start();
    let chain = json!({"commands": [
        {"command": "cd /"},
        {"command": "pwd"},
        {"command": "greeting='hello  world'; export greeting"},
        {"command": "echo \"$greeting\" | tr a-z A-Z && false"},
        {"command": "cat; pwd", "send_text": "typed"},
        {"command": "cat; echo \"read\""},
        {"command": "# nothing"},
        {"command": "if read line; then echo yes; else echo no; fi; x=5"},
        {"command": "echo $x"},
    ]});
    let job = job_of(&daemon, &json!({"chain": chain, "shared": true}));
    let steps = job["result"]["steps"].as_array().unwrap();
    assert_eq!(steps[1]["output"], "/\n", "{job}");
    let failed = json!({"output": "HELLO  WORLD\n", "exit_code": 1});
    assert_fields(&steps[3], failed);
    let rest = ["typed\n/\n", "read\n", "", "no\n", "5\n"];
    assert_eq!(outputs(&steps[4..]), rest);
    let chain = json!({"commands": [{"command": "cd /"}, {"command": "pwd"}]});
    let apart = job_of(
        &daemon,
        &json!({"chain": chain, "shell": true, "cwd": "/usr"}),
    );
    assert_eq!(apart["result"]["steps"][1]["output"], "/usr\n");
}

#[test]
fn a_shell_that_ends_or_hangs_takes_no_further_step() {
    let daemon = Daemon::start();
    let run = |chain: Value| {
        let job = job_of(&daemon, &json!({"shared": true, "chain": chain}));
        job["result"]["steps"].clone()
    };
    let steps = run(json!({"commands": [
        {"command": "exit 3"}, {"command": "echo never", "on_failure": true},
    ]}));
    assert_eq!(steps[0]["exit_code"], 3, "{steps}");
    assert_eq!(steps[1]["skipped_reason"], "the shell exited in step 1");
    // After an interrupted step, the shell can be used again.
    let steps = run(json!({"timeout": 0.5, "commands": [
        {"command": "echo begun; sleep 4712.5"}, {"command": "echo on"},
    ]}));
    assert_fields(&steps[0], json!({"timed_out": true, "output": "begun\n"}));
    assert_eq!(steps[1]["output"], "on\n", "{steps}");
}

#[test]
fn a_step_waits_for_its_pattern_and_answers() {
    let daemon = Daemon::start();
    let ask = "sh -c 'printf \"name? \"; read name; echo hello $name'";
    let commands = json!([
        {"command": ask, "expect_pattern": "name\\? ", "send_text": "Ada"},
        {"command": "echo something", "expect_pattern": "else"},
        {"command": "cat", "send_text": "in\nput"},
        {"command": "cat"},
        {"command": "sh -c 'echo ready; cat'", "expect_pattern": "ready"},
    ]);
    let steps = steps(&daemon, &commands);
    assert_has(&steps[0]["output"], ["hello Ada\n"]);
    let missed = json!({"success": false, "error": "\"else\" did not appear"});
    assert_fields(&steps[1], missed.clone());
    assert_eq!(outputs(&steps[2..4]), ["in\nput\n", ""]);
    assert_eq!(steps[4]["success"], true);
    let chain = json!({"commands": [commands[0], commands[1]]});
    let shared = job_of(&daemon, &json!({"shared": true, "chain": chain}));
    let steps = &shared["result"]["steps"];
    assert_has(&steps[0]["output"], ["hello Ada\n"]);
    assert_fields(&steps[1], missed);
}

#[test]
fn what_cannot_be_run_or_takes_too_long_concerns_its_step_alone() {
    let daemon = Daemon::start();
    let chain = json!({"timeout": 0.5, "commands": [
        {"command": "no-such-program x"},
        {"command": "sh -c 'echo begun; exec sleep 4712.75'"},
        {"command": "sh -c 'kill -9 $$'"},
        {"command": "echo fine"},
    ]});
    let job = job_of(&daemon, &json!({ "chain": chain }));
    let steps = job["result"]["steps"].as_array().unwrap();
    assert_has(&steps[0]["error"], ["no-such-program"]);
    assert_fields(&steps[1], json!({"timed_out": true, "output": "begun\n"}));
    assert_fields(
        &steps[2],
        json!({"signal": 9, "error": "ended by signal 9"}),
    );
    assert_eq!(steps[3]["success"], true);
    assert_eq!(job["result"]["failed"], 3);
}

#[test]
fn a_chain_that_is_run_streams_a_line_a_step_and_tells_by_its_status() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let file = daemon.home().join("c.json");
    let chain = json!({"commands": [{"command": "true"}, {"command": "false"}, {"command": "echo x", "on_success": true}]});
    std::fs::write(&file, chain.to_string()).unwrap();
    let file = file.to_str().unwrap();
    let ran = ccctl.run(&["chain", "run", "--file", file, "--json"]);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let lines = ran.json_lines();
    assert_eq!(lines.len(), 4);
    for (line, order) in lines[..3].iter().zip(1..) {
        assert_eq!(line["sequence_order"], order);
    }
    // The steps are printed only once.
    let result = json!({"skipped": 1, "steps": null});
    assert_fields(&lines[3], json!({"state": "done", "result": result}));
    let id = ccctl.ok(&["chain", "run", "--file", file, "--detach"]);
    let shown = ccctl.ok(&["job", "get", id.trim(), "--wait", "20"]);
    assert_has(&shown, ["skipped 3 echo x: on_success: step 2 failed"]);
}

#[test]
fn a_secret_is_not_saved_and_not_kept() {
    let daemon = Daemon::start();
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let chain = json!({"commands": [{"command": format!("echo token={secret}")}]});
    let save = json!({"name": "x", "chain": chain});
    let message = refused(&daemon, "chain.save", &save, ErrorCode::InvalidArgument);
    assert_has(&message, ["commands[0].command"]);
    assert_lacks(&message, [secret]);
    let job = job_of(&daemon, &json!({ "chain": chain }));
    assert_has(&job, ["***"]);
    assert_lacks(&job, [secret]);
    let mut found = files_with(daemon.home(), secret.as_bytes());
    found.retain(|file| file.to_string_lossy().contains("ccd.sqlite"));
    assert!(found.is_empty(), "the secret is in {found:?}");
}

#[test]
fn each_entry_is_told_once_to_whoever_comes_when() {
    let daemon = Daemon::start();
    let commands: Vec<Value> = (0..20)
        .map(|n| json!({"command": format!("echo {n}")}))
        .collect();
    let mut early = daemon.connect();
    let started = early.ok("chain.run", &json!({"chain": {"commands": commands}}));
    let seqs = |connection: &mut Connection, since: Option<u64>| {
        let params = json!({"job": started["job"], "since": since});
        connection.ok("job.subscribe", &params);
        let mut seqs = Vec::new();
        for number in 0.. {
            let item = connection.next_item().unwrap();
            assert_fields(&item, json!({"seq": number, "job": started["job"]}));
            for entry in item["entries"].as_array().into_iter().flatten() {
                let seq = entry["seq"].as_u64().unwrap();
                assert_eq!(entry["value"]["output"], format!("{seq}\n"));
                seqs.push(seq);
            }
            if item["ended"] == true {
                assert_fields(&item, json!({"state": "done", "entry_count": 20}));
                break;
            }
            assert_eq!(item["ended"], false, "{item}");
        }
        seqs
    };
    assert_eq!(seqs(&mut early, None), (0..20).collect::<Vec<u64>>());
    assert_eq!(seqs(&mut daemon.connect(), Some(18)), [18, 19]);
    assert_eq!(seqs(&mut daemon.connect(), None).len(), 20);
}
