//! What the configuration allows agents.

use super::agent::Agent;
use crate::support::{Daemon, assert_has};
use serde_json::json;

#[test]
fn only_listed_programs_may_be_started() {
    let daemon = Daemon::with_config(r#"{"mcp": {"programs": ["cat"]}}"#);
    let mut agent = Agent::start(&daemon);
    agent.session(json!({"program": "cat", "until": "none"}));
    for (tool, arguments) in [
        ("session_start", json!({"program": "python3"})),
        ("session_start", json!({"program": "/bin/cat"})),
        ("session_start", json!({})),
        ("program_run", json!({"program": "sh"})),
        ("shell_run", json!({"command": "true"})),
        ("tape_session", json!({"action": "record", "program": "bc"})),
    ] {
        let said = agent.fails(tool, arguments);
        assert_has(&said, ["mcp.programs allows only cat"]);
    }
}

#[test]
fn own_sessions_are_those_of_agents_with_the_same_name() {
    let daemon = Daemon::with_config(r#"{"mcp": {"sessions": "own"}}"#);
    let mut first = Agent::named(&daemon, "first");
    let id = first.session(json!({"program": "cat", "until": "none"}));
    let mut other = Agent::named(&daemon, "other");
    assert_eq!(other.tool("session_list", json!({})), "[no sessions]");
    for (tool, arguments) in [
        ("session_read", json!({"session": id})),
        ("session_send", json!({"session": id, "text": "x"})),
        ("session_close", json!({"session": id})),
        ("session_screen", json!({"session": id})),
    ] {
        let said = other.fails(tool, arguments);
        assert_has(&said, ["you did not start this session"]);
    }
    let uri = format!("ccd://session/{id}/output");
    assert!(other.call("resources/read", json!({"uri": uri})).is_err());
    let mut again = Agent::named(&daemon, "first");
    assert!(again.tool("session_list", json!({})).contains(&id));
    again.tool("session_close", json!({"session": id}));
}

#[test]
fn a_read_only_agent_has_fewer_tools() {
    let daemon = Daemon::with_config(r#"{"mcp": {"read_only": true}}"#);
    let mut agent = Agent::start(&daemon);
    let tools = agent.call("tools/list", json!({})).unwrap();
    let names = tools["tools"].as_array().unwrap().iter();
    let mut names: Vec<&str> = names.filter_map(|tool| tool["name"].as_str()).collect();
    names.sort_unstable();
    let readers = "conversation_search memory_show session_list session_read session_screen";
    assert_eq!(names.join(" "), readers);
    let said = agent.fails("session_start", json!({"program": "cat"}));
    assert!(said.contains("mcp.read_only"), "{said}");
}
