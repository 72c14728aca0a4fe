//! Claude Code itself, on a terminal.

use super::in_state;
use crate::support::exec::Claude;
use crate::support::{Ccctl, Daemon, assert_fields, eventually};
use serde_json::{Value, json};
use std::fs;

/// Types a prompt; Claude Code takes text and Enter that come at once for a paste.
fn prompt(client: &Ccctl<'_>, text: &str) {
    client.ok(&["send", "lamp", text, "--no-newline"]);
    eventually("the prompt is shown", || {
        let screen = client.ok(&["screen", "lamp"]);
        screen.contains(&format!("❯ {text}")).then_some(())
    });
    client.ok(&["send", "lamp", "--keys", "Enter"]);
}

/// Waits until it asks and its hook has said so: the screen may show the question before.
fn asks_in_fact(daemon: &Daemon) -> Value {
    eventually("a hook says that it asks", || {
        let asks = in_state(daemon, "lamp", "asks");
        (asks["known"] == "fact").then_some(asks)
    })
}

#[test]
fn the_real_claude_code_asks_and_is_answered() {
    let question = json!({"question": "Which colour?", "header": "Colour", "multiSelect": false, "options": [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}]});
    let step = |name: &str, input| json!({"tool": {"name": name, "input": input}});
    let answers = json!({"lanes": [{"name": "main", "steps": [
        step("WebFetch", json!({"url": "http://127.0.0.1:9/", "prompt": "x"})), {"text": "Fetched."},
        step("WebFetch", json!({"url": "http://127.0.0.1:9/b", "prompt": "y"})),
        step("AskUserQuestion", json!({"questions": [question]})), {"text": "A nice colour."},
    ]}]});
    let Some(claude) = Claude::real(&answers) else {
        return;
    };
    let daemon = Daemon::start();
    let client = Ccctl::new(&daemon);
    let mut env = claude.env.clone();
    let config = claude.home().join(".claude");
    let known = json!({"hasCompletedOnboarding": true, "theme": "dark", "customApiKeyResponses": {"approved": ["dummy"], "rejected": []},
        "projects": {claude.home().to_str().unwrap(): {"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}}});
    fs::write(config.join(".claude.json"), known.to_string()).unwrap();
    let hook = format!(
        "{} --socket {} hook",
        crate::support::client::CCCTL,
        daemon.socket().display()
    );
    let events = [
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "PostToolBatch",
        "PermissionRequest",
        "Stop",
        "SessionEnd",
    ];
    let hooks: serde_json::Map<_, _> = events
        .map(|event| {
            (
                event.to_owned(),
                json!([{"hooks": [{"type": "command", "command": hook}]}]),
            )
        })
        .into_iter()
        .collect();
    fs::write(
        config.join("settings.json"),
        json!({"hooks": hooks}).to_string(),
    )
    .unwrap();
    env.insert("TERM".into(), "xterm-256color".into());
    let start = json!({
        "program": claude.program(), "args": ["--permission-mode", "default"], "cwd": claude.home(), "env": env, "name": "lamp",
        "rows": 40, "cols": 100, "persist": true,
    });
    daemon.ok("session.create", &start);
    let started = in_state(&daemon, "lamp", "idle");
    client.ok(&["wait", "lamp", "--idle", "1000", "--json"]);
    prompt(&client, "fetch it");
    let asks = asks_in_fact(&daemon);
    assert_fields(&asks["question"], json!({"kind": "permission"}));
    assert_fields(
        &asks,
        json!({"known": "fact", "session_id": started["session_id"], "last_prompt": "fetch it"}),
    );
    client.ok(&["agents", "answer", "lamp", "1"]);
    let idle = in_state(&daemon, "lamp", "idle");
    assert_fields(
        &idle,
        json!({"last_answer": "Fetched.", "pid": idle["pid"]}),
    );

    // No hook says that the user has refused; the screen and the transcript do.
    prompt(&client, "again");
    asks_in_fact(&daemon);
    eventually("the question is drawn", || {
        let shown = client.ok(&["agents", "show", "lamp"]);
        shown.contains("do differently").then_some(())
    });
    client.ok(&["send", "lamp", "--keys", "Escape"]);
    in_state(&daemon, "lamp", "idle");

    prompt(&client, "ask me");
    let asks = asks_in_fact(&daemon);
    assert_fields(
        &asks["question"],
        json!({"kind": "question", "text": "Which colour?"}),
    );
    client.ok(&["agents", "answer", "lamp", "Blue"]);
    in_state(&daemon, "lamp", "idle");
    client.ok(&["session", "signal", "lamp", "KILL"]);
    in_state(&daemon, "lamp", "gone");
}
