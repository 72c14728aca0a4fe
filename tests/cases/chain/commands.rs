//! Chains: commands in sequence.

use crate::support::session::assert_error;
use crate::support::{Ccctl, Connection, Daemon};
use ccd_protocol::ErrorCode;
use serde_json::{Value, json};

/// Runs a chain to its end and returns the job.
#[track_caller]
pub(crate) fn job_of(daemon: &Daemon, params: &Value) -> Value {
    let mut connection = daemon.connect();
    let started = connection.call_value("chain.run", params).unwrap();
    let get = json!({"job": started["job"], "wait_ms": 30_000});
    connection.call_value("job.get", &get).unwrap()
}

/// Runs a chain and returns its steps.
#[track_caller]
pub(crate) fn steps(daemon: &Daemon, commands: &Value) -> Vec<Value> {
    let job = job_of(daemon, &json!({"chain": {"commands": commands}}));
    assert_eq!(job["state"], "done", "{job}");
    job["result"]["steps"].as_array().unwrap().clone()
}

pub(crate) fn refused(daemon: &Daemon, method: &str, params: &Value, code: ErrorCode) -> String {
    let error = daemon.call_value(method, params).unwrap_err();
    assert_error(&error, code);
    error["message"].as_str().unwrap().to_owned()
}

fn ran(steps: &[Value]) -> Vec<bool> {
    steps.iter().map(|step| step["ran"] == true).collect()
}

#[test]
fn steps_run_after_success_after_failure_or_always_and_those_that_do_not_are_listed() {
    let daemon = Daemon::start();
    let job = job_of(
        &daemon,
        &json!({"chain": {"commands": [
            {"command": "echo always"},
            {"command": "false"},
            {"command": "echo mended", "on_failure": true},
            {"command": "echo never", "on_success": true},
        ]}}),
    );
    let steps = job["result"]["steps"].as_array().unwrap();
    assert_eq!(ran(steps), [true, true, true, false]);
    let outputs: Vec<&str> = steps
        .iter()
        .map(|step| step["output"].as_str().unwrap())
        .collect();
    assert_eq!(outputs, ["always\n", "", "mended\n", ""]);
    assert_eq!(steps[1]["exit_code"], 1);
    assert_eq!(
        (&steps[3]["success"], &steps[3]["exit_code"]),
        (&json!(false), &Value::Null)
    );
    assert_eq!(steps[3]["skipped_reason"], "on_success: step 2 failed");
    let result = &job["result"];
    assert_eq!(
        [
            &result["ran"],
            &result["failed"],
            &result["skipped"],
            &result["success"]
        ],
        [&json!(3), &json!(1), &json!(1), &json!(false)]
    );
}

#[test]
fn steps_run_by_their_numbers_and_conditions_look_at_earlier_ones() {
    let daemon = Daemon::start();
    let steps = steps(
        &daemon,
        &json!([
            {"command": "printf 'a\\nversion 3\\n'"},
            {"command": "echo yes", "condition": {"output_matches": "^version [0-9]$"}},
            {"command": "echo no", "condition": {"step": 1, "output_matches": "version 4"}},
            {"command": "echo not", "condition": {"not": {"step": 1, "output_matches": "version 4"}}},
            {"command": "sh -c 'exit 7'"},
            {"command": "echo seven", "condition": {"step": -1, "exit_code": 7, "success": false}},
        ]),
    );
    assert_eq!(ran(&steps), [true, true, false, true, true, true]);
    assert_eq!(steps[2]["skipped_reason"], "the condition does not hold");
    let steps = self::steps(
        &daemon,
        &json!([
            {"command": "echo last", "sequence_order": 30},
            {"command": "echo first", "sequence_order": 10},
            {"command": "echo middle"},
        ]),
    );
    let told = steps.iter().map(|step| {
        let order = step["sequence_order"].as_i64().unwrap();
        (order, step["output"].as_str().unwrap())
    });
    let expected = [(10, "first\n"), (11, "middle\n"), (30, "last\n")];
    assert_eq!(told.collect::<Vec<_>>(), expected);
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
    assert_eq!(
        (&steps[3]["output"], &steps[3]["exit_code"]),
        (&json!("HELLO  WORLD\n"), &json!(1))
    );
    assert_eq!(steps[4]["output"], "typed\n/\n");
    let outputs = steps[5..]
        .iter()
        .map(|step| step["output"].as_str().unwrap());
    assert_eq!(outputs.collect::<Vec<_>>(), ["read\n", "", "no\n", "5\n"]);
    let apart = job_of(
        &daemon,
        &json!({"chain": {"commands": [{"command": "cd /"}, {"command": "pwd"}]}, "shell": true, "cwd": "/usr"}),
    );
    assert_eq!(apart["result"]["steps"][1]["output"], "/usr\n");
}

#[test]
fn a_shell_that_ends_or_hangs_takes_no_further_step() {
    let daemon = Daemon::start();
    let job = job_of(
        &daemon,
        &json!({"shared": true, "chain": {"commands": [
            {"command": "exit 3"}, {"command": "echo never", "on_failure": true},
        ]}}),
    );
    let steps = &job["result"]["steps"];
    assert_eq!(steps[0]["exit_code"], 3, "{job}");
    assert_eq!(steps[1]["skipped_reason"], "the shell exited in step 1");
    // After an interrupted step, the shell can be used again.
    let job = job_of(
        &daemon,
        &json!({"shared": true, "chain": {"timeout": 0.5, "commands": [
            {"command": "echo begun; sleep 4712.5"}, {"command": "echo on"},
        ]}}),
    );
    let steps = &job["result"]["steps"];
    assert_eq!(
        (&steps[0]["timed_out"], &steps[0]["output"]),
        (&json!(true), &json!("begun\n")),
        "{job}"
    );
    assert_eq!(steps[1]["output"], "on\n", "{job}");
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
    assert!(
        steps[0]["output"]
            .as_str()
            .unwrap()
            .ends_with("hello Ada\n"),
        "{steps:?}"
    );
    assert_eq!(steps[1]["success"], false);
    assert_eq!(steps[1]["error"], "\"else\" did not appear");
    assert_eq!(
        (&steps[2]["output"], &steps[3]["output"]),
        (&json!("in\nput\n"), &json!(""))
    );
    assert_eq!(steps[4]["success"], true);
    let shared = job_of(
        &daemon,
        &json!({"shared": true, "chain": {"commands": [commands[0], commands[1]]}}),
    );
    let steps = &shared["result"]["steps"];
    assert!(
        steps[0]["output"]
            .as_str()
            .unwrap()
            .ends_with("hello Ada\n"),
        "{shared}"
    );
    assert_eq!(steps[1]["error"], "\"else\" did not appear");
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
    assert!(
        steps[0]["error"]
            .as_str()
            .unwrap()
            .contains("no-such-program"),
        "{job}"
    );
    assert_eq!(
        (&steps[1]["timed_out"], &steps[1]["output"]),
        (&json!(true), &json!("begun\n"))
    );
    assert_eq!(
        (&steps[2]["signal"], &steps[2]["error"]),
        (&json!(9), &json!("ended by signal 9"))
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
    let ran = ccctl.run(&["chain", "run", "--file", file.to_str().unwrap(), "--json"]);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let lines: Vec<Value> = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 4);
    for (line, order) in lines[..3].iter().zip(1..) {
        assert_eq!(line["sequence_order"], order);
    }
    assert_eq!(
        (&lines[3]["state"], &lines[3]["result"]["skipped"]),
        (&json!("done"), &json!(1))
    );
    assert!(
        lines[3]["result"].get("steps").is_none(),
        "the steps are printed only once"
    );
    let id = ccctl.ok(&["chain", "run", "--file", file.to_str().unwrap(), "--detach"]);
    let shown = ccctl.ok(&["job", "get", id.trim(), "--wait", "20"]);
    assert!(
        shown.contains("skipped 3 echo x: on_success: step 2 failed"),
        "{shown}"
    );
}

#[test]
fn a_secret_is_not_saved_and_not_kept() {
    let daemon = Daemon::start();
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let chain = json!({"commands": [{"command": format!("echo token={secret}")}]});
    let message = refused(
        &daemon,
        "chain.save",
        &json!({"name": "x", "chain": chain}),
        ErrorCode::InvalidArgument,
    );
    assert!(
        message.contains("commands[0].command") && !message.contains(secret),
        "{message}"
    );
    let job = job_of(&daemon, &json!({ "chain": chain }));
    assert!(
        job.to_string().contains("***") && !job.to_string().contains(secret),
        "{job}"
    );
    let database = std::fs::read(daemon.home().join("ccd.sqlite")).unwrap();
    let log = std::fs::read(daemon.home().join("ccd.sqlite-wal")).unwrap();
    for bytes in [database, log] {
        let found = bytes
            .windows(secret.len())
            .any(|part| part == secret.as_bytes());
        assert!(!found, "the secret is on the disk");
    }
}

#[test]
fn each_entry_is_told_once_to_whoever_comes_when() {
    let daemon = Daemon::start();
    let commands: Vec<Value> = (0..20)
        .map(|n| json!({"command": format!("echo {n}")}))
        .collect();
    let mut early = daemon.connect();
    let started = early
        .call_value("chain.run", &json!({"chain": {"commands": commands}}))
        .unwrap();
    let seqs = |connection: &mut Connection, since: Option<u64>| {
        let params = json!({"job": started["job"], "since": since});
        connection.call_value("job.subscribe", &params).unwrap();
        let mut seqs = Vec::new();
        for number in 0.. {
            let item = connection.next_item().unwrap();
            assert_eq!(
                (&item["seq"], &item["job"]),
                (&json!(number), &started["job"])
            );
            for entry in item["entries"].as_array().into_iter().flatten() {
                let seq = entry["seq"].as_u64().unwrap();
                assert_eq!(entry["value"]["output"], format!("{seq}\n"));
                seqs.push(seq);
            }
            if item["ended"] == true {
                assert_eq!(
                    (&item["state"], &item["entry_count"]),
                    (&json!("done"), &json!(20))
                );
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
