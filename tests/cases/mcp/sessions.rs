//! The tools for sessions, with real programs.

use super::agent::{Agent, id_of, next_of};
use crate::support::{Ccctl, Daemon, assert_fields, assert_has};
use serde_json::json;

const HIDDEN: &str = "import getpass; print(len(getpass.getpass('Password: ')))";

#[test]
fn an_agent_talks_to_python_and_a_person_sees_it() {
    let daemon = Daemon::start();
    let mut agent = Agent::named(&daemon, "claude-code");
    let python = json!({"program": "python3", "args": ["-q"], "name": "py"});
    let said = agent.tool("session_start", python);
    assert_has(&said, [">>>", "python3 waits for input"]);
    let said = agent.tool("session_send", json!({"session": "py", "text": "6 * 7"}));
    assert!(said.contains("\n42\n"), "{said}");
    let said = agent.type_line("py", "print('a' + 'b')", "^ab$");
    assert_has(&said, ["\nab", "pattern matched after"]);
    let rest = json!({"session": "py", "from": next_of(&said), "until": "input"});
    let read = agent.tool("session_read", rest);
    assert!(read.contains(">>>"), "{read}");
    assert_eq!(daemon.connect().record("py")["created_by"], "claude-code");
    let history = daemon.ok("session.history", &json!({"session": "py"}));
    let mut rows = history["interactions"].as_array().unwrap().iter();
    let typed = rows.find(|row| row["input_text"] == "6 * 7").unwrap();
    assert_eq!(typed["client"], "claude-code");
    let listed = Ccctl::new(&daemon).ok(&["session", "list", "--json"]);
    assert_has(&listed, ["\"created_by\":\"claude-code\""]);
    let closed = agent.tool("session_close", json!({"session": "py"}));
    assert!(closed.contains("closed"), "{closed}");
    let list = agent.tool("session_list", json!({"all": true}));
    assert_has(&list, ["(py): python3 ", "started by claude-code"]);
}

#[test]
fn a_hidden_prompt_is_reported_and_a_secret_stays_out_of_the_history() {
    let daemon = Daemon::start();
    let mut agent = Agent::start(&daemon);
    let asks = json!({"program": "python3", "args": ["-c", HIDDEN]});
    let said = agent.tool("session_start", asks);
    assert!(said.contains("waits for hidden input"), "{said}");
    let id = id_of(&said);
    let secret = json!({"session": id, "text": "open sesame", "secret": true, "until": "exit"});
    let said = agent.tool("session_send", secret);
    assert_has(&said, ["11", "exited with status 0"]);
    let history = daemon.ok("session.history", &json!({"session": id}));
    assert!(!history.to_string().contains("sesame"));
}

#[test]
fn a_wait_ends_for_each_reason_and_says_which() {
    let daemon = Daemon::start();
    let mut agent = Agent::start(&daemon);
    let id = agent.session(json!({"program": "cat", "until": "none"}));
    for (arguments, parts) in [
        (
            json!({"text": "one", "until": "silence"}),
            &["no output for 1 s"][..],
        ),
        (
            json!({"text": "two", "pattern": "three", "timeout_s": 0.2}),
            &["still waiting after 0.2 s", "two"],
        ),
        (
            json!({"text": "", "until": "none", "enter": false}),
            &["next offset"],
        ),
    ] {
        let mut arguments = arguments;
        arguments["session"] = json!(id);
        assert_has(&agent.tool("session_send", arguments), parts);
    }
    let end = json!({"session": id, "keys": ["C-d"], "pattern": "never"});
    let said = agent.tool("session_send", end);
    assert_has(&said, ["the program ended before the pattern matched"]);
    assert!(said.contains("cat has exited with status 0"), "{said}");
    let said = agent.tool("session_read", json!({"session": id, "from": 0}));
    assert!(said.starts_with("one\none\ntwo\ntwo\n"), "{said}");
}

#[test]
fn the_screen_is_text_and_an_image() {
    let daemon = Daemon::start();
    let mut agent = Agent::start(&daemon);
    let less = json!({"program": "less", "args": ["/etc/passwd"], "rows": 10, "cols": 40});
    let id = agent.session(less);
    let said = agent.tool("session_screen", json!({"session": id}));
    let size = "[10 rows, 40 columns; cursor at row";
    assert_has(&said, ["root:", size, "full-screen program"]);
    let image = json!({"session": id, "image": true});
    let result = agent.call(
        "tools/call",
        json!({"name": "session_screen", "arguments": image}),
    );
    let image = result.unwrap()["content"][1].clone();
    assert_eq!(image["mimeType"], "image/png");
    assert!(image["data"].as_str().unwrap().starts_with("iVBORw0KGgo"));
    let quit = json!({"session": id, "keys": ["q"], "until": "exit"});
    agent.tool("session_send", quit);
}

#[test]
fn a_wait_has_progress_if_asked_for_and_cancelled_it_frees_the_session_and_gets_no_reply() {
    let daemon = Daemon::start();
    let mut agent = Agent::start(&daemon);
    let id = agent.session(json!({"program": "cat", "until": "none"}));
    let read = json!({
        "name": "session_read",
        "arguments": {"session": id, "pattern": "never", "timeout_s": 600},
        "_meta": {"progressToken": "p1"},
    });
    let waits = agent.send("tools/call", read);
    let progress = agent.wait("progress", |message| {
        message["method"] == "notifications/progress"
    });
    assert_fields(
        &progress,
        json!({"params": {"progressToken": "p1", "total": 600.0}}),
    );
    let cancelled = json!({"requestId": waits, "reason": "enough"});
    agent.notify("notifications/cancelled", cancelled);
    agent.type_line(&id, "still here", "here");
    let (rest, status) = agent.finish();
    assert_eq!(status, Some(0));
    let answered = rest.iter().any(|message| message["id"] == waits);
    assert!(!answered, "{rest:?}");
}
