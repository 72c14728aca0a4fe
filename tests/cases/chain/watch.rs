//! Watched programs.

use crate::support::client::Ran;
use crate::support::processes::with_command_line;
use crate::support::session::assert_error;
use crate::support::{Ccctl, Daemon, assert_fields, assert_has, assert_lacks, eventually};
use ccd_protocol::ErrorCode;
use ccd_protocol::session::SessionState;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

fn watched(daemon: &Daemon, params: &Value) -> Value {
    let ended = daemon.job("chain.watch", params);
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
    assert_fields(
        &result["hits"][0],
        json!({"index": 1, "pattern": "Error: no (\\d)", "matched": "Error: no 1", "groups": ["Error: no 1", "1"],
            "offset": 7, "end": 18}),
    );
    assert!(result["hits"][0]["time"].is_string());
    assert_fields(&result, json!({"exit_code": 4, "timed_out": false}));
    let watch = |text: &str, regex: &str| {
        let params = json!({"program": "printf", "args": [text], "patterns": [{ "regex": regex }]});
        watched(&daemon, &params)
    };
    let none = watch("x\\n", "y");
    assert_fields(&none, json!({"hits": [], "exit_code": 0}));
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
    let cwd = daemon.home().to_str().unwrap();
    let words = [
        "watch",
        "--pattern",
        "hit .",
        "--cwd",
        cwd,
        "--",
        "sh",
        "-c",
        script,
    ];
    let mut command = ccctl.command(&words);
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
    assert_fields(&result, json!({"timed_out": true, "hits": []}));
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
    let cat = daemon.open("cat", &[]);
    let watch = |more: Value| {
        let mut params = json!({ "session": cat.id() });
        params
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        params
    };
    cat.ask("early word", "word\n");
    // The echo and cat's output are two matches.
    let patterns = json!([{"regex": "\\w+ word$"}]);
    let early = watch(json!({"patterns": patterns, "since": 0, "max_hits": 2}));
    let result = watched(&daemon, &early);
    assert_eq!(lines(&result), ["early word", "early word"]);
    assert_eq!(cat.now().state, SessionState::Alive);
    let mut connection = daemon.connect();
    let later = watch(json!({"patterns": [{"regex": "word"}], "max_hits": 1}));
    let job = connection.ok("chain.watch", &later)["job"].clone();
    cat.line("late word");
    let ended = connection.ended_job(&job);
    assert_eq!(lines(&ended["result"]), ["late word"]);
    // The watch ends with the session.
    let none = watch(json!({"patterns": [{"regex": "x"}]}));
    let job = connection.ok("chain.watch", &none)["job"].clone();
    cat.close();
    let ended = connection.ended_job(&job);
    assert_fields(&ended, json!({"state": "done", "result": {"hits": []}}));
}

#[test]
fn what_cannot_be_meant_is_refused() {
    use ErrorCode::{InvalidArgument, InvalidPattern, SessionNotFound};
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["cat"]);
    let a = json!([{"exact": "a"}]);
    for (params, code) in [
        (json!({"program": "ls", "patterns": []}), InvalidPattern),
        (
            json!({"program": "ls", "patterns": [{"regex": "a("}]}),
            InvalidPattern,
        ),
        (
            json!({"program": "ls", "patterns": [{"regex": "a*"}]}),
            InvalidArgument,
        ),
        (
            json!({"program": "ls", "patterns": [{"eof": true}]}),
            InvalidArgument,
        ),
        (
            json!({"program": "ls", "patterns": a, "max_hits": 0}),
            InvalidArgument,
        ),
        (
            json!({"program": "ls", "patterns": a, "since": 0}),
            InvalidArgument,
        ),
        (
            json!({"program": "ls", "session": session, "patterns": a}),
            InvalidArgument,
        ),
        (
            json!({"session": session, "since": 1000, "patterns": a}),
            InvalidArgument,
        ),
        (json!({"session": "nobody", "patterns": a}), SessionNotFound),
    ] {
        let error = connection.error("chain.watch", &params);
        assert_error(&error, code);
    }
    let missing = json!({"program": "no-such-program", "patterns": a});
    let failed = connection.job("chain.watch", &missing);
    assert_eq!(failed["state"], "failed");
    assert_has(&failed["error"]["message"], ["no-such-program"]);
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
        let ran = Ran::of(command.current_dir(daemon.home()).output().unwrap());
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        ran
    };
    let stdout = watch(&["--run", "printf '<%s>\\n' {line} {offset}"]).stdout;
    for line in ["<hit $(touch evil); x>", "<0>", "<hit 2>", "hit 2"] {
        assert!(stdout.lines().any(|printed| printed == line), "{stdout}");
    }
    let ran = watch(&["--json", "--run", "printf '%s\\n' {matched}"]);
    assert!(!ran.json_lines().is_empty());
    assert_has(&ran.stderr, ["hit 2"]);
    assert!(!daemon.home().join("evil").exists());
    let stderr = watch(&["--run", "false"]).stderr;
    assert_has(&stderr, ["the --run command failed: exit status: 1"]);
}

#[test]
fn the_status_tells_whether_there_was_a_hit() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    for (args, code) in [
        (&["--", "echo", "hit"][..], 0),
        (&["--", "echo", "miss"], 1),
        (&["--max", "2", "--", "echo", "hit"], 1),
        (&["--timeout", "0.2", "--", "cat", "/dev/zero"], 124),
        (&["--shell", "--", "echo miss; echo hit"], 0),
        (&["--", "no-such-program"], 1),
    ] {
        let ran = ccctl.run(&[&["watch", "-p", "hit"][..], args].concat());
        assert_eq!(ran.code, Some(code), "{args:?}: {ran:?}");
    }
}

#[test]
fn what_was_typed_hidden_is_no_hit_to_read() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["cat"]);
    let watch = json!({"session": session, "patterns": [{"regex": "say .*$"}], "max_hits": 1});
    let job = connection.ok("chain.watch", &watch)["job"].clone();
    let send =
        json!({"session": session, "text": "say open sesame", "newline": true, "secret": true});
    connection.ok("session.send", &send);
    let ended = connection.ended_job(&job);
    assert_has(&ended["result"]["hits"][0]["line"], ["<hidden>"]);
    assert_lacks(&ended, ["sesame"]);
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
        assert_lacks(&result, ["Hunter2"]);
    }
}

#[test]
fn the_time_of_a_watch_is_that_of_its_commands_too() {
    let daemon = Daemon::start();
    let script = "echo hit; echo hit; exec sleep 4716.2";
    let watch = [
        "watch",
        "-p",
        "hit",
        "--timeout",
        "1",
        "--run",
        "sleep 4716.3",
    ];
    let words = [&watch[..], &["--", "sh", "-c", script]].concat();
    let ran = Ccctl::new(&daemon).run(&words);
    assert_has(&ran.stderr, ["the --run command failed: signal: 15"]);
    assert_eq!(with_command_line("sleep 4716.3"), [0; 0]);
}
