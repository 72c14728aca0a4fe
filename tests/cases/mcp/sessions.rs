//! The tools for sessions, with real programs.

use super::agent::{Agent, next_of};
use crate::support::{Ccctl, Daemon};
use ccd_protocol::session::{SessionGet, SessionGetParams, SessionHistory, SessionHistoryParams};
use serde_json::json;

const HIDDEN: &str = "import getpass; print(len(getpass.getpass('Password: ')))";

#[test]
fn an_agent_talks_to_python_and_a_person_sees_it() {
    let daemon = Daemon::start();
    let mut agent = Agent::named(&daemon, "claude-code");
    let said = agent.tool(
        "session_start",
        json!({"program": "python3", "args": ["-q"], "name": "py"}),
    );
    assert!(
        said.contains(">>>") && said.contains("python3 waits for input"),
        "{said}"
    );
    let said = agent.tool("session_send", json!({"session": "py", "text": "6 * 7"}));
    assert!(said.contains("\n42\n"), "{said}");
    let said = agent.tool(
        "session_send",
        json!({
            "session": "py", "text": "print('a' + 'b')", "pattern": "^ab$",
        }),
    );
    assert!(
        said.contains("\nab") && said.contains("pattern matched after"),
        "{said}"
    );
    let read = agent.tool(
        "session_read",
        json!({"session": "py", "from": next_of(&said), "until": "input"}),
    );
    assert!(read.contains(">>>"), "{read}");
    let record = daemon
        .call::<SessionGet>(&SessionGetParams::of("py"))
        .unwrap();
    assert_eq!(record.created_by.as_deref(), Some("claude-code"));
    let params = SessionHistoryParams {
        session: "py".into(),
        ..SessionHistoryParams::default()
    };
    let rows = daemon.call::<SessionHistory>(&params).unwrap().interactions;
    let typed = rows
        .iter()
        .find(|row| row.input_text.as_deref() == Some("6 * 7"));
    assert_eq!(typed.unwrap().client.as_deref(), Some("claude-code"));
    let listed = Ccctl::new(&daemon).ok(&["session", "list", "--json"]);
    assert!(
        listed.contains("\"created_by\":\"claude-code\""),
        "{listed}"
    );
    let closed = agent.tool("session_close", json!({"session": "py"}));
    assert!(closed.contains("closed"), "{closed}");
    let list = agent.tool("session_list", json!({"all": true}));
    assert!(
        list.contains("(py): python3 ") && list.contains("started by claude-code"),
        "{list}"
    );
}

#[test]
fn a_hidden_prompt_is_reported_and_a_secret_stays_out_of_the_history() {
    let daemon = Daemon::start();
    let mut agent = Agent::start(&daemon);
    let said = agent.tool(
        "session_start",
        json!({"program": "python3", "args": ["-c", HIDDEN]}),
    );
    assert!(said.contains("waits for hidden input"), "{said}");
    let id = super::agent::id_of(&said);
    let said = agent.tool(
        "session_send",
        json!({
            "session": id, "text": "open sesame", "secret": true, "until": "exit",
        }),
    );
    assert!(
        said.contains("11") && said.contains("exited with status 0"),
        "{said}"
    );
    let params = SessionHistoryParams {
        session: id,
        ..SessionHistoryParams::default()
    };
    let rows = daemon.call::<SessionHistory>(&params).unwrap().interactions;
    assert!(!serde_json::to_string(&rows).unwrap().contains("sesame"));
}

#[test]
fn a_wait_ends_for_each_reason_and_says_which() {
    let daemon = Daemon::start();
    let mut agent = Agent::start(&daemon);
    let id = agent.session(json!({"program": "cat", "until": "none"}));
    let send = |agent: &mut Agent, text: &str, more: serde_json::Value| {
        let mut arguments = json!({"session": id, "text": text});
        let more = more.as_object().unwrap().clone();
        arguments.as_object_mut().unwrap().extend(more);
        agent.tool("session_send", arguments)
    };
    let said = send(&mut agent, "one", json!({"until": "silence"}));
    assert!(said.contains("no output for 1 s"), "{said}");
    let said = send(
        &mut agent,
        "two",
        json!({"pattern": "three", "timeout_s": 0.2}),
    );
    assert!(
        said.contains("still waiting after 0.2 s") && said.contains("two"),
        "{said}"
    );
    let said = send(&mut agent, "", json!({"until": "none", "enter": false}));
    assert!(said.contains("next offset"), "{said}");
    let said = agent.tool(
        "session_send",
        json!({"session": id, "keys": ["C-d"], "pattern": "never"}),
    );
    assert!(
        said.contains("the program ended before the pattern matched"),
        "{said}"
    );
    assert!(said.contains("cat has exited with status 0"), "{said}");
    let said = agent.tool("session_read", json!({"session": id, "from": 0}));
    assert!(said.starts_with("one\none\ntwo\ntwo\n"), "{said}");
}

#[test]
fn long_output_is_cut_in_the_middle_and_can_be_read_on() {
    let daemon = Daemon::start();
    let mut agent = Agent::start(&daemon);
    let said = agent.tool(
        "session_start",
        json!({"program": "seq", "args": ["1", "20000"], "until": "exit"}),
    );
    assert!(
        said.starts_with("1\n2\n3\n") && said.contains("\n19999\n20000\n"),
        "{said}"
    );
    assert!(said.len() < 20_000, "{}", said.len());
    let (_, rest) = said.split_once("session_read with from=").unwrap();
    let from: u64 = rest.split(' ').next().unwrap().parse().unwrap();
    let id = super::agent::id_of(&said);
    let asked = json!({"session": id, "from": from, "max_bytes": 10_000_000});
    let more = agent.tool("session_read", asked);
    assert!(more.contains("max_bytes was reduced to 65536"), "{more}");
    let before = said.split("\n[…").next().unwrap();
    let last: u64 = before.lines().last().unwrap().trim().parse().unwrap();
    let first = more.lines().find(|line| !line.is_empty()).unwrap();
    let glued = format!("{last}{first}");
    let next = (last + 1).to_string();
    assert!(
        first == next || glued.starts_with(&next) || glued.parse::<u64>().is_ok(),
        "{last} {first}"
    );
}

#[test]
fn the_screen_is_text_and_an_image() {
    let daemon = Daemon::start();
    let mut agent = Agent::start(&daemon);
    let id =
        agent.session(json!({"program": "less", "args": ["/etc/passwd"], "rows": 10, "cols": 40}));
    let said = agent.tool("session_screen", json!({"session": id}));
    assert!(
        said.contains("root:") && said.contains("[10 rows, 40 columns; cursor at row"),
        "{said}"
    );
    assert!(said.contains("full-screen program"), "{said}");
    let result = agent.call(
        "tools/call",
        json!({
            "name": "session_screen", "arguments": {"session": id, "image": true},
        }),
    );
    let image = result.unwrap()["content"][1].clone();
    assert_eq!(image["mimeType"], "image/png");
    assert!(image["data"].as_str().unwrap().starts_with("iVBORw0KGgo"));
    agent.tool(
        "session_send",
        json!({"session": id, "keys": ["q"], "until": "exit"}),
    );
}

#[test]
fn a_wait_has_progress_if_asked_for_and_cancelled_it_frees_the_session_and_gets_no_reply() {
    let daemon = Daemon::start();
    let mut agent = Agent::start(&daemon);
    let id = agent.session(json!({"program": "cat", "until": "none"}));
    let waits = agent.send(
        "tools/call",
        json!({
            "name": "session_read",
            "arguments": {"session": id, "pattern": "never", "timeout_s": 600},
            "_meta": {"progressToken": "p1"},
        }),
    );
    let progress = agent.wait("progress", |message| {
        message["method"] == "notifications/progress"
    });
    assert_eq!(progress["params"]["progressToken"], "p1");
    assert_eq!(progress["params"]["total"], 600.0);
    agent.notify(
        "notifications/cancelled",
        json!({"requestId": waits, "reason": "enough"}),
    );
    let said = agent.tool(
        "session_send",
        json!({"session": id, "text": "still here", "pattern": "here"}),
    );
    assert!(said.contains("still here"), "{said}");
    let (rest, status) = agent.finish();
    assert_eq!(status, Some(0));
    assert!(
        rest.iter().all(|message| message["id"] != waits),
        "{rest:?}"
    );
}
