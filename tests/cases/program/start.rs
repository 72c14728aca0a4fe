//! Sessions that a program configuration starts: placeholders, waiting, typing, and failures.

use crate::program::documents::save;
use crate::support::processes::lives;
use crate::support::session::{assert_error, assert_has, lacks, message_of};
use crate::support::worker::{is_one_process, kill_worker};
use crate::support::{Ccctl, Daemon, eventually};
use ccd_protocol::ErrorCode;
use serde_json::{Value, json};

/// Starts a configuration and returns the record, or the error.
fn create(daemon: &Daemon, params: Value) -> Result<Value, Value> {
    daemon.call_value("session.create", &params)
}

fn named(daemon: &Daemon, session: &str) -> Value {
    let params = json!({ "session": session });
    daemon.ok("session.get", &params)
}

fn get(daemon: &Daemon, session: &Value) -> Value {
    named(daemon, session["session_id"].as_str().unwrap())
}

fn ended(daemon: &Daemon, session: &Value) -> Value {
    let params = json!({"session": session["session_id"], "for": "exit", "timeout_ms": 30_000});
    daemon.ok("session.wait", &params)
}

/// Returns whether the session's program has ended.
fn is_gone(session: &Value) -> bool {
    !lives(i32::try_from(session["pid"].as_i64().unwrap()).unwrap())
}

fn output(daemon: &Daemon, session: &Value) -> String {
    let params = json!({ "session": session["session_id"] });
    let read = daemon.ok("session.read", &params);
    read["text"].as_str().unwrap().to_owned()
}

#[test]
fn values_stay_one_word_and_are_never_read_by_a_shell() {
    let daemon = Daemon::start();
    let template = "printf [%s] {a} '{b}' \"x{c}y\" {d}";
    save(&daemon, "p", json!({ "command_template": template })).unwrap();
    let touched = daemon.home().join("touched");
    let command = format!("$(touch {})", touched.display());
    let set = json!({"a": "two words", "b": "it's \"quoted\"", "c": command, "d": "--version"});
    let record = create(&daemon, json!({"config": "p", "set": set})).unwrap();
    assert_eq!(record["args"][1], "two words");
    assert_eq!(record["args"][4], "--version");
    ended(&daemon, &record);
    let expected = format!("[two words][it's \"quoted\"][x{command}y][--version]");
    assert_eq!(output(&daemon, &record), expected);
    assert!(!touched.exists());
}

#[test]
fn values_that_are_missing_or_unknown_are_named() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let config = json!({"command_template": "ssh -p {port} {user}@{host}"});
    save(&daemon, "ssh", config).unwrap();
    let missing = ccctl.run(&["session", "create", "--config", "ssh", "--set", "port=22"]);
    assert_eq!(missing.code, Some(2));
    let told = "needs values for {host}, {user}; set each with --set";
    assert_has(&missing.stderr, [told]);
    let set = json!({"port": "1", "user": "a", "hots": "b"});
    let error = create(&daemon, json!({"config": "ssh", "set": set})).unwrap_err();
    assert_error(&error, ErrorCode::InvalidArgument);
    assert_has(message_of(&error), ["did you mean \"host\"?"]);
    for wrong in [
        json!({"program": "cat", "set": {"a": "b"}}),
        json!({"program": "cat", "secrets": {"a": "b"}}),
        json!({"config": "ssh", "args": ["x"]}),
        json!({"config": "ssh", "set": {"port": 22}}),
    ] {
        let error = create(&daemon, wrong).unwrap_err();
        let code = error["code"].as_i64().unwrap();
        assert!([1001, -32602].contains(&code), "{error}");
    }
    let unknown = ccctl.run(&["session", "create", "--config", "shh"]);
    assert_eq!(unknown.code, Some(4));
    assert!(daemon.listed(true).is_empty());
}

#[test]
fn the_answer_comes_when_the_program_is_ready() {
    if lacks(&["python3"]) {
        return;
    }
    let daemon = Daemon::start();
    let config = json!({
        "command_template": "python3 -q",
        "typical_timeout": 60,
        "expect_sequences": [
            {"pattern": ">>> ", "response": "who = '{who}'"},
            {"pattern": ">>> ", "response": "print('hello', who); import time; time.sleep(0.3); print('re' + 'ady')"},
        ],
        "ready_indicators": ["never", "(?m)^ready"],
        "notes": "says hello",
    });
    save(&daemon, "py", config).unwrap();
    let params = json!({"config": "py", "set": {"who": "Ann"}, "rows": 30});
    let record = create(&daemon, params).unwrap();
    assert_eq!(record["timeout"], 60.0);
    assert_eq!(record["rows"], 30);
    assert_eq!(record["success"], Value::Null);
    let text = output(&daemon, &record);
    assert_has(&text, ["\nhello Ann\nready"]);
    // The session's read position is after the indicator.
    let params = json!({"session": record["session_id"], "patterns": [{"exact": ">>> "}]});
    let found = daemon.ok("session.expect", &params);
    assert_eq!(found["before"], "\n");
    let given = json!({"config": "py", "set": {"who": "Bo"}, "timeout_s": 50});
    assert_eq!(create(&daemon, given).unwrap()["timeout"], 50.0);
}

#[test]
fn the_configuration_file_goes_before_a_programs_time_out_and_the_request_before_both() {
    let daemon = Daemon::builder()
        .config(r#"{"default_timeout": 41}"#)
        .start();
    let config = json!({"command_template": "cat", "typical_timeout": 7});
    save(&daemon, "x", config).unwrap();
    let record = create(&daemon, json!({"config": "x"})).unwrap();
    assert_eq!(record["timeout"], 41.0);
    let given = json!({"config": "x", "timeout_s": 3});
    assert_eq!(create(&daemon, given).unwrap()["timeout"], 3.0);
    let config = json!({"command_template": "cat {file}", "ready_indicators": ["go"]});
    save(&daemon, "y", config).unwrap();
    let own = json!({"config": "y", "program": "echo", "args": ["go"]});
    let record = create(&daemon, own).unwrap();
    assert_eq!(record["program"], "echo");
    assert_eq!(record["config"], "y");
}

/// Asks as ssh does: if `asks_first`, whether to trust the host key, and then for a name.
fn asking(asks_first: bool) -> Value {
    let first = if asks_first {
        "printf 'continue (yes/no)? '; read a; echo \"[$a]\"; "
    } else {
        ""
    };
    let script = format!("{first}printf 'login: '; read u; echo \"hi $u\"; printf '$ '; exec cat");
    json!({
        "command_template": format!("sh -c '{}'", script.replace('\'', r"'\''")),
        "expect_sequences": [
            {"pattern": r"\(yes/no\)\? ", "response": "yes", "optional": true},
            {"pattern": "login: ", "response": "ann"},
            {"pattern": "never asked", "response": "x", "optional": true},
        ],
        "ready_indicators": [r"(?m)^\$ $"],
    })
}

#[test]
fn an_optional_step_is_done_or_passed_over() {
    let daemon = Daemon::start();
    save(&daemon, "first", asking(true)).unwrap();
    save(&daemon, "straight", asking(false)).unwrap();
    let first = create(&daemon, json!({"config": "first"})).unwrap();
    let text = output(&daemon, &first);
    assert_has(&text, ["[yes]", "hi ann\n$ "]);
    let straight = create(&daemon, json!({"config": "straight"})).unwrap();
    assert_eq!(output(&daemon, &straight), "login: ann\nhi ann\n$ ");
}

#[test]
fn a_step_without_a_pattern_types_once_the_program_waits() {
    let daemon = Daemon::start();
    let config = json!({
        "command_template": "sh -c 'sleep 0.2; read -r a; echo \"got $a\"; read -r b; echo \"and $b\"; exec cat'",
        "expect_sequences": [
            {"response": "one"},
            {"pattern": "got one", "keys": ["t", "w", "o", "Enter"]},
            {"pattern": "and two"},
        ],
    });
    save(&daemon, "x", config).unwrap();
    let record = create(&daemon, json!({"config": "x"})).unwrap();
    assert!(output(&daemon, &record).contains("and two"));
}

#[test]
fn a_start_that_takes_too_long_is_closed_and_says_where() {
    let daemon = Daemon::start();
    let config = json!({
        "command_template": "sh -c 'echo hello; exec cat'",
        "typical_timeout": 0.4,
        "expect_sequences": [{"pattern": "hello", "response": "a"}, {"pattern": "Hallo", "response": "b"}],
    });
    save(&daemon, "slow", config).unwrap();
    let ccctl = Ccctl::new(&daemon);
    let failed = ccctl.run(&["-v", "session", "create", "--config", "slow", "--name", "s"]);
    assert_eq!(failed.code, Some(124), "{}", failed.stderr);
    assert_has(
        &failed.stderr,
        [
            "starting with 'slow' failed at step 2 of 2, \"Hallo\": no pattern matched within",
            "was closed",
            "recent_output:",
            "    hello",
        ],
    );
    assert!(daemon.listed(false).is_empty());
    // Without -v, the end of the output shows why.
    let failed = ccctl.run(&["session", "create", "--config", "slow"]);
    assert_has(&failed.stderr, ["the program's last output:\n  hello\n"]);
    let record = named(&daemon, "s");
    assert_eq!(record["end_reason"], "closed");
    assert_eq!(record["success"], false);
    assert!(is_gone(&record));
    // Its name can be used again, and its output can still be read.
    assert!(ccctl.ok(&["session", "read", "s"]).contains("hello"));
    save(&daemon, "quick", json!({"command_template": "cat"})).unwrap();
    ccctl.ok(&["session", "create", "--config", "quick", "--name", "s"]);
}

#[test]
fn a_program_that_ends_during_its_start_is_told_with_its_status_and_leaves_no_session() {
    let daemon = Daemon::start();
    for (name, script, step) in [
        ("at-once", "echo no such user", "step 1 of 1, \"login\""),
        (
            "later",
            "printf login; read a; echo bye $a",
            "the wait for ready_indicators, \"ready\"",
        ),
    ] {
        let config = json!({
            "command_template": format!("sh -c '{script}; exit 7'"),
            "expect_sequences": [{"pattern": "login", "response": "x"}],
            "ready_indicators": ["ready"],
        });
        save(&daemon, name, config).unwrap();
        let error = create(&daemon, json!({ "config": name })).unwrap_err();
        assert_error(&error, ErrorCode::ProcessEnded);
        assert_eq!(error["data"]["exitstatus"], 7);
        assert_has(message_of(&error), [step, "exit status 7"]);
        assert!(error["data"]["session"].is_string());
        assert_ne!(error["data"]["recent_output"], "");
    }
    let config = json!({"command_template": "no-such-program-here"});
    save(&daemon, "no-program", config).unwrap();
    let error = create(&daemon, json!({"config": "no-program"})).unwrap_err();
    assert_error(&error, ErrorCode::SpawnFailed);
    assert!(daemon.listed(false).is_empty());
}

#[test]
fn success_is_the_status_and_an_indicator() {
    let mut daemon = Daemon::start();
    for (name, script, indicators, success) in [
        ("both", "echo all done", &["failed", "all d.ne"][..], true),
        ("no-text", "echo something else", &["all done"], false),
        ("no-status", "echo all done; exit 1", &["all done"], false),
        ("status-alone", "true", &[], true),
        ("failing", "false", &[], false),
    ] {
        let config = json!({"command_template": format!("sh -c '{script}'"), "success_indicators": indicators});
        save(&daemon, name, config).unwrap();
        let record = create(&daemon, json!({"config": name, "name": name})).unwrap();
        ended(&daemon, &record);
        assert_eq!(get(&daemon, &record)["success"], success, "{name}");
    }
    let plain = create(&daemon, json!({"program": "true", "name": "plain"})).unwrap();
    assert_eq!(ended(&daemon, &plain)["success"], Value::Null);
    daemon.stop();
    daemon.restart();
    assert_eq!(named(&daemon, "both")["success"], true);
    assert_eq!(named(&daemon, "no-text")["success"], false);
    assert_eq!(named(&daemon, "plain")["success"], Value::Null);
    assert_eq!(named(&daemon, "both")["config"], "both");
    let shown = Ccctl::new(&daemon).ok(&["session", "show", "both"]);
    assert_has(&shown, ["success         yes"]);
}

#[test]
fn success_is_known_after_the_worker_was_replaced() {
    let daemon = Daemon::start();
    if is_one_process(&daemon) {
        return;
    }
    let config =
        json!({"command_template": "sh -c 'read a; echo $a'", "success_indicators": ["well done"]});
    save(&daemon, "x", config).unwrap();
    let record = create(&daemon, json!({"config": "x"})).unwrap();
    kill_worker(&daemon);
    assert_eq!(get(&daemon, &record)["config"], "x");
    let line = json!({"session": record["session_id"], "text": "well done", "newline": true});
    daemon.ok("session.send", &line);
    ended(&daemon, &record);
    assert_eq!(get(&daemon, &record)["success"], true);
}

#[test]
fn who_reuses_a_session_waits_until_it_is_ready() {
    let daemon = Daemon::start();
    let config = json!({
        "command_template": "sh -c 'sleep 0.5; echo ready; exec cat'",
        "ready_indicators": ["ready"],
    });
    save(&daemon, "x", config).unwrap();
    let records: Vec<Value> = std::thread::scope(|scope| {
        let open = || create(&daemon, json!({"config": "x", "reuse": true})).unwrap();
        let callers: Vec<_> = (0..4).map(|_| scope.spawn(open)).collect();
        let records = callers.into_iter().map(|caller| caller.join().unwrap());
        records.collect()
    });
    for record in &records {
        assert_eq!(record["session_id"], records[0]["session_id"]);
        assert_ne!(record["output"]["output_bytes"], 0, "{record}");
    }
}

/// Saves a configuration whose start never becomes ready.
fn endless(daemon: &Daemon) {
    let config = json!({
        "command_template": "sh -c 'echo hello; exec cat'",
        "typical_timeout": 600,
        "expect_sequences": [{"pattern": "hello", "response": "begun"}],
        "ready_indicators": ["never"],
    });
    save(daemon, "endless", config).unwrap();
}

/// Waits for the start, and returns its session.
fn starting(daemon: &Daemon) -> Value {
    eventually("the session is starting", || {
        let list = daemon.try_call_value("session.list", &json!({}))?;
        let session = list["sessions"].as_array()?.first()?.clone();
        let params = json!({ "session": session["session_id"] });
        let read = daemon.try_call_value("session.read", &params)?;
        read["text"].as_str()?.contains("begun").then_some(session)
    })
}

#[test]
fn a_client_that_leaves_ends_the_start() {
    let daemon = Daemon::start();
    endless(&daemon);
    let ccctl = Ccctl::new(&daemon);
    let mut client = ccctl
        .command(&["session", "create", "--config", "endless"])
        .spawn()
        .unwrap();
    let session = starting(&daemon);
    client.kill().unwrap();
    client.wait().unwrap();
    let record = ended(&daemon, &session);
    assert_eq!(record["end_reason"], "closed");
    assert_eq!(record["success"], false);
    assert!(is_gone(&record));
}

#[test]
fn a_start_whose_worker_was_killed_is_ended() {
    let daemon = Daemon::start();
    if is_one_process(&daemon) {
        return;
    }
    endless(&daemon);
    let ccctl = Ccctl::new(&daemon);
    let mut client = ccctl
        .command(&["session", "create", "--config", "endless"])
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let session = starting(&daemon);
    let pid = i32::try_from(session["pid"].as_i64().unwrap()).unwrap();
    kill_worker(&daemon);
    let told = std::io::read_to_string(client.stderr.take().unwrap()).unwrap();
    assert_has(&told, ["unknown whether the program was started"]);
    assert_eq!(client.wait().unwrap().code(), Some(3));
    let record = ended(&daemon, &session);
    assert_eq!(record["end_reason"], "daemon_killed");
    eventually("the program has ended", || (!lives(pid)).then_some(()));
    assert_eq!(get(&daemon, &session)["success"], false);
}

#[test]
fn a_program_is_run_to_its_end_by_a_configuration() {
    let daemon = Daemon::start();
    let config = json!({
        "command_template": "sh -c 'printf \"name? \"; read n; echo \"hello $n\"; exit 5'",
        "expect_sequences": [{"pattern": "name\\? ", "response": "{who}"}],
    });
    save(&daemon, "greet", config).unwrap();
    let ran = Ccctl::new(&daemon).run(&["run", "--config", "greet", "--set", "who=Ada"]);
    let printed = (&*ran.stdout, ran.code);
    assert_eq!(printed, ("name? hello Ada\n", Some(5)), "{}", ran.stderr);
}
