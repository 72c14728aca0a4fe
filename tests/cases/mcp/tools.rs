//! The other tools, and what a client is told of all of them.

use super::agent::{Agent, assert_said, id_of};
use crate::support::{Daemon, assert_has, eventually};
use serde_json::json;
use std::fs;

#[test]
fn a_program_runs_to_its_end_and_a_shell_keeps_its_state() {
    let daemon = Daemon::start();
    let mut agent = Agent::start(&daemon);
    let said = agent.tool("program_run", json!({"program": "sort", "stdin": "b\na\n"}));
    assert_said(&said, "a\nb\n[session ", &[": exit status 0 after"]);
    let sleep = json!({"program": "sleep", "args": ["600"], "timeout_s": 0.3});
    let said = agent.tool("program_run", sleep);
    assert!(said.contains("timeout_s was reached"), "{said}");
    let said = agent.shell("cd / && X=7 && printf '\\033[31mred\\033[m\\n'", 60.0);
    let parts = [": new shell; ", "exit status 0"];
    assert_said(&said, "red\n[session shell-", &parts);
    let said = agent.shell("echo $PWD $X $GIT_PAGER; false", 60.0);
    assert_said(&said, "/ 7 cat\n", &["exit status 1"]);
    let said = agent.shell("echo start; sleep 600", 0.5);
    assert_said(&said, "start\n", &["still running after 0.5 s"]);
    let id = id_of(&said);
    let busy = agent.fails("shell_run", json!({"command": "true", "timeout_s": 0.2}));
    assert!(busy.contains("session_read"), "{busy}");
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
        let bc = json!({"action": action, "program": "bc", "args": ["-q"], "root": root});
        let id = id_of(&agent.tool("tape_session", bc));
        let said = agent.type_line(&id, "6*7", "(?m)^42");
        answers.push(said.lines().take(2).collect::<Vec<_>>().join("\n"));
        agent.tool("session_close", json!({"session": id}));
    }
    assert_eq!(answers[0], answers[1]);
    assert!(fs::read_dir(root.join("bc")).unwrap().count() > 0);
}

#[test]
fn conversations_and_the_memory_of_a_project_are_found() {
    let mut daemon = Daemon::builder().prepare();
    let project = daemon.home().join(".claude/projects/-work");
    fs::create_dir_all(&project).unwrap();
    let id = "11111111-2222-3333-4444-555555555555";
    let record = json!({
        "type": "user", "uuid": "u1", "sessionId": id,
        "timestamp": "2026-01-02T03:04:05Z", "cwd": "/work", "version": "2.1.330", "parentUuid": null,
        "isSidechain": false, "userType": "external",
        "message": {"role": "user", "content": "the flux capacitor needs 1.21 gigawatts"},
    });
    let transcript = project.join(format!("{id}.jsonl"));
    fs::write(transcript, format!("{record}\n")).unwrap();
    daemon.restart();
    let mut agent = Agent::start(&daemon);
    let query = json!({"query": "\"flux capacitor\""});
    let said = agent.tool("conversation_search", query);
    assert_has(&said, ["gigawatts", "[1 of 1 matches"]);
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
    assert_said(&said, &whole[..from], &["\n20000\n[session "]);
    let rest = json!({"session": id_of(&said), "from": from, "max_bytes": 10_000_000});
    let read = agent.tool("session_read", rest);
    let reduced = "max_bytes was reduced to 65536";
    assert_said(&read, &whole[from..from + 1000], &[reduced]);
}

#[test]
fn a_command_that_ends_its_shell_or_asks_for_something_is_reported_at_once() {
    let daemon = Daemon::start();
    let mut agent = Agent::start(&daemon);
    let said = agent.shell("echo hello; exit 3", 600.0);
    let ended = "the command ended the shell and its session";
    assert_said(&said, "hello\n", &["exit status 3", ended]);
    let waits = "the command waits for input";
    let said = agent.shell("read -s -p 'pass: ' x; echo ${#x}", 600.0);
    assert_has(&said, [waits, "hidden input"]);
    let id = id_of(&said);
    let said = agent.type_line(&id, "12345", "^5$");
    assert!(said.contains("5\n[session"), "{said}");
    let said = agent.shell("less /etc/passwd", 600.0);
    assert_has(&said, ["root:", "session_screen returns what it shows"]);
    assert!(!said.contains('\u{1b}'), "{said}");
    let second = json!({"command": "echo second", "timeout_s": 600});
    let refused = agent.fails("shell_run", second);
    let runs = "it still runs \"less /etc/passwd\"";
    assert_has(&refused, [runs, "this command was not run"]);
    agent.tool("session_send", json!({"session": id, "keys": ["q"]}));
    let said = agent.shell("seq 3; python3 -q", 600.0);
    assert_said(&said, "1\n2\n3\n>>>", &[waits]);
}

#[test]
fn commands_that_are_sent_together_run_in_their_order() {
    let daemon = Daemon::start();
    let mut agent = Agent::start(&daemon);
    let runs = ["cd /usr", "pwd", "cd /etc", "pwd"];
    let runs = runs.map(|command| agent.begin("shell_run", json!({"command": command})));
    let said = runs.map(|id| agent.said(id).unwrap());
    assert!(said[1].starts_with("/usr\n"), "{said:?}");
    assert!(said[3].starts_with("/etc\n"), "{said:?}");
}

#[test]
fn the_shell_of_an_agent_ends_with_it_unless_a_command_runs_in_it() {
    let daemon = Daemon::start();
    let shells = || daemon.listed(false).len();
    let mut agent = Agent::start(&daemon);
    agent.shell("true", 60.0);
    assert_eq!(shells(), 1);
    drop(agent);
    eventually("the idle shell has ended", || (shells() == 0).then_some(()));
    let mut agent = Agent::start(&daemon);
    agent.shell("true", 60.0);
    let begun = daemon.home().join("begun");
    let command = format!("touch {}; sleep 600", begun.display());
    let id = id_of(&agent.shell(&command, 0.5));
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
    let sleep = json!({"program": "sleep", "args": ["600"], "timeout_s": 600});
    for _ in 0..20 {
        let id = agent.begin("program_run", sleep.clone());
        agent.notify("notifications/cancelled", json!({"requestId": id}));
    }
    eventually("all have ended", || {
        daemon.listed(false).is_empty().then_some(())
    });
    assert!(agent.call("ping", json!({})).is_ok());
}
