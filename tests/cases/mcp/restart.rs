//! Another worker takes over while an agent is connected.

use super::agent::{Agent, assert_said, initialize};
use crate::support::client::Installation;
use crate::support::worker::{is_one_process, kill_worker, worker};
use crate::support::{Daemon, assert_has, eventually, rounds};
use serde_json::json;

#[test]
fn an_agent_goes_on_after_the_worker_was_killed() {
    let daemon = Daemon::start();
    if is_one_process(&daemon) {
        return;
    }
    let mut agent = Agent::start(&daemon);
    let id = agent.session(json!({"program": "cat", "until": "none"}));
    let uri = format!("ccd://session/{id}/output");
    agent.subscribe(&uri);
    for round in 0..rounds() {
        let pattern = format!("word {round}\\b");
        let read = json!({"session": id, "from": 0, "pattern": pattern});
        let waits = agent.begin("session_read", read);
        agent.call("ping", json!({})).unwrap();
        kill_worker(&daemon);
        let text = format!("word {round}");
        let said = agent.type_line(&id, &text, &text);
        assert!(said.contains(&text), "{said}");
        let waited = agent.said(waits).unwrap();
        assert!(waited.contains(&text), "{waited}");
        agent.wait("an update", |message| message["params"]["uri"] == uri);
    }
}

#[test]
fn a_call_that_may_have_been_carried_out_says_so_and_a_command_runs_once() {
    let daemon = Daemon::start();
    if is_one_process(&daemon) {
        return;
    }
    let mut agent = Agent::start(&daemon);
    let id = agent.session(json!({"program": "cat", "until": "none"}));
    let file = daemon.home().join("count");
    let command = format!("echo once >> {}; sleep 2; echo done", file.display());
    agent.shell("true", 60.0);
    let runs = agent.begin("shell_run", json!({"command": command}));
    let typed = json!({"session": id, "text": "typed", "pattern": "never"});
    let types = agent.begin("session_send", typed);
    eventually("both are at work", || {
        let output = agent.tool("session_read", json!({"session": id, "from": 0}));
        (output.contains("typed") && file.exists()).then_some(())
    });
    kill_worker(&daemon);
    let said = agent.said(types).unwrap_err();
    let unknown = "it is unknown whether session_send was carried out";
    assert_has(&said, [unknown]);
    let said = agent.said(runs).unwrap();
    assert_said(&said, "done\n", &["exit status 0"]);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "once\n");
}

#[test]
fn a_replaced_worker_cuts_a_wait_short_without_an_error_and_a_command_goes_on() {
    let daemon = Daemon::start();
    if is_one_process(&daemon) {
        return;
    }
    let mut agent = Agent::start(&daemon);
    let file = daemon.home().join("count");
    agent.shell("true", 60.0);
    let command = format!("echo once >> {0}; sleep 2; cat {0}", file.display());
    let runs = agent.begin("shell_run", json!({"command": command}));
    eventually("it is at work", || file.exists().then_some(()));
    let id = agent.session(json!({"program": "cat", "until": "none"}));
    let typed = json!({"session": id, "text": "typed", "until": "silence", "timeout_s": 60});
    let types = agent.begin("session_send", typed);
    let read = json!({"session": id, "pattern": "never", "timeout_s": 60});
    let waits = agent.begin("session_read", read);
    let lists = agent.begin("session_list", json!({}));
    agent.said(lists).unwrap();
    let before = worker(&daemon);
    daemon.ok("daemon.restart", &json!({}));
    eventually("another worker answers", || {
        (worker(&daemon) != before).then_some(())
    });
    for id in [types, waits] {
        let said = agent.said(id).unwrap();
        assert!(said.contains("next offset"), "{said}");
    }
    let said = agent.said(runs).unwrap();
    assert!(said.starts_with("once\n[session"), "{said}");
    let said = agent.type_line(&id, "on", "on\\s+on");
    assert!(said.contains("on\non"), "{said}");
}

#[test]
fn a_daemon_that_was_stopped_stays_stopped_until_the_agent_wants_something() {
    let installation = Installation::new();
    let mut command = installation.ccctl(&["mcp"]);
    command.env("SHELL", "/bin/bash");
    let mut agent = Agent::of(command);
    agent.call("initialize", initialize("tester")).unwrap();
    let id = agent.session(json!({"program": "cat", "until": "none"}));
    let read = json!({"session": id, "pattern": "never", "timeout_s": 600});
    let waits = agent.begin("session_read", read);
    agent.tool("session_list", json!({}));
    installation.ok(&["daemon", "stop", "--force"]);
    let ping = || installation.run(&["daemon", "ping", "--no-start"]).code;
    assert!(agent.reply(waits).is_err() || ping() == Some(3));
    assert_eq!(ping(), Some(3));
    let config = installation.home().join("config.json");
    std::fs::write(&config, "{ max_sessions: 'many' }").unwrap();
    let refused = agent.call("tools/list", json!({})).unwrap_err().to_string();
    assert!(refused.contains("max_sessions must be"), "{refused}");
    std::fs::remove_file(&config).unwrap();
    assert_eq!(agent.tool("session_list", json!({})), "[no sessions]");
    assert_eq!(ping(), Some(0));
}
