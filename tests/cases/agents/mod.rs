//! Which coding agent works, which one asks, which one is done.

mod elsewhere;
mod known;
mod real;
mod seen;

use crate::support::{Connection, Daemon, eventually};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};

static DELIVERIES: AtomicU64 = AtomicU64::new(1);

/// Posts a hook of a conversation, with more members of its payload.
pub(crate) fn post(connection: &mut Connection, conversation: &str, event: &str, more: Value) {
    let mut payload =
        json!({"session_id": conversation, "hook_event_name": event, "cwd": "/srv/shop"});
    let members = more.as_object().unwrap().clone();
    payload.as_object_mut().unwrap().extend(members);
    let number = DELIVERIES.fetch_add(1, Ordering::Relaxed);
    let params = json!({"delivery_id": format!("{number:032x}"), "at": "2026-01-01T00:00:00.000000Z", "payload": payload});
    connection.ok("hook.post", &params);
}

fn agents(connection: &mut Connection) -> Vec<Value> {
    let reply = connection.ok("agent.list", &json!({"brief": true}));
    reply["agents"].as_array().unwrap().clone()
}

/// Waits until an agent is in a state, and returns it.
fn in_state(daemon: &Daemon, agent: &str, state: &str) -> Value {
    let mut connection = daemon.connect();
    eventually(&format!("{agent} is {state}"), || {
        let found = agents(&mut connection).into_iter();
        let mut found = found.filter(|one| {
            ["agent_id", "name", "session_id"]
                .iter()
                .any(|member| one[*member] == agent)
        });
        found.find(|one| one["state"] == state)
    })
}
