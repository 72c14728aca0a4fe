//! Clients that make mistakes, or mean harm: each hurts only itself.

use super::agent::{Agent, initialize};
use crate::support::{Daemon, assert_has, eventually};
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::time::Duration;

#[test]
fn wrong_calls_and_lines_get_errors_that_say_what_is_wrong() {
    let daemon = Daemon::start();
    let mut agent = Agent::start(&daemon);
    let unknown = agent.call("tools/call", json!({"name": "no_such_tool"}));
    let unknown = unknown.unwrap_err();
    assert_eq!(unknown["code"], -32602);
    assert_has(&unknown["message"], ["no_such_tool"]);
    for (arguments, word) in [
        ("{}", "session"),
        (r#"{"session": 5}"#, "string"),
        (r#"{"session": "x", "txt": "y"}"#, "txt"),
        (
            r#"{"session": "x", "text": "y", "timeout_s": 1e9}"#,
            "timeout_s",
        ),
        (
            r#"{"session": "x", "text": "y", "until": "later"}"#,
            "later",
        ),
        (
            r#"{"session": "x", "text": "y", "until": "exit", "pattern": "z"}"#,
            "not both",
        ),
        (r#"{"session": "no-such", "text": "y"}"#, "no-such"),
    ] {
        let said = agent.fails("session_send", serde_json::from_str(arguments).unwrap());
        assert!(said.contains(word), "{arguments}: {said}");
    }
    let id = agent.session(json!({"program": "cat", "until": "none"}));
    for (tool, arguments) in [
        ("session_send", json!({"text": "y", "pattern": "(unclosed"})),
        ("session_send", json!({"keys": ["NoSuchKey"]})),
        ("session_send", json!({})),
        ("session_read", json!({"from": 1_000_000})),
        ("session_signal", json!({"signal": "NOPE"})),
    ] {
        let mut arguments = arguments;
        arguments["session"] = json!(id);
        assert!(!agent.fails(tool, arguments).is_empty(), "{tool}");
    }
    for (tool, arguments) in [
        ("session_start", json!({"program": "/no/such/program"})),
        ("session_start", json!({"program": "cat", "rows": 0})),
        (
            "session_start",
            json!({"program": "cat", "cwd": "relative"}),
        ),
        ("program_run", json!({"program": "no-such-program"})),
        ("conversation_search", json!({"query": ""})),
    ] {
        assert!(!agent.fails(tool, arguments).is_empty(), "{tool}");
    }
    for uri in [
        "ccd://session/no-such/output",
        "ccd://session/x",
        "file:///etc/passwd",
        "",
    ] {
        for method in ["resources/read", "resources/subscribe"] {
            let reply = agent.call(method, json!({"uri": uri}));
            assert!(reply.is_err(), "{uri}: {reply:?}");
        }
    }
    assert!(agent.call("no/such/method", json!({})).is_err());
    assert!(agent.call("tools/call", json!({"arguments": {}})).is_err());
    // Lines that are no messages are answered, and the next one is read.
    let long = "y".repeat(2 << 20);
    let long = format!(r#"{{"jsonrpc":"2.0","id":9,"method":"ping","x":"{long}"}}"#);
    let [no_method, no_id] = [
        r#"{"jsonrpc":"2.0","id":7}"#,
        r#"{"id":null,"method":"ping"}"#,
    ];
    for line in ["{", "[]", "5", "\"x\"", no_method, no_id, &long] {
        agent.write(line);
        let error = agent.wait("an error", |message| message.get("error").is_some());
        assert!(error["error"]["message"].is_string(), "{error}");
    }
    assert!(agent.call("ping", json!({})).is_ok());
}

#[test]
fn a_flood_of_requests_is_refused_and_the_rest_is_served() {
    let daemon = Daemon::with_config(r#"{"limits": {"in_flight": 8}}"#);
    let mut agent = Agent::start(&daemon);
    let id = agent.session(json!({"program": "cat", "until": "none"}));
    let read = json!({"session": id, "pattern": "never", "timeout_s": 60});
    let waits: Vec<u64> = (0..20)
        .map(|_| agent.begin("session_read", read.clone()))
        .collect();
    let refused = agent.reply(waits[19]).unwrap_err();
    assert_has(&refused["message"], ["8 requests wait for a reply"]);
    for waits in &waits {
        agent.notify("notifications/cancelled", json!({"requestId": waits}));
    }
    assert!(agent.tool("session_list", json!({})).contains(&id));
}

#[test]
fn a_program_that_floods_does_not_flood_the_agent() {
    let daemon = Daemon::start();
    let mut agent = Agent::start(&daemon);
    let yes = json!({"program": "yes", "pattern": "never", "timeout_s": 1});
    let said = agent.tool("session_start", yes);
    assert!(said.len() < 40_000, "{}", said.len());
    assert!(said.contains("bytes left out"));
    let id = super::agent::id_of(&said);
    let uri = format!("ccd://session/{id}/output");
    agent.subscribe(&uri);
    agent.call("ping", json!({})).unwrap();
    agent.wait("an update", |message| message["params"]["uri"] == uri);
    let interrupt = json!({"session": id, "keys": ["C-c"], "until": "exit"});
    let said = agent.tool("session_send", interrupt);
    assert!(said.contains("signal 2"), "{said}");
}

/// Connects as `ccctl mcp` does, and speaks to the daemon directly.
fn dial(daemon: &Daemon) -> UnixStream {
    let mut stream = UnixStream::connect(daemon.socket()).unwrap();
    let limit = Duration::from_secs(60);
    stream.set_read_timeout(Some(limit)).unwrap();
    let params = initialize("raw");
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    write!(stream, "mcp {{}}\n{request}\n").unwrap();
    stream
}

#[test]
fn clients_that_end_without_a_word_leave_nothing() {
    let daemon = Daemon::start();
    let before = daemon.status()["connections"].clone();
    for round in 0..20 {
        let mut stream = dial(&daemon);
        let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": "program_run", "arguments": {"program": "sleep", "args": ["600"], "timeout_s": 600},
        }});
        if round % 2 == 0 {
            writeln!(stream, "{call}").unwrap();
        } else {
            write!(stream, "{}", &call.to_string()[..40]).unwrap();
        }
    }
    eventually("all connections have ended, and their programs", || {
        let is_quiet = daemon.listed(false).is_empty();
        (daemon.status()["connections"] == before && is_quiet).then_some(())
    });
}

#[test]
fn a_wrong_first_line_is_explained() {
    let daemon = Daemon::start();
    for (line, word) in [
        ("mcp 5", "after mcp"),
        ("mcpx", "does not start"),
        (r#"mcp {"ccd": {"protocol": 99, "client": "x"}}"#, "upgrade"),
    ] {
        let mut stream = UnixStream::connect(daemon.socket()).unwrap();
        writeln!(stream, "{line}").unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        let error: Value = serde_json::from_str(&reply).unwrap();
        assert_has(&error["error"]["message"], [word]);
    }
}

#[test]
fn what_was_said_is_in_no_log() {
    let daemon = Daemon::with_config(r#"{"log_level": "trace"}"#);
    let mut agent = Agent::start(&daemon);
    let id = agent.session(json!({"program": "cat", "until": "none"}));
    agent.type_line(&id, "rosebud", "rosebud");
    let both = json!({"session": id, "text": "rosebud", "keys": ["x"]});
    agent.fails("session_send", both);
    drop(agent);
    assert!(!daemon.log_text().contains("rosebud"));
}

#[test]
fn a_client_that_is_done_after_its_first_reply_ends_ccctl() {
    let daemon = Daemon::start();
    for _ in 0..100 {
        let mut agent = Agent::silent(&daemon);
        agent.call("initialize", initialize("short")).unwrap();
        let (_, status) = agent.finish();
        assert_eq!(status, Some(0));
    }
}
