//! Methods and their parameters; what the transport does itself is tested in its crate.

use crate::support::{Connection, Daemon, kind};
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
    let error = connection
        .call_value("session.get", &json!(["x"]))
        .unwrap_err();
    assert_eq!(kind(&error), "invalid_params");
    assert!(
        error["message"].as_str().unwrap().contains("by name"),
        "{error}"
    );
    assert_eq!(
        connection.call_value("daemon.ping", &json!([])),
        Ok(json!({}))
    );
    connection.refused("daemon.ping", &json!(5), "invalid_params");
    let error = connection
        .call_value("session.get", &json!({}))
        .unwrap_err();
    assert_eq!(kind(&error), "invalid_params");
    assert!(
        error["message"].as_str().unwrap().contains("session"),
        "{error}"
    );
    let params = json!({"program": "true", "from_the_future": {"a": [1]}});
    connection.call_value("session.create", &params).unwrap();
    let deep = format!("{}1{}", "{\"a\":".repeat(50_000), "}".repeat(50_000));
    let request =
        format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"daemon.ping\",\"params\":{deep}}}");
    let reply = exchange(&mut connection, &request);
    assert_eq!(reply["id"], 1, "{reply}");
    let line = json!({"jsonrpc": "2.0", "id": "x", "method": "daemon.ping", "trace": 1, "params": {"more": true}});
    assert_eq!(
        exchange(&mut connection, &line.to_string())["result"],
        json!({})
    );
}

#[test]
fn discover_describes_every_method_and_subscription_and_each_is_there() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let document = connection.call_value("rpc.discover", &json!({})).unwrap();
    assert_eq!(
        document["info"]["x-protocol"],
        ccd_protocol::PROTOCOL_VERSION
    );
    let methods = document["methods"].as_array().unwrap();
    let listed: BTreeSet<&str> = methods
        .iter()
        .map(|method| method["name"].as_str().unwrap())
        .collect();
    let expected = ccd_protocol::methods().map(|method| method.name).chain(
        ccd_protocol::subscription::SUBSCRIPTIONS
            .iter()
            .map(|subscription| subscription.name),
    );
    assert_eq!(listed, expected.collect());
    for method in methods {
        assert!(
            method["summary"].as_str().unwrap().ends_with('.'),
            "{method}"
        );
        assert!(method["result"]["schema"].is_object(), "{method}");
        for param in method["params"].as_array().unwrap() {
            assert!(
                param["schema"].is_object() && param["required"].is_boolean(),
                "{method}"
            );
        }
    }
    let create = methods
        .iter()
        .find(|method| method["name"] == "session.expect")
        .unwrap();
    assert_eq!(
        (
            &create["params"][0]["name"],
            &create["params"][0]["required"]
        ),
        (&json!("session"), &json!(true))
    );
    let errors = &document["components"]["errors"];
    assert_eq!(errors["session_not_found"]["code"], 2001);
    assert_references_resolve(&document, &document);
    for method in ccd_protocol::methods().filter(|method| {
        !["daemon.stop", "daemon.restart", "daemon.upgrade"].contains(&method.name)
    }) {
        if let Err(error) =
            connection.call_value(method.name, &json!({"session": "nobody", "job": "none"}))
        {
            assert_ne!(kind(&error), "method_not_found", "{}", method.name);
            assert_ne!(kind(&error), "internal", "{}", method.name);
        }
    }
}

/// Asserts that every `$ref` of the document refers to something in it.
fn assert_references_resolve(part: &Value, document: &Value) {
    match part {
        Value::Object(members) => {
            if let Some(Value::String(reference)) = members.get("$ref") {
                let pointer = reference.strip_prefix('#').unwrap();
                assert!(
                    document.pointer(pointer).is_some(),
                    "{reference} refers to nothing"
                );
            }
            members
                .values()
                .for_each(|member| assert_references_resolve(member, document));
        }
        Value::Array(members) => members
            .iter()
            .for_each(|member| assert_references_resolve(member, document)),
        _ => {}
    }
}
