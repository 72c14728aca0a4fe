//! The other tools, and what a client is told of all of them.

use super::agent::Agent;
use crate::support::{Daemon, eventually};
use serde_json::json;
use std::fs;

#[test]
fn a_program_runs_to_its_end_and_a_shell_keeps_its_state() {
    let daemon = Daemon::start();
    let mut agent = Agent::start(&daemon);
    let said = agent.tool("program_run", json!({"program": "sort", "stdin": "b\na\n"}));
    assert!(
        said.starts_with("a\nb\n[session ") && said.contains(": exit status 0 after"),
        "{said}"
    );
    let said = agent.tool(
        "program_run",
        json!({"program": "sleep", "args": ["600"], "timeout_s": 0.3}),
    );
    assert!(said.contains("timeout_s was reached"), "{said}");
    let said = agent.tool(
        "shell_run",
        json!({"command": "cd / && X=7 && printf '\\033[31mred\\033[m\\n'"}),
    );
    assert!(
        said.starts_with("red\n[session shell-")
            && said.contains(": new shell; ")
            && said.contains("exit status 0"),
        "{said}"
    );
    let said = agent.tool(
        "shell_run",
        json!({"command": "echo $PWD $X $GIT_PAGER; false"}),
    );
    assert!(
        said.starts_with("/ 7 cat\n") && said.contains("exit status 1"),
        "{said}"
    );
    let said = agent.tool(
        "shell_run",
        json!({"command": "echo start; sleep 600", "timeout_s": 0.5}),
    );
    assert!(
        said.starts_with("start\n") && said.contains("still running after 0.5 s"),
        "{said}"
    );
    let id = super::agent::id_of(&said);
    assert!(
        agent
            .fails("shell_run", json!({"command": "true", "timeout_s": 0.2}))
            .contains("session_read")
    );
    agent.tool("session_signal", json!({"session": id, "signal": "INT"}));
    let said = agent.tool("session_read", json!({"session": id, "until": "input"}));
    assert!(said.contains("waits for input"), "{said}");
}

#[test]
fn a_tape_is_recorded_and_played() {
    let daemon = Daemon::start();
    let mut agent = Agent::start(&daemon);
    let root = daemon.home().join("recorded");
    let mut answers = Vec::new();
    for action in ["record", "play"] {
        let said = agent.tool(
            "tape_session",
            json!({
                "action": action, "program": "bc", "args": ["-q"], "root": root,
            }),
        );
        let id = super::agent::id_of(&said);
        let said = agent.tool(
            "session_send",
            json!({"session": id, "text": "6*7", "pattern": "(?m)^42"}),
        );
        answers.push(said.lines().take(2).collect::<Vec<_>>().join("\n"));
        agent.tool("session_close", json!({"session": id}));
    }
    assert_eq!(answers[0], answers[1]);
    assert!(fs::read_dir(root.join("bc")).unwrap().count() > 0);
}

#[test]
fn conversations_and_the_memory_of_a_project_are_found() {
    let daemon = Daemon::builder().prepare();
    let project = daemon.home().join(".claude/projects/-work");
    fs::create_dir_all(&project).unwrap();
    let record = json!({
        "type": "user", "uuid": "u1", "sessionId": "11111111-2222-3333-4444-555555555555",
        "timestamp": "2026-01-02T03:04:05Z", "cwd": "/work", "version": "2.1.330", "parentUuid": null,
        "isSidechain": false, "userType": "external",
        "message": {"role": "user", "content": "the flux capacitor needs 1.21 gigawatts"},
    });
    fs::write(
        project.join("11111111-2222-3333-4444-555555555555.jsonl"),
        format!("{record}\n"),
    )
    .unwrap();
    let mut daemon = daemon;
    daemon.restart();
    let mut agent = Agent::start(&daemon);
    let said = agent.tool(
        "conversation_search",
        json!({"query": "\"flux capacitor\""}),
    );
    assert!(
        said.contains("gigawatts") && said.contains("[1 of 1 matches"),
        "{said}"
    );
    let said = agent.tool("conversation_search", json!({"query": "perpetuum"}));
    assert!(said.contains("[nothing found]"), "{said}");
    let missing = agent.fails("memory_show", json!({"project": "/no/such"}));
    assert!(missing.contains("/no/such"), "{missing}");
}

#[test]
fn the_long_output_of_a_program_can_be_read_to_its_end() {
    let daemon = Daemon::start();
    let mut agent = Agent::start(&daemon);
    let said = agent.tool("program_run", json!({"program": "seq", "args": ["20000"]}));
    let whole: String = (1..=20_000).map(|number| format!("{number}\n")).collect();
    let (_, rest) = said.split_once("from=").unwrap();
    let from: usize = rest.split(' ').next().unwrap().parse().unwrap();
    assert!(
        said.starts_with(&whole[..from]) && said.contains("\n20000\n[session "),
        "{said}"
    );
    let read = agent.tool(
        "session_read",
        json!({"session": super::agent::id_of(&said), "from": from}),
    );
    assert!(read.starts_with(&whole[from..from + 1000]), "{read}");
}

#[test]
fn a_command_that_ends_its_shell_or_asks_for_something_is_reported_at_once() {
    let daemon = Daemon::start();
    let mut agent = Agent::start(&daemon);
    let said = agent.tool("shell_run", json!({"command": "echo hello; exit 3"}));
    assert!(
        said.starts_with("hello\n") && said.contains("exit status 3"),
        "{said}"
    );
    assert!(
        said.contains("the command ended the shell and its session"),
        "{said}"
    );
    let said = agent.tool(
        "shell_run",
        json!({"command": "read -s -p 'pass: ' x; echo ${#x}", "timeout_s": 600}),
    );
    assert!(
        said.contains("the command waits for input") && said.contains("hidden input"),
        "{said}"
    );
    let id = super::agent::id_of(&said);
    let said = agent.tool(
        "session_send",
        json!({"session": id, "text": "12345", "pattern": "^5$"}),
    );
    assert!(said.contains("5\n[session"), "{said}");
    let said = agent.tool(
        "shell_run",
        json!({"command": "less /etc/passwd", "timeout_s": 600}),
    );
    assert!(said.contains("root:") && !said.contains('\u{1b}'), "{said}");
    assert!(
        said.contains("session_screen returns what it shows"),
        "{said}"
    );
    let refused = agent.fails(
        "shell_run",
        json!({"command": "echo second", "timeout_s": 600}),
    );
    assert!(
        refused.contains("it still runs \"less /etc/passwd\"")
            && refused.contains("this command was not run"),
        "{refused}"
    );
    agent.tool("session_send", json!({"session": id, "keys": ["q"]}));
    let said = agent.tool(
        "shell_run",
        json!({"command": "seq 3; python3 -q", "timeout_s": 600}),
    );
    assert!(
        said.starts_with("1\n2\n3\n>>>") && said.contains("the command waits for input"),
        "{said}"
    );
}

#[test]
fn commands_that_are_sent_together_run_in_their_order() {
    let daemon = Daemon::start();
    let mut agent = Agent::start(&daemon);
    let runs = ["cd /usr", "pwd", "cd /etc", "pwd"];
    let runs = runs.map(|command| agent.begin("shell_run", json!({"command": command})));
    let said = runs.map(|id| agent.said(id).unwrap());
    assert!(
        said[1].starts_with("/usr\n") && said[3].starts_with("/etc\n"),
        "{said:?}"
    );
}

#[test]
fn the_shell_of_an_agent_ends_with_it_unless_a_command_runs_in_it() {
    let daemon = Daemon::start();
    let shells = || {
        let list = daemon.call_value("session.list", &json!({})).unwrap();
        list["sessions"].as_array().unwrap().len()
    };
    let mut agent = Agent::start(&daemon);
    agent.tool("shell_run", json!({"command": "true"}));
    assert_eq!(shells(), 1);
    drop(agent);
    eventually("the idle shell has ended", || (shells() == 0).then_some(()));
    let mut agent = Agent::start(&daemon);
    agent.tool("shell_run", json!({"command": "true"}));
    let begun = daemon.home().join("begun");
    let command = format!("touch {}; sleep 600", begun.display());
    let said = agent.tool("shell_run", json!({"command": command, "timeout_s": 0.5}));
    let id = super::agent::id_of(&said);
    eventually("the command runs", || begun.exists().then_some(()));
    let (_, status) = agent.finish();
    assert_eq!((status, shells()), (Some(0), 1));
    let mut agent = Agent::start(&daemon);
    agent.tool("session_close", json!({"session": id}));
}

#[test]
fn a_program_that_is_cancelled_at_once_is_ended() {
    let daemon = Daemon::start();
    let mut agent = Agent::start(&daemon);
    for _ in 0..20 {
        let id = agent.begin(
            "program_run",
            json!({"program": "sleep", "args": ["600"], "timeout_s": 600}),
        );
        agent.notify("notifications/cancelled", json!({"requestId": id}));
    }
    eventually("all have ended", || {
        let list = daemon.call_value("session.list", &json!({})).unwrap();
        list["sessions"]
            .as_array()
            .unwrap()
            .is_empty()
            .then_some(())
    });
    assert!(agent.call("ping", json!({})).is_ok());
}
