//! What the history says of calls that fail, and of programs that no client keeps as a session.

use crate::support::files::assert_in_no_file;
use crate::support::session::{OpenSession, assert_has, assert_lacks};
use crate::support::{Ccctl, Daemon, eventually};
use ccd_protocol::run::{RunOnce, RunOnceParams};
use ccd_protocol::session::{Action, Interaction, Session, SessionState};
use serde_json::{Value, json};

pub(super) fn history(daemon: &Daemon, session: &str) -> Vec<Interaction> {
    let params = json!({ "session": session });
    let reply = daemon.ok("session.history", &params);
    serde_json::from_value(reply["interactions"].clone()).unwrap()
}

/// Calls `method` of the session, which fails, and returns its row.
fn row_of_failure(session: &OpenSession<'_>, method: &str, mut params: Value) -> Interaction {
    params["session"] = json!(session.id());
    let error = session.daemon.error(method, &params);
    let row = history(session.daemon, session.id()).pop().unwrap();
    assert_eq!(row.action, Action::Error, "{row:?}");
    assert_eq!(row.error_kind.as_deref(), error["data"]["kind"].as_str());
    assert_eq!(row.output_text.as_deref(), error["message"].as_str());
    assert!(row.client.is_some(), "{row:?}");
    row
}

/// Returns the rows of a program that was started by `method`, and its record.
fn rows_of(daemon: &Daemon, id: &Value, method: &str) -> (Session, Vec<Interaction>) {
    let id = id.as_str().unwrap();
    let all = daemon.call_value("session.list", &json!({"all": true}));
    let all: Vec<Session> = serde_json::from_value(all.unwrap()["sessions"].clone()).unwrap();
    let record = all.into_iter().find(|session| session.session_id == id);
    let record = record.unwrap_or_else(|| panic!("{id} of {method} is not listed"));
    assert_eq!(record.started_by.as_deref(), Some(method));
    (record, history(daemon, id))
}

fn no_files_are_left(daemon: &Daemon) {
    eventually("no files are left", || {
        let mut folders = std::fs::read_dir(daemon.home().join("sessions")).unwrap();
        folders.next().is_none().then_some(())
    });
}

/// Runs a job to its end.
pub(super) fn job(daemon: &Daemon, method: &str, params: &Value) -> Value {
    let mut connection = daemon.connect();
    let job = connection.ok(method, params)["job"].clone();
    let params = json!({"job": job, "wait_ms": 30_000});
    connection.ok("job.get", &params)["result"].clone()
}

#[test]
fn a_call_that_fails_has_a_row_with_its_kind_what_it_waited_for_and_how_long() {
    let daemon = Daemon::start();
    let cat = daemon.open("cat", &[]);
    let wrong = json!({"patterns": [{"regex": "ne+ver"}, {"exact": "ever"}], "timeout_ms": 60});
    let row = row_of_failure(&cat, "session.expect", wrong);
    assert_eq!(row.error_kind.as_deref(), Some("expect_timeout"));
    assert_eq!(row.pattern_matched.as_deref(), Some("ne+ver\never"));
    assert!(row.waited_ms >= Some(60), "{row:?}");

    let sent = json!({"text": "x", "newline": true, "expect": {"patterns": [{"exact": "y"}], "timeout_ms": 60}});
    let row = row_of_failure(&cat, "session.send", sent);
    assert_eq!(row.pattern_matched.as_deref(), Some("y"));
    let failures = |row: &Interaction| row.action == Action::Error;
    let rows = history(&daemon, cat.id());
    assert_eq!(rows.into_iter().filter(failures).count(), 2);

    let wrong = json!({"for": "exit", "timeout_ms": 60});
    let row = row_of_failure(&cat, "session.wait", wrong);
    assert_eq!(row.error_kind.as_deref(), Some("timeout"));
    assert_eq!(row.pattern_matched.as_deref(), Some("the exit"));
    assert!(row.waited_ms >= Some(60), "{row:?}");

    let wrong = json!({"command": "echo 5", "timeout_ms": 300});
    let row = row_of_failure(&cat, "session.run", wrong);
    assert_eq!(row.input_text.as_deref(), Some("echo 5"));

    cat.keys(&["C-d"]);
    cat.ended();
    let row = row_of_failure(&cat, "session.send", json!({"text": "my secret word"}));
    assert_eq!(row.error_kind.as_deref(), Some("session_not_alive"));
    // Nobody knows whether the program would have hidden it.
    assert_lacks(&format!("{row:?}"), ["secret word"]);
}

#[test]
fn a_send_that_the_program_does_not_read_is_in_the_history() {
    let daemon = Daemon::start();
    let sleep = daemon.open("sh", &["-c", "stty raw -echo; echo up; exec sleep 100"]);
    sleep.expect("up");
    let flood = "x".repeat(1 << 20);
    let row = row_of_failure(&sleep, "session.send", json!({ "text": flood }));
    assert_eq!(row.error_kind.as_deref(), Some("input_full"));
    assert!(row.waited_ms >= Some(5000), "{row:?}");
}

#[test]
fn a_command_has_its_status_in_the_row_of_its_output() {
    let daemon = Daemon::start();
    let bash = daemon.open_bash();
    for (command, status) in [("echo fine", 0), ("echo bad; (exit 3)", 3), ("true", 0)] {
        let params = json!({"session": bash.id(), "command": command});
        daemon.ok("session.run", &params);
        let rows = history(&daemon, bash.id());
        let sent = rows.iter().rposition(|row| row.action == Action::Send);
        let sent = sent.unwrap();
        assert_eq!(rows[sent].input_text.as_deref(), Some(command));
        let after: Vec<_> = rows[sent + 1..].iter().collect();
        assert_eq!(after.len(), 1, "{after:#?}");
        assert_eq!(after[0].action, Action::Recv);
        assert_eq!(after[0].exit_code, Some(status));
    }
    let text = Ccctl::new(&daemon).ok(&["session", "history", bash.id()]);
    assert_has(&text, [" exit status 3\n"]);

    let params = json!({"session": bash.id(), "command": "sleep 100", "timeout_ms": 300});
    daemon.error("session.run", &params);
    let row = history(&daemon, bash.id()).pop().unwrap();
    assert_eq!(row.action, Action::Error);
    assert_eq!(row.input_text.as_deref(), Some("sleep 100"));
    assert_eq!(row.error_kind.as_deref(), Some("timeout"));
    assert!(row.waited_ms >= Some(300) && row.exit_code.is_none());
}

#[test]
fn programs_of_run_once_and_of_jobs_are_listed_with_start_end_and_status() {
    let daemon = Daemon::start();
    let command = "echo some output; exit 4";
    let once = daemon.call_value("run.once", &json!({"program": command, "shell": true}));
    let mut found = vec![("run.once", once.unwrap()["session_id"].clone())];
    let params = json!({"chain": {"commands": [{"command": command}]}, "shell": true});
    let steps = job(&daemon, "chain.run", &params);
    found.push(("chain.run", steps["steps"][0]["session_id"].clone()));
    let params = json!({"commands": [command], "shell": true});
    let results = job(&daemon, "chain.parallel", &params);
    let id = results["results"][0]["session_id"].clone();
    found.push(("chain.parallel", id));
    let params = json!({"program": command, "shell": true, "patterns": [{"exact": "some"}]});
    let hits = job(&daemon, "chain.watch", &params);
    found.push(("chain.watch", hits["session_id"].clone()));
    for (method, id) in &found {
        let (record, rows) = eventually("the program has ended", || {
            let (record, rows) = rows_of(&daemon, id, method);
            (record.state == SessionState::Dead).then_some((record, rows))
        });
        assert_eq!(record.exitstatus, Some(4), "{method}");
        let actions: Vec<Action> = rows.iter().map(|row| row.action).collect();
        let expected = [Action::Start, Action::Recv, Action::Recv];
        assert_eq!(actions, expected, "{method}: {rows:#?}");
        assert!(rows[0].input_text.as_deref().unwrap().contains(command));
        let output = rows[1].output_text.as_deref();
        assert_eq!(output.map(str::trim_end), Some("some output"), "{method}");
        let end = rows[2].output_text.as_deref();
        assert_eq!(end, Some("ended: exited, exit status 4"), "{method}");
        assert_eq!(rows[2].exit_code, Some(4));
    }
    no_files_are_left(&daemon);
}

#[test]
fn steps_in_a_shared_shell_are_commands_with_their_status() {
    let daemon = Daemon::start();
    let commands = json!([{"command": "cd /"}, {"command": "(exit 7)"}]);
    let params = json!({"chain": {"commands": commands, "shared": true}});
    let steps = job(&daemon, "chain.run", &params);
    let id = &steps["steps"][1]["session_id"];
    assert_eq!(&steps["steps"][0]["session_id"], id);
    let (_, rows) = rows_of(&daemon, id, "chain.run");
    let statuses: Vec<_> = rows.iter().filter_map(|row| row.exit_code).collect();
    assert_eq!(statuses[..2], [0, 7], "{rows:#?}");
    let typed = rows.iter().filter(|row| row.action == Action::Send);
    let typed: Vec<&str> = typed.filter_map(|row| row.input_text.as_deref()).collect();
    assert!(typed[0].contains("cd /") && typed[1].contains("(exit 7)"));
}

#[test]
fn a_run_of_the_client_is_listed_and_its_history_shown() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let ran = ccctl.run(&["run", "--", "sh", "-c", "echo hi; exit 2"]);
    assert_eq!(ran.code, Some(2));
    let ran = ccctl.run(&["run", "--", "no-such-program"]);
    assert_eq!(ran.code, Some(127));
    let lines = eventually("the run is over", || {
        let list = ccctl.ok(&["session", "list", "--all"]);
        let lines: Vec<String> = list.lines().map(str::to_owned).collect();
        lines[0].contains("exited_2").then_some(lines)
    });
    assert_eq!(lines.len(), 2, "{lines:?}");
    let words =
        |line: &str| -> Vec<String> { line.split_whitespace().map(str::to_owned).collect() };
    let (run, failed) = (words(&lines[0]), words(&lines[1]));
    assert_eq!(run[1..3], ["(run)", "exited_2"]);
    assert_eq!(failed[1..3], ["(run)", "not_started"]);
    let text = ccctl.ok(&["session", "history", &run[0]]);
    assert_lacks(&text, ["ERROR"]);
    assert_has(&text, ["\"hi\\n\"", "exit status 2"]);
    let text = ccctl.ok(&["session", "history", &failed[0]]);
    assert_has(&text, ["ERROR", "spawn_failed after "]);
    assert_has(&text, ["\"no-such-program\""]);
}

#[test]
fn a_program_that_cannot_be_started_takes_no_name_and_no_id() {
    let daemon = Daemon::start();
    let before = daemon.open_with(&ccd_protocol::session::SessionCreateParams {
        name: Some("build".into()),
        ..crate::support::session::program(&daemon, "true", &[])
    });
    before.ended();
    for params in [
        json!({"program": "no-such-program", "args": ["--password=hunter2"], "name": "build"}),
        json!({"program": "no-such-program", "id": before.id()}),
    ] {
        daemon.error("session.create", &params);
    }
    assert_eq!(daemon.id_of("build").unwrap(), before.id());
    let all = daemon.listed(true);
    assert_eq!(all.len(), 3);
    // Programs that were started in the same millisecond are in no particular order.
    let record = |id: &String| daemon.call_value("session.get", &json!({"session": id}));
    let with_secret = |id: &&String| record(id).unwrap()["args"] == json!(["--password=***"]);
    let failed = all.iter().find(with_secret).unwrap();
    let record = record(failed).unwrap();
    assert_eq!(record["state"], "dead");
    assert_eq!(record["name"], Value::Null);
    let rows = history(&daemon, failed);
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert_eq!(rows[0].error_kind.as_deref(), Some("spawn_failed"));
    let command = rows[0].input_text.as_deref().unwrap();
    assert!(command.starts_with("no-such-program") && !command.contains("hunter2"));
    let error = rows[0].output_text.as_deref();
    assert_eq!(record["start_error"].as_str(), error);
}

#[test]
fn a_secret_in_the_name_of_a_directory_is_in_no_file() {
    let daemon = Daemon::start();
    let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let there = tempfile::tempdir().unwrap();
    let folder = there.path().join(&token);
    std::fs::create_dir(&folder).unwrap();
    let params = json!({"program": "cat", "cwd": folder});
    daemon.call_value("session.create", &params).unwrap();
    daemon.error(
        "session.create",
        &json!({"program": "cat", "cwd": format!("/nope/{token}")}),
    );
    let all = daemon.listed(true);
    let record = |id: &String| {
        daemon
            .call_value("session.get", &json!({"session": id}))
            .unwrap()
    };
    let is_masked = |id: &&String| record(id)["cwd"] == json!("/nope/***");
    assert_eq!(all.iter().filter(is_masked).count(), 1);
    assert_in_no_file(daemon.home(), &token);
}

#[test]
fn the_newest_thousand_programs_are_kept() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let start = |connection: &mut crate::support::Connection, word: &str| {
        let params = json!({"program": "no-such-program", "args": [word]});
        connection.error("run.once", &params);
    };
    start(&mut connection, "first");
    for number in 0..1000 {
        start(&mut connection, &number.to_string());
    }
    let all = connection.call_value("session.list", &json!({"all": true}));
    let all = all.unwrap()["sessions"].as_array().unwrap().clone();
    assert_eq!(all.len(), 1000);
    let is_there = |word: &str| all.iter().any(|session| session["args"][0] == word);
    assert!(!is_there("first") && is_there("0") && is_there("999"));
    let removed = connection.call_value("session.cleanup", &json!({}));
    assert_eq!(removed.unwrap()["removed"], 1000);
    assert!(daemon.listed(true).is_empty());
}

#[test]
fn histories_of_runs_survive_the_daemon_and_a_killed_run_has_its_end() {
    let mut daemon = Daemon::start();
    let params = RunOnceParams {
        program: "true".into(),
        ..RunOnceParams::default()
    };
    let done = daemon.call::<RunOnce>(&params).unwrap().session_id.unwrap();
    let mut connection = daemon.connect();
    connection.request("run.once", &json!({"program": "sleep", "args": ["100"]}));
    let running = eventually("the program runs", || daemon.listed(false).pop());
    eventually("its start is in the history", || {
        (!history(&daemon, &running).is_empty()).then_some(())
    });
    assert_eq!(history(&daemon, &done).len(), 2);
    daemon.kill();
    daemon.restart();
    assert_eq!(history(&daemon, &done).len(), 2);
    let last = eventually("the end is in the history", || {
        let last = history(&daemon, &running).pop().unwrap();
        (last.pattern_matched.as_deref() == Some("eof")).then_some(last)
    });
    let text = last.output_text.unwrap();
    assert!(text.starts_with("ended: daemon_killed"), "{text}");
    no_files_are_left(&daemon);
}
