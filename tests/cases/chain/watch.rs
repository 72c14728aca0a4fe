//! Watched programs.

use crate::support::processes::with_command_line;
use crate::support::session::assert_error;
use crate::support::{Ccctl, Daemon, eventually};
use ccd_protocol::ErrorCode;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

fn watched(daemon: &Daemon, params: &Value) -> Value {
    let mut connection = daemon.connect();
    let job = connection.call_value("chain.watch", params).unwrap()["job"].clone();
    let ended = connection
        .call_value("job.get", &json!({"job": job, "wait_ms": 30_000}))
        .unwrap();
    assert_eq!(ended["state"], "done", "{ended}");
    ended["result"].clone()
}

fn lines(result: &Value) -> Vec<&str> {
    let hits = result["hits"].as_array().unwrap();
    hits.iter()
        .map(|hit| hit["line"].as_str().unwrap())
        .collect()
}

#[test]
fn three_times_an_error_are_three_hits_with_their_lines_and_none_is_an_empty_list() {
    let daemon = Daemon::start();
    let script = "for n in 1 2 3; do echo fine; echo \"  Error: no $n\"; done; exit 4";
    let params = json!({"program": "sh", "args": ["-c", script], "patterns": [{"exact": "never"}, {"regex": "Error: no (\\d)"}]});
    let result = watched(&daemon, &params);
    assert_eq!(
        lines(&result),
        ["  Error: no 1", "  Error: no 2", "  Error: no 3"]
    );
    let first = &result["hits"][0];
    assert_eq!(
        (&first["index"], &first["pattern"]),
        (&json!(1), &json!("Error: no (\\d)"))
    );
    assert_eq!(
        (&first["matched"], &first["groups"]),
        (&json!("Error: no 1"), &json!(["Error: no 1", "1"]))
    );
    assert_eq!((&first["offset"], &first["end"]), (&json!(7), &json!(18)));
    assert!(first["time"].is_string());
    assert_eq!(
        (&result["exit_code"], &result["timed_out"]),
        (&json!(4), &json!(false))
    );
    let watch = |text: &str, regex: &str| {
        let params = json!({"program": "printf", "args": [text], "patterns": [{ "regex": regex }]});
        watched(&daemon, &params)
    };
    let none = watch("x\\n", "y");
    assert_eq!((&none["hits"], &none["exit_code"]), (&json!([]), &json!(0)));
    let several = watch("a b a b\\nb a\\n", "a");
    assert_eq!(lines(&several), ["a b a b", "a b a b", "b a"]);
    assert_eq!(lines(&watch("one\\ntwo\\n", "^t.*$")), ["two"]);
    assert_eq!(lines(&watch("\\033[31mred\\033[0m\\n", "red")), ["red"]);
    let params = json!({"program": "sh", "args": ["-c", "echo $GREETING"], "env": {"GREETING": "hello"}, "patterns": [{"exact": "hello"}]});
    assert_eq!(lines(&watched(&daemon, &params)), ["hello"]);
}

#[test]
fn a_hit_is_told_as_it_comes() {
    let daemon = Daemon::start();
    let fifo = daemon.home().join("fifo");
    rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, 0o600.into()).unwrap();
    let ccctl = Ccctl::new(&daemon);
    let script = "echo hit 1; read x < fifo; echo hit 2";
    let mut command = ccctl.command(&[
        "watch",
        "--pattern",
        "hit .",
        "--cwd",
        daemon.home().to_str().unwrap(),
        "--",
        "sh",
        "-c",
        script,
    ]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "hit 1");
    std::fs::write(&fifo, "go\n").unwrap();
    assert_eq!(lines.next().unwrap().unwrap(), "hit 2");
    assert!(child.wait().unwrap().success());
}

#[test]
fn the_time_is_hard_also_for_a_program_that_never_stops_to_talk_or_to_live() {
    let daemon = Daemon::start();
    let script = "trap '' HUP TERM; while :; do echo chatter 4715.1; done";
    let started = Instant::now();
    let params = json!({"program": "sh", "args": ["-c", script], "patterns": [{"regex": "never"}], "timeout_ms": 1000});
    let result = watched(&daemon, &params);
    assert!(started.elapsed() >= Duration::from_secs(1));
    // Ending the program takes 2 s; the job does not wait for that.
    assert!(started.elapsed() < Duration::from_millis(2500));
    assert_eq!(
        (&result["timed_out"], &result["hits"]),
        (&json!(true), &json!([]))
    );
    eventually("no process of it is running", || {
        with_command_line("chatter 4715.1").is_empty().then_some(())
    });
}

#[test]
fn enough_is_enough_and_what_comes_too_fast_is_counted() {
    let daemon = Daemon::start();
    let params = json!({"program": "sh", "args": ["-c", "yes 4715.2"], "patterns": [{"regex": "4715"}], "max_hits": 50});
    let result = watched(&daemon, &params);
    assert_eq!(result["hits"].as_array().unwrap().len(), 50);
    eventually("it was ended", || {
        with_command_line("yes 4715.2").is_empty().then_some(())
    });
    let params = json!({"program": "seq", "args": ["12000"], "patterns": [{"regex": "^.+$"}]});
    let result = watched(&daemon, &params);
    let hits = result["hits"].as_array().unwrap();
    assert_eq!(hits.last().unwrap()["line"], "12000");
    let omitted = result["omitted_entries"].as_u64().unwrap();
    assert_eq!(hits.len() as u64 + omitted, 12_000);
}

#[test]
fn a_session_can_be_watched_and_goes_on() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["cat"]);
    let send = |text: &str| json!({"session": session, "text": text, "newline": true});
    connection
        .call_value("session.send", &send("early word"))
        .unwrap();
    connection
        .call_value(
            "session.expect",
            &json!({"session": session, "patterns": [{"exact": "word\n"}, {"exact": "word"}]}),
        )
        .unwrap();
    let params = json!({"session": session, "patterns": [{"regex": "\\w+ word$"}], "since": 0, "max_hits": 2});
    let job = connection.call_value("chain.watch", &params).unwrap()["job"].clone();
    // The echo and cat's output are two matches.
    let ended = connection
        .call_value("job.get", &json!({"job": job, "wait_ms": 20_000}))
        .unwrap();
    assert_eq!(
        lines(&ended["result"]),
        ["early word", "early word"],
        "{ended}"
    );
    let record = connection
        .call_value("session.get", &json!({ "session": session }))
        .unwrap();
    assert_eq!(record["state"], "alive");
    let later = json!({"session": session, "patterns": [{"regex": "word"}], "max_hits": 1});
    let job = connection.call_value("chain.watch", &later).unwrap()["job"].clone();
    connection
        .call_value("session.send", &send("late word"))
        .unwrap();
    let ended = connection
        .call_value("job.get", &json!({"job": job, "wait_ms": 20_000}))
        .unwrap();
    assert_eq!(lines(&ended["result"]), ["late word"]);
    // The watch ends with the session.
    let job = connection
        .call_value(
            "chain.watch",
            &json!({"session": session, "patterns": [{"regex": "x"}]}),
        )
        .unwrap()["job"]
        .clone();
    connection
        .call_value("session.close", &json!({ "session": session }))
        .unwrap();
    let ended = connection
        .call_value("job.get", &json!({"job": job, "wait_ms": 20_000}))
        .unwrap();
    assert_eq!(
        (&ended["state"], &ended["result"]["hits"]),
        (&json!("done"), &json!([]))
    );
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["cat"]);
    for (params, code) in [
        (
            json!({"program": "ls", "patterns": []}),
            ErrorCode::InvalidPattern,
        ),
        (
            json!({"program": "ls", "patterns": [{"regex": "a("}]}),
            ErrorCode::InvalidPattern,
        ),
        (
            json!({"program": "ls", "patterns": [{"regex": "a*"}]}),
            ErrorCode::InvalidArgument,
        ),
        (
            json!({"program": "ls", "patterns": [{"eof": true}]}),
            ErrorCode::InvalidArgument,
        ),
        (
            json!({"program": "ls", "patterns": [{"exact": "a"}], "max_hits": 0}),
            ErrorCode::InvalidArgument,
        ),
        (
            json!({"program": "ls", "patterns": [{"exact": "a"}], "since": 0}),
            ErrorCode::InvalidArgument,
        ),
        (
            json!({"program": "ls", "session": session, "patterns": [{"exact": "a"}]}),
            ErrorCode::InvalidArgument,
        ),
        (
            json!({"session": session, "since": 1000, "patterns": [{"exact": "a"}]}),
            ErrorCode::InvalidArgument,
        ),
        (
            json!({"session": "nobody", "patterns": [{"exact": "a"}]}),
            ErrorCode::SessionNotFound,
        ),
    ] {
        let error = connection.call_value("chain.watch", &params).unwrap_err();
        assert_error(&error, code);
    }
    let job = connection
        .call_value(
            "chain.watch",
            &json!({"program": "no-such-program", "patterns": [{"exact": "a"}]}),
        )
        .unwrap()["job"]
        .clone();
    let failed = connection
        .call_value("job.get", &json!({"job": job, "wait_ms": 20_000}))
        .unwrap();
    assert_eq!(failed["state"], "failed");
    assert!(
        failed["error"]["message"]
            .as_str()
            .unwrap()
            .contains("no-such-program"),
        "{failed}"
    );
}

#[test]
fn a_command_is_run_for_each_hit_and_no_shell_reads_what_was_printed() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let script = "echo 'hit $(touch evil); x'; echo 'hit 2'";
    let watch = |more: &[&str]| {
        let args = [
            &["watch", "-p", "hit .*"][..],
            more,
            &["--", "sh", "-c", script],
        ]
        .concat();
        let mut command = ccctl.command(&args);
        let output = command.current_dir(daemon.home()).output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        (
            String::from_utf8(output.stdout).unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let (stdout, _) = watch(&["--run", "printf '<%s>\\n' {line} {offset}"]);
    for line in ["<hit $(touch evil); x>", "<0>", "<hit 2>", "hit 2"] {
        assert!(stdout.lines().any(|printed| printed == line), "{stdout}");
    }
    let (stdout, stderr) = watch(&["--json", "--run", "printf '%s\\n' {matched}"]);
    assert!(
        stdout
            .lines()
            .all(|line| serde_json::from_str::<Value>(line).is_ok()),
        "{stdout}"
    );
    assert!(stderr.contains("hit 2"), "{stderr}");
    assert!(!daemon.home().join("evil").exists());
    let (_, stderr) = watch(&["--run", "false"]);
    assert!(
        stderr.contains("the --run command failed: exit status: 1"),
        "{stderr}"
    );
}

#[test]
fn the_status_tells_whether_there_was_a_hit() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let code = |args: &[&str]| {
        ccctl
            .run(&[&["watch", "-p", "hit"][..], args].concat())
            .code
    };
    assert_eq!(code(&["--", "echo", "hit"]), Some(0));
    assert_eq!(code(&["--", "echo", "miss"]), Some(1));
    assert_eq!(code(&["--max", "2", "--", "echo", "hit"]), Some(1));
    assert_eq!(
        code(&["--timeout", "0.2", "--", "cat", "/dev/zero"]),
        Some(124)
    );
    assert_eq!(code(&["--shell", "--", "echo miss; echo hit"]), Some(0));
    assert_eq!(code(&["--", "no-such-program"]), Some(1));
}

#[test]
fn what_was_typed_hidden_is_no_hit_to_read() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["cat"]);
    let watch = json!({"session": session, "patterns": [{"regex": "say .*$"}], "max_hits": 1});
    let job = connection.call_value("chain.watch", &watch).unwrap()["job"].clone();
    let send =
        json!({"session": session, "text": "say open sesame", "newline": true, "secret": true});
    connection.call_value("session.send", &send).unwrap();
    let ended = connection
        .call_value("job.get", &json!({"job": job, "wait_ms": 20_000}))
        .unwrap();
    let hit = &ended["result"]["hits"][0];
    assert!(
        hit["line"].as_str().unwrap().contains("<hidden>"),
        "{ended}"
    );
    assert!(!ended.to_string().contains("sesame"), "{ended}");
}

#[test]
fn a_secret_of_the_line_is_masked_in_every_part_of_a_hit() {
    let daemon = Daemon::start();
    for regex in ["password=(\\S+)", "(Hunter)\\S+", "(2H)unter2"] {
        let params = json!({"program": "echo", "args": ["x password=Hunter2Hunter2 y"], "patterns": [{ "regex": regex }]});
        let result = watched(&daemon, &params);
        let hit = &result["hits"][0];
        assert_eq!(hit["line"], "x password=*** y", "{result}");
        assert_eq!(hit["groups"][1], "***", "{result}");
        assert!(!result.to_string().contains("Hunter2"), "{result}");
    }
}

#[test]
fn the_time_of_a_watch_is_that_of_its_commands_too() {
    let daemon = Daemon::start();
    let script = "echo hit; echo hit; exec sleep 4716.2";
    let ran = Ccctl::new(&daemon).run(&[
        "watch",
        "-p",
        "hit",
        "--timeout",
        "1",
        "--run",
        "sleep 4716.3",
        "--",
        "sh",
        "-c",
        script,
    ]);
    assert!(
        ran.stderr.contains("the --run command failed: signal: 15"),
        "{ran:?}"
    );
    assert_eq!(with_command_line("sleep 4716.3"), [0; 0]);
}
