//! Commands in parallel.

use super::commands::outputs;
use crate::support::client::Ran;
use crate::support::processes::with_command_line;
use crate::support::session::assert_error;
use crate::support::{Ccctl, Daemon, assert_fields, assert_has, assert_lacks, eventually};
use ccd_protocol::ErrorCode;
use serde_json::{Value, json};

fn results(daemon: &Daemon, params: &Value) -> Vec<Value> {
    let ended = daemon.job("chain.parallel", params);
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
    let printed = ["a\n", "", "a\n", "", "b  c\n", "", ""];
    assert_eq!(outputs(&results), printed);
    let successes = results.iter().map(|result| result["success"] == true);
    let expected = [true, false, true, false, true, false, false];
    assert!(successes.eq(expected), "{results:?}");
    for (index, result) in results.iter().enumerate() {
        assert_fields(result, json!({"index": index, "command": commands[index]}));
    }
    assert_fields(&results[1], json!({"exit_code": 1, "error": null}));
    assert_has(&results[3]["error"], ["no-such-program"]);
    assert_has(&results[5]["error"], ["&& needs a shell"]);
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
    let job = connection.ok("chain.parallel", &params)["job"].clone();
    connection.ok("job.subscribe", &json!({ "job": job }));
    let mut indexes = Vec::new();
    while indexes.len() < 3 {
        let item = connection.next_item().unwrap();
        let entries = item["entries"].as_array().into_iter().flatten();
        indexes.extend(entries.map(|entry| entry["value"]["index"].as_u64().unwrap()));
    }
    assert_eq!(indexes, [1, 2, 3]);
    std::fs::write(&fifo, "slow\n").unwrap();
    let ended = connection.ended_job(&job);
    let results = ended["result"]["results"].as_array().unwrap();
    assert_eq!(outputs(results), ["slow\n", "1\n", "2\n", "3\n"]);
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
        let results = results(&daemon, &params);
        let marks = outputs(&results).into_iter();
        let most = marks
            .map(|marks| marks.trim().parse::<u64>().unwrap())
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
        assert_has(&result["error"], ["max_sessions"]);
    }
}

#[test]
fn each_command_has_its_own_time_and_what_cannot_be_meant_is_refused() {
    let daemon = Daemon::start();
    let params = json!({"commands": ["sleep 4714.1", "echo quick"], "timeout_ms": 500});
    let results = results(&daemon, &params);
    assert_fields(&results[0], json!({"timed_out": true, "success": false}));
    assert_eq!(results[1]["output"], "quick\n");
    assert!(with_command_line("sleep 4714.1").is_empty());
    for params in [
        json!({"commands": []}),
        json!({"commands": ["a"], "max_concurrent": 0}),
        json!({"commands": ["a"], "max_concurrent": 65}),
        json!({"commands": ["a"], "timeout_ms": -1}),
        json!({"commands": vec!["a"; 1001]}),
    ] {
        let error = daemon.error("chain.parallel", &params);
        assert_error(&error, ErrorCode::InvalidArgument);
    }
}

#[test]
fn cancelled_it_leaves_nothing_and_says_what_was_done() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let commands = json!(["echo done", "sleep 4714.2", "sleep 4714.2", "echo waiting"]);
    let params = json!({"commands": commands, "max_concurrent": 2});
    let job = connection.ok("chain.parallel", &params)["job"].clone();
    eventually("two run", || {
        (with_command_line("sleep 4714.2").len() == 2).then_some(())
    });
    connection.ok("job.cancel", &json!({ "job": job }));
    let ended = connection.ended_job(&job);
    assert!(with_command_line("sleep 4714.2").is_empty());
    assert_eq!(ended["state"], "cancelled", "{ended}");
    let results = ended["result"]["results"].as_array().unwrap();
    let errors: Vec<&Value> = results.iter().map(|result| &result["error"]).collect();
    let (cancelled, waiting) = (json!("cancelled"), json!("cancelled before it started"));
    assert_eq!(errors, [&Value::Null, &cancelled, &cancelled, &waiting]);
    assert_eq!(ended["result"]["succeeded"], 1);
}

#[test]
fn the_client_tells_of_each_as_it_ends_and_then_how_many_succeeded() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let all = ccctl.ok(&["parallel", "true"]);
    assert!(all.ends_with("1/1 commands succeeded\n"), "{all}");
    let ran = ccctl.run(&["parallel", "--shell", "echo out; false", "echo a | tr a b"]);
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.stdout.ends_with("\n1/2 commands succeeded\n"),
        "{ran:?}"
    );
    assert_has(
        &ran.stdout,
        ["failed 1 echo out; false: exit status 1 (", "\n  out\n"],
    );
    assert_lacks(&ran.stdout, ["\n  b\n"]);
    let shown = ccctl.ok(&["parallel", "--output", "echo shown"]);
    assert_has(&shown, ["\n  shown\n"]);
    let ran = ccctl.run(&["parallel", "echo a", "echo a", "--json"]);
    let lines = ran.json_lines();
    assert_eq!((lines.len(), ran.code), (3, Some(0)));
    assert_eq!(lines[0]["output"], "a\n");
    assert_eq!(lines[2]["result"]["succeeded"], 2);
}

#[test]
fn commands_come_from_a_file_or_standard_input() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let mut command = ccctl.command(&["parallel", "echo first", "--file", "-", "--json"]);
    let given = "# a comment\n\necho second\n  echo third\n";
    let lines = Ran::with_input(&mut command, given).json_lines();
    let commands = lines.iter().filter_map(|line| line["command"].as_str());
    let mut commands: Vec<&str> = commands.collect();
    commands.sort_unstable();
    assert_eq!(commands, ["echo first", "echo second", "echo third"]);
    let missing = ccctl.run(&["parallel", "--file", "/no/such/file"]);
    assert_has(&missing.stderr, ["/no/such/file"]);
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
