//! Requests, replies and errors of the line transport.

use crate::support::{Connection, Daemon, eventually, kind};
use ccd_protocol::ErrorCode;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::net::Shutdown;

/// Sends one line and returns the next one.
fn exchange(connection: &mut Connection, line: &str) -> Value {
    connection.send_raw(format!("{line}\n").as_bytes());
    connection.next_line().unwrap()
}

fn assert_fault(reply: &Value, id: &Value, code: ErrorCode) {
    assert_eq!(&reply["id"], id, "{reply}");
    assert_eq!(reply["error"]["code"], code as i32, "{reply}");
    assert_eq!(kind(&reply["error"]), code.kind(), "{reply}");
    assert!(reply["error"]["data"]["hint"].is_string(), "{reply}");
}

fn ping(connection: &mut Connection) {
    assert_eq!(
        connection.call_value("daemon.ping", &json!({})),
        Ok(json!({}))
    );
}

#[test]
fn ids_of_every_kind_come_back_as_they_were() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    for id in [
        json!(1),
        json!("one"),
        json!(0),
        json!(""),
        json!(u64::MAX),
        json!("\u{1f600}\n"),
    ] {
        let request = json!({"jsonrpc": "2.0", "id": id, "method": "daemon.ping"});
        let reply = exchange(&mut connection, &request.to_string());
        assert_eq!(reply, json!({"jsonrpc": "2.0", "id": id, "result": {}}));
    }
}

#[test]
fn a_notification_is_executed_and_not_answered() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let notification = json!({"jsonrpc": "2.0", "method": "session.create", "params": {"program": "cat", "id": "made"}});
    connection.send_raw(format!("{notification}\n").as_bytes());
    connection.send_raw(b"{\"jsonrpc\":\"2.0\",\"method\":\"no.such\"}\n");
    ping(&mut connection);
    eventually("the session exists", || {
        daemon
            .call_value("session.get", &json!({"session": "made"}))
            .ok()
    });
}

#[test]
fn a_batch_is_answered_in_one_line_and_in_order() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let batch = json!([
        {"jsonrpc": "2.0", "id": 1, "method": "session.create", "params": {"program": "cat", "id": "echo"}},
        {"jsonrpc": "2.0", "method": "daemon.ping"},
        {"jsonrpc": "2.0", "id": 2, "method": "session.send",
         "params": {"session": "echo", "text": "ready", "newline": true, "expect": {"patterns": [{"exact": "ready"}]}}},
        {"foo": "bar"},
        {"jsonrpc": "2.0", "id": 3, "method": "no.such"},
    ]);
    let reply = exchange(&mut connection, &batch.to_string());
    let replies = reply.as_array().unwrap();
    assert_eq!(replies.len(), 4, "{reply}");
    assert_eq!(replies[0]["result"]["session_id"], "echo");
    assert_eq!(replies[1]["result"]["expect"]["matched"], "ready");
    assert_fault(&replies[2], &Value::Null, ErrorCode::InvalidRequest);
    assert_fault(&replies[3], &json!(3), ErrorCode::MethodNotFound);
}

#[test]
fn a_batch_of_notifications_alone_has_no_answer() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    connection.send_raw(b"[{\"jsonrpc\":\"2.0\",\"method\":\"daemon.ping\"},{\"jsonrpc\":\"2.0\",\"method\":\"daemon.ping\"}]\n");
    ping(&mut connection);
}

#[test]
fn a_quick_call_overtakes_a_slow_one() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["cat"]);
    let patterns = json!([{"exact": "go on"}]);
    let slow = connection.request(
        "session.expect",
        &json!({"session": session, "patterns": patterns, "timeout_ms": null}),
    );
    ping(&mut connection);
    connection
        .call_value(
            "session.send",
            &json!({"session": session, "text": "go on\r"}),
        )
        .unwrap();
    assert_eq!(connection.answer(slow).unwrap()["matched"], "go on");
}

#[test]
fn malformed_lines_are_answered_and_the_connection_goes_on() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let null = Value::Null;
    for line in [
        "{",
        "nonsense",
        "[",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"daemon.ping\"",
        "[1,",
    ] {
        assert_fault(
            &exchange(&mut connection, line),
            &null,
            ErrorCode::ParseError,
        );
    }
    for line in [
        "{}",
        "1",
        "\"text\"",
        "null",
        "true",
        "[]",
        "{\"jsonrpc\":\"1.0\",\"method\":\"daemon.ping\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":5}",
    ] {
        assert_fault(
            &exchange(&mut connection, line),
            &null,
            ErrorCode::InvalidRequest,
        );
    }
    let wrong = "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"daemon.ping\",\"params\":5}";
    assert_fault(
        &exchange(&mut connection, wrong),
        &json!(7),
        ErrorCode::InvalidParams,
    );
    connection.send_raw(b"\xff\xfe\n");
    assert_fault(
        &connection.next_line().unwrap(),
        &null,
        ErrorCode::ParseError,
    );
    connection.send_raw(b"\n  \r\n\t\n");
    ping(&mut connection);
}

#[test]
fn deep_nesting_does_not_overflow_the_daemon() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let deep = "[".repeat(1 << 20);
    connection.send_raw(format!("{deep}\n").as_bytes());
    assert_fault(
        &connection.next_line().unwrap(),
        &Value::Null,
        ErrorCode::ParseError,
    );
    let deep = format!("{}1{}", "{\"a\":".repeat(50_000), "}".repeat(50_000));
    let request =
        format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"daemon.ping\",\"params\":{deep}}}");
    let reply = exchange(&mut connection, &request);
    assert_eq!(reply["id"], 1, "{reply}");
    ping(&mut connection);
}

#[test]
fn parameters_go_by_name_and_unknown_ones_are_ignored() {
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
    let error = connection
        .call_value("session.get", &json!({}))
        .unwrap_err();
    assert_eq!(kind(&error), "invalid_params");
    assert!(
        error["message"].as_str().unwrap().contains("session"),
        "{error}"
    );
    let error = connection
        .call_value("session.get", &json!({"session": 5}))
        .unwrap_err();
    assert_eq!(kind(&error), "invalid_params");
    let params = json!({"program": "true", "from_the_future": {"a": [1]}});
    connection.call_value("session.create", &params).unwrap();
    let line = json!({"jsonrpc": "2.0", "id": "x", "method": "daemon.ping", "trace": 1, "params": {"more": true}});
    assert_eq!(
        exchange(&mut connection, &line.to_string())["result"],
        json!({})
    );
}

#[test]
fn another_protocol_version_is_told_what_to_do() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let request = |protocol: u32| {
        json!({"jsonrpc": "2.0", "id": 1, "method": "daemon.ping", "ccd": {"protocol": protocol, "client": "test"}}).to_string()
    };
    let reply = exchange(&mut connection, &request(999));
    assert_fault(&reply, &json!(1), ErrorCode::VersionMismatch);
    assert!(
        reply["error"]["data"]["hint"]
            .as_str()
            .unwrap()
            .contains("ccctl daemon upgrade")
    );
    assert_eq!(
        exchange(&mut connection, &request(ccd_protocol::PROTOCOL_VERSION))["result"],
        json!({})
    );
}

#[test]
fn who_closes_its_sending_direction_still_gets_its_answers() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["sh", "-c", "read line; echo got $line"]);
    let patterns = json!([{"exact": "got it"}]);
    let slow = connection.request(
        "session.expect",
        &json!({"session": session, "patterns": patterns}),
    );
    // The last line has no newline.
    connection.send_raw(b"{\"jsonrpc\":\"2.0\",\"id\":\"last\",\"method\":\"daemon.ping\"}");
    connection.stream().shutdown(Shutdown::Write).unwrap();
    assert_eq!(connection.next_line().unwrap()["id"], "last");
    daemon
        .call_value("session.send", &json!({"session": session, "text": "it\r"}))
        .unwrap();
    assert_eq!(connection.answer(slow).unwrap()["matched"], "got it");
    assert_eq!(connection.next_line(), None);
}

#[test]
fn discover_describes_every_method_and_subscription() {
    let daemon = Daemon::start();
    let document = daemon.call_value("rpc.discover", &json!({})).unwrap();
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

#[test]
fn every_listed_method_is_there() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
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
