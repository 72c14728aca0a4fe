//! What hooks report.

use super::{agents, in_state, post};
use crate::support::client::CCCTL;
use crate::support::executable::write_script;
use crate::support::{Ccctl, Daemon, assert_fields, assert_has, eventually};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const BASH: fn(&str) -> Value =
    |command| json!({"tool_name": "Bash", "tool_input": {"command": command}});

fn states(found: &[Value]) -> Vec<(&str, &str)> {
    let texts = found
        .iter()
        .map(|one| (one["agent_id"].as_str(), one["state"].as_str()));
    texts
        .map(|(id, state)| (id.unwrap(), state.unwrap()))
        .collect()
}

#[test]
fn those_that_need_somebody_are_listed_first_and_the_client_shows_them() {
    let daemon = Daemon::start();
    let client = Ccctl::new(&daemon);
    let none = client.run(&["agents"]);
    assert_has(&none.stderr, ["no agents; ccctl agents new -- claude"]);
    assert_eq!(client.ok(&["agents", "count"]), "");
    let mut connection = daemon.connect();
    post(
        &mut connection,
        "works",
        "UserPromptSubmit",
        json!({"prompt": "build it"}),
    );
    post(
        &mut connection,
        "idle",
        "Stop",
        json!({"last_assistant_message": "Done.\nAll of it."}),
    );
    post(
        &mut connection,
        "asks",
        "UserPromptSubmit",
        json!({"prompt": "remove it"}),
    );
    post(&mut connection, "asks", "PreToolUse", BASH("rm -r target"));
    // A sub-agent that goes on hides no question.
    post(
        &mut connection,
        "asks",
        "PermissionRequest",
        BASH("rm -r target"),
    );
    for event in ["PreToolUse", "PostToolUse"] {
        let mut call = BASH("ls");
        call["agent_id"] = "a1".into();
        post(&mut connection, "asks", event, call);
    }
    let found = agents(&mut connection);
    assert_eq!(
        states(&found),
        [("asks", "asks"), ("idle", "idle"), ("works", "working")]
    );
    assert_fields(
        &found[0],
        json!({
            "name": "shop-asks", "program": "claude", "known": "fact", "last_prompt": "remove it", "sub_agents": 1,
            "question": {"kind": "permission", "text": "Bash: rm -r target"},
        }),
    );
    assert_eq!(client.ok(&["agents", "count"]), "1\n");
    let listed = client.ok(&["agent", "list"]);
    assert_has(
        &listed,
        [
            "asks     shop-asks",
            "Bash: rm -r target\n",
            "Done. All of it.\n",
        ],
    );
    let shown = client.ok(&["agents", "show", "asks"]);
    assert_has(
        &shown,
        ["question     Bash: rm -r target\n", "conversation asks\n"],
    );
    let ambiguous = connection.refused("agent.get", &json!({"agent": ""}), "agent_not_found");
    assert_has(&ambiguous, ["no agent"]);
    let session = connection.refused(
        "agent.answer",
        &json!({"agent": "asks", "answer": "1"}),
        "agent_not_asking",
    );
    assert_has(&session, ["does not run in a session of ccd"]);
    post(
        &mut connection,
        "asks",
        "SessionEnd",
        json!({"reason": "other"}),
    );
    assert_eq!(states(&agents(&mut connection))[2], ("asks", "gone"));
}

#[test]
fn a_change_reaches_subscribers_and_those_who_wait() {
    let daemon = Daemon::start();
    let (mut poster, mut waiter, mut connection) =
        (daemon.connect(), daemon.connect(), daemon.connect());
    post(
        &mut poster,
        "c",
        "UserPromptSubmit",
        json!({"prompt": "go"}),
    );
    connection.ok("agent.subscribe", &json!({}));
    let first = connection.next_item().unwrap();
    assert_eq!(
        (first["seq"].as_u64(), &first["agents"][0]["state"]),
        (Some(0), &json!("working"))
    );
    let wait = waiter.request("agent.wait", &json!({"agents": ["c"], "until": ["asks"]}));
    let start = Instant::now();
    post(&mut poster, "c", "PermissionRequest", BASH("make"));
    let item = connection.next_item().unwrap();
    assert_eq!(item["agents"][0]["state"], "asks");
    assert!(
        start.elapsed() < Duration::from_secs(5),
        "not by a look alone"
    );
    let met = waiter.answer(wait).unwrap();
    assert_eq!(met["agents"][0]["agent_id"], "c");
    let late = json!({"agents": ["c"], "until": ["idle"], "timeout_ms": 50});
    waiter.refused("agent.wait", &late, "agent_timeout");
    let any = json!({"any": true, "until": ["asks"]});
    assert_eq!(
        waiter.ok("agent.wait", &any)["agents"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn fifty_agents_at_once_are_kept_apart() {
    const AGENTS: usize = 50;
    let daemon = Daemon::start();
    std::thread::scope(|scope| {
        for number in 0..AGENTS {
            let daemon = &daemon;
            scope.spawn(move || {
                let (mut connection, id) = (daemon.connect(), format!("c{number:02}"));
                for round in 0..20 {
                    let text = format!("make {number} {round}");
                    post(
                        &mut connection,
                        &id,
                        "UserPromptSubmit",
                        json!({"prompt": text}),
                    );
                    post(&mut connection, &id, "PreToolUse", BASH(&text));
                    post(&mut connection, &id, "PermissionRequest", BASH(&text));
                    if number % 2 == 0 || round < 19 {
                        post(&mut connection, &id, "PostToolUse", BASH(&text));
                        post(&mut connection, &id, "Stop", json!({}));
                    }
                }
            });
        }
    });
    for number in 0..AGENTS {
        let state = if number % 2 == 0 { "idle" } else { "asks" };
        let agent = in_state(&daemon, &format!("c{number:02}"), state);
        assert_eq!(agent["last_prompt"], format!("make {number} 19"));
    }
    assert_eq!(agents(&mut daemon.connect()).len(), AGENTS);
}

#[test]
fn a_question_survives_a_kill_of_the_daemon() {
    let mut daemon = Daemon::start();
    let mut connection = daemon.connect();
    post(
        &mut connection,
        "c",
        "PreToolUse",
        json!({"tool_name": "AskUserQuestion", "tool_input": {"questions": [{"question": "Which?", "options": [{"label": "Red"}]}]}}),
    );
    let file = daemon.socket().with_extension("sock.agents");
    eventually("it is written down", || {
        std::fs::read_to_string(&file)
            .ok()
            .filter(|text| text.contains("Which?"))
    });
    daemon.kill();
    daemon.restart();
    let found = agents(&mut daemon.connect());
    assert_fields(
        &found[0],
        json!({"agent_id": "c", "state": "asks", "question": {"kind": "question", "text": "Which?", "choices": ["Red"]}}),
    );
}

#[test]
fn secrets_and_control_characters_are_not_shown_nor_kept() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let token = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let long = format!("export TOKEN={token}\u{1b}[2J {}", "x".repeat(10_000));
    post(
        &mut connection,
        "c",
        "UserPromptSubmit",
        json!({"prompt": long}),
    );
    post(&mut connection, "c", "PermissionRequest", BASH(&long));
    let found = agents(&mut connection)[0].to_string();
    assert!(
        !found.contains(token) && !found.contains("\\u001b") && found.len() < 5000,
        "{found}"
    );
    let file = daemon.socket().with_extension("sock.agents");
    let kept = eventually("it is written down", || std::fs::read_to_string(&file).ok());
    assert!(!kept.contains(token), "{kept}");
}

/// A program called `claude` that runs `script`, in which `$hook` posts what it reads.
fn claude(daemon: &Daemon, script: &str) -> Value {
    let program = daemon.home().join("claude");
    write_script(
        &program,
        &format!(
            "#!/bin/sh\nhook=\"{CCCTL} --socket {} hook\"\n{script}\n",
            daemon.socket().display()
        ),
    );
    json!({"program": program, "name": "shop"})
}

#[test]
fn a_hook_names_the_session_it_ran_in_and_a_program_that_is_killed_is_gone() {
    let daemon = Daemon::start();
    let script = r#"echo '{"session_id": "c", "hook_event_name": "UserPromptSubmit", "prompt": "go"}' | $hook
exec sleep 600"#;
    let started = daemon.ok("session.create", &claude(&daemon, script));
    let found = eventually("its process is known", || {
        let found = in_state(&daemon, "c", "working");
        (found["pid"] == started["pid"]).then_some(found)
    });
    assert_fields(
        &found,
        json!({"name": "shop", "session_id": started["session_id"], "conversation_id": "c"}),
    );
    daemon.ok(
        "session.signal",
        &json!({"session": "shop", "signal": "KILL"}),
    );
    in_state(&daemon, "c", "gone");
    assert_eq!(
        agents(&mut daemon.connect()).len(),
        1,
        "the session is this agent"
    );
}

#[test]
fn what_does_not_move_is_stuck() {
    let config = json!({"agents": {"stuck_after_s": 1, "hosts": ["ssh://build1"]}});
    let daemon = Daemon::with_config(&config.to_string());
    let mut connection = daemon.connect();
    post(&mut connection, "c", "PreToolUse", BASH("make"));
    let stuck = in_state(&daemon, "c", "stuck");
    assert_fields(&stuck, json!({"known": "guess", "doing": "Bash: make"}));
    let reply = connection.ok("agent.list", &json!({}));
    assert_eq!(reply["hosts"], json!(["ssh://build1"]));
}

#[test]
fn a_user_is_called_by_a_program_and_in_attached_terminals() {
    let folder = tempfile::tempdir().unwrap();
    let called = folder.path().join("called");
    let script = folder.path().join("call");
    let write = format!(
        "#!/bin/sh\ncat > /dev/null\necho \"$1 $CCD_AGENT_NAME $CCD_AGENT_STATE $CCD_AGENT_TEXT\" >> {}\n",
        called.display()
    );
    write_script(&script, &write);
    let notify = json!({"notify": [script, "agent:"], "notify_desktop": false, "notify_terminals": "osc777"});
    let daemon = Daemon::with_config(&json!({"agents": notify}).to_string());
    let mut connection = daemon.connect();
    let cat = connection.start_session(&["cat"]);
    let mut terminal = daemon.connect();
    terminal.ok(
        "session.attach",
        &json!({"session": cat, "rows": 24, "cols": 80}),
    );
    post(
        &mut connection,
        "c",
        "UserPromptSubmit",
        json!({"prompt": "go"}),
    );
    let working = in_state(&daemon, "c", "working");
    assert!(!called.exists(), "{working}");
    post(
        &mut connection,
        "c",
        "PermissionRequest",
        BASH("make; make install"),
    );
    eventually("the program was run", || {
        let text = std::fs::read_to_string(&called).ok()?;
        text.contains("agent: shop asks Bash: make; make install\n")
            .then_some(())
    });
    let expected = STANDARD.encode("\x1b]777;notify;shop;Bash: make, make install\x1b\\");
    let mut items = std::iter::from_fn(|| terminal.next_item());
    assert!(items.any(|item| item["data_b64"] == expected.as_str()));
    // A question that is still open calls nobody again.
    post(
        &mut connection,
        "c",
        "Notification",
        json!({"notification_type": "permission_prompt", "message": "m"}),
    );
    post(&mut connection, "c", "Stop", json!({}));
    in_state(&daemon, "c", "idle");
    let text = std::fs::read_to_string(&called).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
}
