//! Commands in parallel.

use crate::support::processes::with_command_line;
use crate::support::session::assert_error;
use crate::support::{Ccctl, Daemon, eventually};
use ccd_protocol::ErrorCode;
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::Stdio;

fn results(daemon: &Daemon, params: &Value) -> Vec<Value> {
    let mut connection = daemon.connect();
    let job = connection.call_value("chain.parallel", params).unwrap()["job"].clone();
    let ended = connection
        .call_value("job.get", &json!({"job": job, "wait_ms": 30_000}))
        .unwrap();
    assert_eq!(ended["state"], "done", "{ended}");
    ended["result"]["results"].as_array().unwrap().clone()
}

#[test]
fn results_come_in_order_with_duplicates_and_failures_concern_themselves_alone() {
    let daemon = Daemon::start();
    let commands = json!([
        "echo a",
        "false",
        "echo a",
        "no-such-program",
        "echo 'b  c'",
        "echo x && echo y",
        ""
    ]);
    let results = results(&daemon, &json!({ "commands": commands }));
    let outputs: Vec<&str> = results
        .iter()
        .map(|result| result["output"].as_str().unwrap())
        .collect();
    assert_eq!(outputs, ["a\n", "", "a\n", "", "b  c\n", "", ""]);
    let successes: Vec<bool> = results
        .iter()
        .map(|result| result["success"] == true)
        .collect();
    assert_eq!(successes, [true, false, true, false, true, false, false]);
    for (index, result) in results.iter().enumerate() {
        assert_eq!(
            (&result["index"], &result["command"]),
            (&json!(index), &commands[index])
        );
    }
    assert_eq!(
        (&results[1]["exit_code"], results[1].get("error")),
        (&json!(1), None)
    );
    assert!(
        results[3]["error"]
            .as_str()
            .unwrap()
            .contains("no-such-program")
    );
    assert!(
        results[5]["error"]
            .as_str()
            .unwrap()
            .starts_with("&& needs a shell")
    );
    assert_eq!(results[6]["error"], "the command is empty");
}

#[test]
fn a_slow_one_does_not_hold_the_others() {
    let daemon = Daemon::start();
    let fifo = daemon.home().join("fifo");
    rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, 0o600.into()).unwrap();
    let mut connection = daemon.connect();
    let commands = json!([
        "sh -c 'read x < fifo; echo $x'",
        "echo 1",
        "echo 2",
        "echo 3"
    ]);
    let params = json!({"commands": commands, "max_concurrent": 2, "cwd": daemon.home()});
    let job = connection.call_value("chain.parallel", &params).unwrap()["job"].clone();
    connection
        .call_value("job.subscribe", &json!({ "job": job }))
        .unwrap();
    let mut indexes = Vec::new();
    while indexes.len() < 3 {
        let item = connection.next_item().unwrap();
        let entries = item["entries"].as_array().into_iter().flatten();
        indexes.extend(entries.map(|entry| entry["value"]["index"].as_u64().unwrap()));
    }
    assert_eq!(indexes, [1, 2, 3]);
    std::fs::write(&fifo, "slow\n").unwrap();
    let ended = daemon
        .call_value("job.get", &json!({"job": job, "wait_ms": 30_000}))
        .unwrap();
    let outputs: Vec<&Value> = ended["result"]["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| &result["output"])
        .collect();
    assert_eq!(outputs, ["slow\n", "1\n", "2\n", "3\n"]);
}

#[test]
fn no_more_run_at_a_time_than_are_asked_for_or_have_a_place() {
    let daemon = Daemon::builder().config("{max_sessions: 2}").start();
    // Each command leaves a mark while it runs, and prints how many marks there are. (The shell counts them itself:
    // `ls` would report an error for a mark that disappears meanwhile.)
    let one = "sh -c 'mkdir run.$$; set -- run.*; echo $#; sleep 0.05; rmdir run.$$'";
    for concurrent in [1, 10] {
        let commands = vec![one; 6];
        let params =
            json!({"commands": commands, "max_concurrent": concurrent, "cwd": daemon.home()});
        let most = results(&daemon, &params)
            .iter()
            .map(|result| {
                result["output"]
                    .as_str()
                    .unwrap()
                    .trim()
                    .parse::<u64>()
                    .unwrap()
            })
            .max();
        assert!(most.unwrap() <= concurrent.min(2), "{most:?}");
    }
}

#[test]
fn commands_time_out_while_other_sessions_take_all_places() {
    let daemon = Daemon::builder().config("{max_sessions: 1}").start();
    daemon.connect().start_session(&["cat"]);
    let params = json!({"commands": vec!["echo hi"; 20], "timeout_ms": 300});
    for result in results(&daemon, &params) {
        assert_eq!(result["timed_out"], true, "{result}");
        let error = result["error"].as_str().unwrap();
        assert!(error.contains("max_sessions"), "{error}");
    }
}

#[test]
fn each_command_has_its_own_time_and_what_cannot_be_meant_is_refused() {
    let daemon = Daemon::start();
    let params = json!({"commands": ["sleep 4714.1", "echo quick"], "timeout_ms": 500});
    let results = results(&daemon, &params);
    assert_eq!(
        (&results[0]["timed_out"], &results[0]["success"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(results[1]["output"], "quick\n");
    assert!(with_command_line("sleep 4714.1").is_empty());
    for params in [
        json!({"commands": []}),
        json!({"commands": ["a"], "max_concurrent": 0}),
        json!({"commands": ["a"], "max_concurrent": 65}),
        json!({"commands": ["a"], "timeout_ms": -1}),
        json!({"commands": vec!["a"; 1001]}),
    ] {
        let error = daemon.call_value("chain.parallel", &params).unwrap_err();
        assert_error(&error, ErrorCode::InvalidArgument);
    }
}

#[test]
fn cancelled_it_leaves_nothing_and_says_what_was_done() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let commands = json!(["echo done", "sleep 4714.2", "sleep 4714.2", "echo waiting"]);
    let params = json!({"commands": commands, "max_concurrent": 2});
    let job = connection.call_value("chain.parallel", &params).unwrap()["job"].clone();
    eventually("two run", || {
        (with_command_line("sleep 4714.2").len() == 2).then_some(())
    });
    connection
        .call_value("job.cancel", &json!({ "job": job }))
        .unwrap();
    let ended = connection
        .call_value("job.get", &json!({"job": job, "wait_ms": 20_000}))
        .unwrap();
    assert!(with_command_line("sleep 4714.2").is_empty());
    assert_eq!(ended["state"], "cancelled", "{ended}");
    let results = ended["result"]["results"].as_array().unwrap();
    let errors: Vec<&Value> = results.iter().map(|result| &result["error"]).collect();
    assert_eq!(
        errors,
        [
            &Value::Null,
            &json!("cancelled"),
            &json!("cancelled"),
            &json!("cancelled before it started")
        ]
    );
    assert_eq!(ended["result"]["succeeded"], 1);
}

#[test]
fn the_client_tells_of_each_as_it_ends_and_then_how_many_succeeded() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    assert_eq!(
        ccctl.ok(&["parallel", "true"]).lines().last(),
        Some("1/1 commands succeeded")
    );
    let ran = ccctl.run(&["parallel", "--shell", "echo out; false", "echo a | tr a b"]);
    assert_eq!(ran.code, Some(1));
    let mut lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines.pop(), Some("1/2 commands succeeded"));
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("failed 1 echo out; false: exit status 1 (")),
        "{}",
        ran.stdout
    );
    assert!(
        lines.contains(&"  out") && !lines.contains(&"  b"),
        "{}",
        ran.stdout
    );
    assert!(
        ccctl
            .ok(&["parallel", "--output", "echo shown"])
            .contains("\n  shown\n")
    );
    let ran = ccctl.run(&["parallel", "echo a", "echo a", "--json"]);
    let lines: Vec<Value> = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!((lines.len(), ran.code), (3, Some(0)));
    assert_eq!(
        (&lines[0]["output"], &lines[2]["result"]["succeeded"]),
        (&json!("a\n"), &json!(2))
    );
}

#[test]
fn commands_come_from_a_file_or_standard_input() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let mut command = ccctl.command(&["parallel", "echo first", "--file", "-", "--json"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"# a comment\n\necho second\n  echo third\n")
        .unwrap();
    let output = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    let mut commands: Vec<String> = output
        .lines()
        .filter_map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["command"]
                .as_str()
                .map(str::to_owned)
        })
        .collect();
    commands.sort_unstable();
    assert_eq!(commands, ["echo first", "echo second", "echo third"]);
    let missing = ccctl.run(&["parallel", "--file", "/no/such/file"]);
    assert!(
        missing.stderr.contains("/no/such/file"),
        "{}",
        missing.stderr
    );
}

#[test]
fn of_an_output_that_is_too_long_the_end_is_kept() {
    let daemon = Daemon::start();
    let results = results(&daemon, &json!({"commands": ["seq 3000000"]}));
    let output = results[0]["output"].as_str().unwrap();
    assert!(output.ends_with("\n2999999\n3000000\n"));
    // The length of all lines together.
    let omitted = results[0]["omitted_bytes"].as_u64().unwrap();
    assert_eq!(omitted + output.len() as u64, 22_888_896);
}
