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

fn read(agent: &mut Agent, uri: &str) -> Result<String, Value> {
    let read = agent.call("resources/read", json!({"uri": uri}))?;
    Ok(read["contents"][0]["text"].as_str().unwrap().to_owned())
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
    let (output, screen) = (
        format!("ccd://session/{id}/output"),
        format!("ccd://session/{id}/screen"),
    );
    assert_eq!(uris, [&*output, &*screen]);
    for uri in [&output, &screen] {
        agent
            .call("resources/subscribe", json!({"uri": uri}))
            .unwrap();
    }
    agent.tool(
        "session_send",
        json!({"session": id, "text": "hello", "pattern": "hello\\s+hello"}),
    );
    updated(&mut agent, &output);
    updated(&mut agent, &screen);
    assert!(
        read(&mut agent, &output)
            .unwrap()
            .starts_with("hello\nhello\n")
    );
    assert_eq!(
        read(&mut agent, &format!("{output}?from=7")).unwrap(),
        "hello\n"
    );
    assert!(
        read(&mut agent, &screen)
            .unwrap()
            .starts_with("hello\nhello\n[24 rows")
    );
    agent
        .call("resources/unsubscribe", json!({"uri": output}))
        .unwrap();
    agent.tool("session_close", json!({"session": id}));
    updated(&mut agent, &screen);
    list_changed(&mut agent);
    let templates = agent.call("resources/templates/list", json!({})).unwrap();
    assert_eq!(templates["resourceTemplates"].as_array().unwrap().len(), 3);
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
    let found = agent
        .call("server/discover", json!({"_meta": meta}))
        .unwrap();
    let versions = json!(["2025-06-18", "2025-11-25", "2026-07-28"]);
    assert_eq!(found["supportedVersions"], versions, "{found}");
    let start = agent.call("tools/call", json!({
        "_meta": meta, "name": "session_start", "arguments": {"program": "cat", "name": "new", "until": "none"},
    }));
    assert_eq!(start.unwrap()["isError"], false);
    let uri = "ccd://session/new/output";
    let listens = agent.send(
        "subscriptions/listen",
        json!({
            "_meta": meta,
            "notifications": {"resourcesListChanged": true, "resourceSubscriptions": [uri]},
        }),
    );
    agent.wait("the acknowledgment", |message| {
        message["method"] == "notifications/subscriptions/acknowledged"
    });
    agent.call("tools/call", json!({
        "_meta": meta, "name": "session_send", "arguments": {"session": "new", "text": "x", "until": "none"},
    })).unwrap();
    updated(&mut agent, uri);
    agent
        .call(
            "tools/call",
            json!({
                "_meta": meta, "name": "session_close", "arguments": {"session": "new"},
            }),
        )
        .unwrap();
    list_changed(&mut agent);
    agent.notify("notifications/cancelled", json!({"requestId": listens}));
}
