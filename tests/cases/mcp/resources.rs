//! Resources: read, watched, listed.

use super::agent::Agent;
use crate::support::Daemon;
use serde_json::{Value, json};

fn updated(agent: &mut Agent, uri: &str) {
    agent.wait("an update", |message| {
        message["method"] == "notifications/resources/updated" && message["params"]["uri"] == uri
    });
}

fn list_changed(agent: &mut Agent) {
    agent.wait("the list has changed", |message| {
        message["method"] == "notifications/resources/list_changed"
    });
}

fn read(agent: &mut Agent, uri: &str) -> String {
    let read = agent.call("resources/read", json!({"uri": uri})).unwrap();
    read["contents"][0]["text"].as_str().unwrap().to_owned()
}

#[test]
fn a_session_has_an_output_and_a_screen() {
    let daemon = Daemon::start();
    let mut agent = Agent::start(&daemon);
    let id = agent.session(json!({"program": "cat", "until": "none"}));
    list_changed(&mut agent);
    let listed = agent.call("resources/list", json!({})).unwrap();
    let uris: Vec<&str> = (listed["resources"].as_array().unwrap().iter())
        .map(|resource| resource["uri"].as_str().unwrap())
        .collect();
    let [output, screen] = ["output", "screen"].map(|kind| format!("ccd://session/{id}/{kind}"));
    assert_eq!(uris, ["ccd://agents", &*output, &*screen]);
    agent.subscribe(&output);
    agent.subscribe(&screen);
    agent.type_line(&id, "hello", "hello\\s+hello");
    updated(&mut agent, &output);
    updated(&mut agent, &screen);
    let text = read(&mut agent, &output);
    assert!(text.starts_with("hello\nhello\n"), "{text}");
    let rest = read(&mut agent, &format!("{output}?from=7"));
    assert_eq!(rest, "hello\n");
    let text = read(&mut agent, &screen);
    assert!(text.starts_with("hello\nhello\n[24 rows"), "{text}");
    let unsubscribed = agent.call("resources/unsubscribe", json!({"uri": output}));
    unsubscribed.unwrap();
    agent.tool("session_close", json!({"session": id}));
    updated(&mut agent, &screen);
    list_changed(&mut agent);
    let templates = agent.call("resources/templates/list", json!({})).unwrap();
    assert_eq!(templates["resourceTemplates"].as_array().unwrap().len(), 3);
}

#[test]
fn the_coding_agents_are_a_resource_that_changes() {
    let daemon = Daemon::start();
    let mut agent = Agent::start(&daemon);
    assert_eq!(read(&mut agent, "ccd://agents"), "[]");
    agent.subscribe("ccd://agents");
    let mut connection = daemon.connect();
    crate::agents::post(
        &mut connection,
        "c",
        "UserPromptSubmit",
        json!({"prompt": "go"}),
    );
    updated(&mut agent, "ccd://agents");
    let agents: Value = serde_json::from_str(&read(&mut agent, "ccd://agents")).unwrap();
    assert_eq!(
        (&agents[0]["agent_id"], &agents[0]["state"]),
        (&json!("c"), &json!("working"))
    );
    // Those that it does not see are nobody's business.
    let own = Daemon::with_config(&json!({"mcp": {"sessions": "own"}}).to_string());
    crate::agents::post(&mut own.connect(), "c", "Stop", json!({}));
    assert_eq!(read(&mut Agent::start(&own), "ccd://agents"), "[]");
}

/// The newest version of MCP has no `initialize`: each request says who asks, and one request stays open for changes.
#[test]
fn the_newest_version_listens_in_one_request() {
    let daemon = Daemon::start();
    let mut agent = Agent::silent(&daemon);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "newest", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let discover = json!({"_meta": meta});
    let found = agent.call("server/discover", discover).unwrap();
    let versions = json!(["2025-06-18", "2025-11-25", "2026-07-28"]);
    assert_eq!(found["supportedVersions"], versions, "{found}");
    let tool = |agent: &mut Agent, name: &str, arguments: Value| {
        let params = json!({"_meta": meta, "name": name, "arguments": arguments});
        let result = agent.call("tools/call", params).unwrap();
        assert_eq!(result["isError"], false, "{result}");
    };
    let cat = json!({"program": "cat", "name": "new", "until": "none"});
    tool(&mut agent, "session_start", cat);
    let uri = "ccd://session/new/output";
    let wanted = json!({"resourcesListChanged": true, "resourceSubscriptions": [uri]});
    let listen = json!({"_meta": meta, "notifications": wanted});
    let listens = agent.send("subscriptions/listen", listen);
    agent.wait("the acknowledgment", |message| {
        message["method"] == "notifications/subscriptions/acknowledged"
    });
    let x = json!({"session": "new", "text": "x", "until": "none"});
    tool(&mut agent, "session_send", x);
    updated(&mut agent, uri);
    tool(&mut agent, "session_close", json!({"session": "new"}));
    list_changed(&mut agent);
    agent.notify("notifications/cancelled", json!({"requestId": listens}));
}
