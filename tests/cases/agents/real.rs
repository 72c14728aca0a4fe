//! Claude Code itself, on a terminal.

use super::{agents, in_state};
use crate::support::client::CCCTL;
use crate::support::eventually::eventually_within;
use crate::support::exec::Claude;
use crate::support::worker::{signal_worker, worker};
use crate::support::{Ccctl, Daemon, assert_fields, eventually};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::fs;
use std::time::Duration;

const HOOKS: [&str; 10] = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolBatch",
    "PermissionRequest",
    "SubagentStart",
    "SubagentStop",
    "Stop",
    "SessionEnd",
];

fn tool(name: &str, input: Value) -> Value {
    json!({"tool": {"name": name, "input": input}})
}

/// It needs a permission, and fails at once.
fn fetch(page: &str) -> Value {
    let input = json!({"url": format!("http://127.0.0.1:9/{page}"), "prompt": "x"});
    tool("WebFetch", input)
}

/// Returns Claude Code that knows its user, and answers with these steps.
fn claude(steps: &[Value]) -> Option<Claude> {
    let main = json!({"name": "main", "per_session": true, "steps": steps});
    let helpers = json!({"name": "helpers", "match": {"is_subagent": true}, "per_session": true, "loop": true,
        "steps": [fetch("a"), fetch("b"), {"text": "Found."}]});
    let claude = Claude::real(&json!({"lanes": [helpers, main]}))?;
    let known = json!({"hasCompletedOnboarding": true, "theme": "dark", "customApiKeyResponses": {"approved": ["dummy"], "rejected": []},
        "projects": {claude.home().to_str().unwrap(): {"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}}});
    let config = claude.home().join(".claude");
    fs::write(config.join(".claude.json"), known.to_string()).unwrap();
    Some(claude)
}

fn install_hooks(claude: &Claude, daemon: &Daemon) {
    let hook = format!("{CCCTL} --socket {} hook", daemon.socket().display());
    let hook = json!([{"hooks": [{"type": "command", "command": hook}]}]);
    let hooks = HOOKS.map(|event| (event.to_owned(), hook.clone()));
    let hooks: serde_json::Map<_, _> = hooks.into_iter().collect();
    let settings = json!({"hooks": hooks, "permissions": {"allow": ["Agent", "Task"]}}).to_string();
    fs::write(claude.home().join(".claude/settings.json"), settings).unwrap();
}

/// Starts a program of its environment in a session with this name.
fn start(daemon: &Daemon, claude: &Claude, name: &str, program: &str, args: &[&str]) {
    let mut env = claude.env.clone();
    env.insert("TERM".into(), "xterm-256color".into());
    let start = json!({"program": program, "args": args, "cwd": claude.home(), "env": env, "name": name, "rows": 40, "cols": 100, "persist": true});
    daemon.ok("session.create", &start);
}

/// Types a line where a prompt is shown. Claude Code takes text and Enter that come at once for a paste, and may lose the keys that
/// come while it draws.
fn say(client: &Ccctl<'_>, session: &str, text: &str) {
    let shows = |text: &str| {
        let screen = client.ok(&["screen", session]).replace('\u{a0}', " ");
        screen
            .lines()
            .any(|row| row.starts_with(text))
            .then_some(())
    };
    eventually("a prompt is shown", || shows("❯"));
    eventually("the line is shown", || {
        client.ok(&["wait", session, "--idle", "300", "--json"]);
        client.ok(&["send", session, text, "--no-newline"]);
        let shown = eventually_within(Duration::from_secs(5), || shows(&format!("❯ {text}")));
        if shown.is_none() {
            client.ok(&["send", session, "--keys", "C-u"]);
        }
        shown
    });
    client.ok(&["send", session, "--keys", "Enter"]);
}

/// Waits until an agent is in a state, and that is a fact.
fn in_fact(daemon: &Daemon, agent: &str, state: &str) -> Value {
    eventually(&format!("{agent} is {state} in fact"), || {
        let found = in_state(daemon, agent, state);
        (found["known"] == "fact").then_some(found)
    })
}

#[test]
fn with_hooks_a_question_is_answered() {
    let question = json!({"question": "Which colour?", "header": "Colour", "multiSelect": false, "options": [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}]});
    let Some(claude) = claude(&[
        fetch(""),
        json!({"text": "Fetched."}),
        fetch("b"),
        tool("AskUserQuestion", json!({"questions": [question]})),
        json!({"text": "A nice colour."}),
    ]) else {
        return;
    };
    let daemon = Daemon::start();
    let client = Ccctl::new(&daemon);
    install_hooks(&claude, &daemon);
    let program = claude.program();
    let args = ["--permission-mode", "default"];
    start(&daemon, &claude, "lamp", program.to_str().unwrap(), &args);
    let started = in_fact(&daemon, "lamp", "idle");
    say(&client, "lamp", "fetch it");
    let asks = in_fact(&daemon, "lamp", "asks");
    assert_fields(
        &asks,
        json!({"session_id": started["session_id"], "conversation_id": started["conversation_id"], "last_prompt": "fetch it"}),
    );
    assert_fields(&asks["question"], json!({"kind": "permission"}));
    client.ok(&["agents", "answer", "lamp", "1"]);
    let idle = in_fact(&daemon, "lamp", "idle");
    assert_fields(&idle, json!({"last_answer": "Fetched."}));

    // No hook says that the user has refused.
    say(&client, "lamp", "again");
    in_fact(&daemon, "lamp", "asks");
    eventually("the question is drawn", || {
        let shown = client.ok(&["agents", "show", "lamp"]);
        shown.contains("do differently").then_some(())
    });
    client.ok(&["send", "lamp", "--keys", "Escape"]);
    in_fact(&daemon, "lamp", "idle");

    say(&client, "lamp", "ask me");
    let asks = in_fact(&daemon, "lamp", "asks");
    assert_fields(
        &asks["question"],
        json!({"kind": "question", "text": "Which colour?"}),
    );
    // The selection is in a text field, which takes a number as text.
    client.ok(&["wait", "lamp", "--idle", "500", "--json"]);
    client.ok(&["send", "lamp", "--keys", "Down"]);
    client.ok(&["send", "lamp", "--keys", "Down"]);
    eventually("the text field is selected", || {
        let screen = client.ok(&["screen", "lamp"]);
        screen.contains("❯ 3.").then_some(())
    });
    client.ok(&["agents", "answer", "lamp", "Blue"]);
    in_fact(&daemon, "lamp", "idle");
    eventually("the answer is in the transcript", || {
        let screen = client.ok(&["screen", "lamp"]);
        screen.contains("→ Blue").then_some(())
    });
    client.ok(&["session", "signal", "lamp", "KILL"]);
    in_state(&daemon, "lamp", "gone");
}

#[test]
fn without_hooks_in_a_shell_its_states_are_facts_and_clear_begins_another() {
    let Some(claude) = claude(&[fetch(""), json!({"text": "Fetched."}), fetch("b")]) else {
        return;
    };
    let daemon = Daemon::start();
    let client = Ccctl::new(&daemon);
    start(&daemon, &claude, "lamp", "bash", &["--norc"]);
    assert_eq!(agents(&mut daemon.connect()).len(), 0, "a shell is none");
    client.ok(&["send", "lamp", "claude --permission-mode default"]);
    let first = in_fact(&daemon, "lamp", "idle");
    say(&client, "lamp", "fetch it");
    let asks = in_fact(&daemon, "lamp", "asks");
    assert_fields(&asks["question"], json!({"kind": "permission"}));
    eventually("the question is drawn", || {
        let asks = in_fact(&daemon, "lamp", "asks");
        let text = asks["question"]["text"].as_str().unwrap();
        text.contains("allow Claude to fetch").then_some(())
    });
    client.ok(&["agents", "answer", "lamp", "Yes"]);
    in_fact(&daemon, "lamp", "idle");
    eventually("the transcript is read", || {
        let idle = in_fact(&daemon, "lamp", "idle");
        (idle["last_prompt"] == "fetch it" && idle["last_answer"] == "Fetched.").then_some(())
    });

    say(&client, "lamp", "again");
    in_fact(&daemon, "lamp", "asks");
    client.ok(&["wait", "lamp", "--idle", "500", "--json"]);
    client.ok(&["send", "lamp", "--keys", "Escape"]);
    in_fact(&daemon, "lamp", "idle");

    say(&client, "lamp", "/clear");
    in_state(&daemon, first["agent_id"].as_str().unwrap(), "gone");
    let second = in_fact(&daemon, "lamp", "idle");
    assert_ne!(second["conversation_id"], first["conversation_id"]);
    assert_eq!(second["pid"], first["pid"]);
    let pid = second["pid"].to_string();
    assert!(
        std::process::Command::new("kill")
            .args(["-9", &pid])
            .status()
            .unwrap()
            .success()
    );
    in_state(&daemon, second["agent_id"].as_str().unwrap(), "gone");
    client.ok(&[
        "send",
        "lamp",
        "echo the shell li''ves",
        "--expect",
        "the shell lives",
    ]);
}

#[test]
fn in_another_terminal_it_is_listed_and_resumed_here_it_can_be_answered() {
    let Some(claude) = claude(&[fetch(""), fetch("b"), json!({"text": "Fetched."})]) else {
        return;
    };
    let elsewhere = Daemon::start();
    let config = &claude.env["CLAUDE_CONFIG_DIR"];
    let here = Daemon::builder().env("CLAUDE_CONFIG_DIR", config).start();
    let program = claude.program();
    let program = program.to_str().unwrap();
    let mode = ["--permission-mode", "default"];
    start(&elsewhere, &claude, "lamp", program, &mode);
    let found = in_fact(&here, "home", "idle");
    assert_fields(&found, json!({"session_id": null, "program": "claude"}));
    let id = found["conversation_id"].as_str().unwrap();
    say(&Ccctl::new(&elsewhere), "lamp", "fetch it");
    in_fact(&here, id, "asks");
    let client = Ccctl::new(&here);
    let refused = client.run(&["agents", "answer", id, "1"]);
    assert_eq!(refused.code, Some(5), "{}", refused.stderr);
    Ccctl::new(&elsewhere).ok(&["close", "lamp"]);
    in_state(&here, id, "gone");

    start(
        &here,
        &claude,
        "desk",
        program,
        &[&mode[..], &["--resume", id]].concat(),
    );
    let resumed = in_fact(&here, id, "idle");
    assert_fields(&resumed, json!({"name": "desk"}));
    say(&client, "desk", "again");
    in_fact(&here, "desk", "asks");
    client.ok(&["agents", "answer", "desk", "1"]);
    in_fact(&here, "desk", "idle");
}

#[test]
fn questions_of_two_sub_agents_are_answered_one_after_the_other_whatever_happens_to_the_daemon() {
    let task = |name: &str| json!({"name": "Task", "input": {"description": name, "prompt": "look", "subagent_type": "general-purpose"}});
    let Some(claude) = claude(&[
        json!({"tools": [task("one"), task("two")]}),
        json!({"text": "Both look."}),
        json!({"text": "One has looked."}),
        json!({"text": "Both have looked."}),
    ]) else {
        return;
    };
    let daemon = Daemon::start();
    let client = Ccctl::new(&daemon);
    install_hooks(&claude, &daemon);
    let program = claude.program();
    let args = ["--permission-mode", "default"];
    start(&daemon, &claude, "lamp", program.to_str().unwrap(), &args);
    in_fact(&daemon, "lamp", "idle");
    say(&client, "lamp", "look around");
    let (mut answered, mut named) = (0, false);
    eventually("all are done", || {
        let asks = agents(&mut daemon.connect()).remove(0);
        if asks["last_answer"] == "Both have looked." {
            return Some(());
        }
        if asks["state"] != "asks" || answered == 4 {
            return None;
        }
        let old = worker(&daemon);
        match answered {
            1 => signal_worker(&daemon, old, Signal::KILL),
            2 => drop(daemon.ok("daemon.upgrade", &json!({}))),
            _ => {}
        }
        if [1, 2].contains(&answered) {
            eventually("another worker", || (worker(&daemon) != old).then_some(()));
        }
        let still = in_fact(&daemon, "lamp", "asks");
        assert_fields(&still["question"], json!({"kind": "permission"}));
        // A hook that comes while there is no worker says nothing.
        named |= still["question"]["sub_agent"] == "general-purpose";
        assert_eq!(still["agent_id"], asks["agent_id"]);
        let ran = client.run(&["agents", "answer", "lamp", "Yes"]);
        answered += usize::from(ran.code == Some(0));
        None
    });
    assert_eq!((answered, named), (4, true));
    let idle = in_fact(&daemon, "lamp", "idle");
    assert_fields(&idle, json!({"sub_agents": null}));
}
