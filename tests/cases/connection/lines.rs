//! Methods and their parameters; what the transport does itself is tested in its crate.

use crate::support::{Connection, Daemon, assert_has, kind};
use ccd_protocol::subscription::SUBSCRIPTIONS;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Sends one line and returns the next one.
fn exchange(connection: &mut Connection, line: &str) -> Value {
    connection.send_raw(format!("{line}\n").as_bytes());
    connection.next_line().unwrap()
}

#[test]
fn parameters_go_by_name_and_unknown_ones_are_ignored_at_any_depth() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    for (method, params, named) in [
        ("session.get", json!(["x"]), "by name"),
        ("session.get", json!({}), "session"),
        ("daemon.ping", json!(5), ""),
    ] {
        let message = connection.refused(method, &params, "invalid_params");
        assert_has(&message, [named]);
    }
    connection.ok("daemon.ping", &json!([]));
    let params = json!({"program": "true", "from_the_future": {"a": [1]}});
    connection.ok("session.create", &params);
    let deep = format!("{}1{}", "{\"a\":".repeat(50_000), "}".repeat(50_000));
    let request =
        format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"daemon.ping\",\"params\":{deep}}}");
    assert_eq!(exchange(&mut connection, &request)["id"], 1);
    let line = json!({"jsonrpc": "2.0", "id": "x", "method": "daemon.ping", "trace": 1, "params": {"more": true}});
    let reply = exchange(&mut connection, &line.to_string());
    assert_eq!(reply["result"], json!({}));
}

/// That the document is what the types say is tested in ccd-protocol.
#[test]
fn discover_describes_every_method_and_subscription_and_each_is_there() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let document = connection.ok("rpc.discover", &json!({}));
    let version = &document["info"]["x-protocol"];
    assert_eq!(*version, ccd_protocol::PROTOCOL_VERSION);
    let listed = document["methods"].as_array().unwrap().iter();
    let listed: BTreeSet<&str> = listed.filter_map(|one| one["name"].as_str()).collect();
    let methods = || ccd_protocol::methods().map(|method| method.name);
    let subscriptions = SUBSCRIPTIONS.iter().map(|subscription| subscription.name);
    assert_eq!(listed, methods().chain(subscriptions).collect());
    let ends = ["daemon.stop", "daemon.restart", "daemon.upgrade"];
    for name in methods().filter(|name| !ends.contains(name)) {
        let params = json!({"session": "nobody", "job": "none"});
        if let Err(error) = connection.call_value(name, &params) {
            assert_ne!(kind(&error), "method_not_found", "{name}");
            assert_ne!(kind(&error), "internal", "{name}");
        }
    }
}
