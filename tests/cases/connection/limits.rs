//! Each limit of the transport has its own error, and exceeding it does not affect other clients.

use crate::support::client::Ccctl;
use crate::support::processes::private_memory;
use crate::support::worker::worker;
use crate::support::{Connection, Daemon, assert_fields, assert_has, eventually, kind};
use serde_json::{Value, json};
use std::io::Write as _;

const FRAME_BYTES: usize = 4096;
const REPLY_BYTES: usize = 5000;

fn small() -> Daemon {
    let config = json!({"limits": {
        "connections": 3, "in_flight": 4, "batch": 2, "frame_bytes": FRAME_BYTES, "reply_bytes": REPLY_BYTES,
    }});
    Daemon::with_config(&config.to_string())
}

/// Asserts that `error` is `limit_reached` for the limit with this name and value.
fn assert_limit(error: &Value, name: &str, limit: usize) {
    assert_eq!(kind(error), "limit_reached", "{error}");
    assert_eq!(error["code"], 1006);
    let data = &error["data"];
    let number = data.get("limit").or(data.get("limit_bytes"));
    assert_eq!(number, Some(&json!(limit)), "{error}");
    assert_has(&data["hint"], [&format!("limits.{name}")]);
}

/// Opens as many as there may be. One from before may still be closing.
fn three_connections(daemon: &Daemon) -> Vec<Connection> {
    let served = || {
        let mut connection = daemon.connect();
        let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "daemon.ping"});
        writeln!(&mut connection.stream(), "{ping}").ok()?;
        let reply = connection.next_line_or_end()?;
        (reply["result"] == json!({})).then_some(connection)
    };
    (0..3).map(|_| eventually("it is served", served)).collect()
}

#[test]
fn the_client_names_the_limit_however_many_are_refused() {
    let daemon = small();
    let mut held = three_connections(&daemon);
    held.extend((3..150).map(|_| daemon.connect()));
    for words in [
        &["session", "list"][..],
        &["session", "wait", "x", "--exit"],
        &["session", "tail", "x"],
        &["run", "true"],
        &["rec", "true"],
        &["job", "tail", "x"],
    ] {
        let ran = Ccctl::new(&daemon).run(words);
        assert_eq!(ran.code, Some(5), "{words:?}: {ran:?}");
        let told = "3 connections are open, which is the limit";
        assert!(ran.stderr.contains(told), "{words:?}: {ran:?}");
    }
    drop(held);
    eventually("others are served again", || {
        let ran = Ccctl::new(&daemon).run(&["session", "list"]);
        (ran.code == Some(0)).then_some(())
    });
}

#[test]
fn each_limit_that_is_configured_holds_and_is_named() {
    let daemon = small();
    let mut connection = daemon.connect();
    let print = "yes | head -c 20000; sleep 1000";
    let session = connection.start_session(&["sh", "-c", print]);
    eventually("all is printed", || {
        let record = connection.record(&session);
        (record["output"]["output_bytes"] == 30_000).then_some(())
    });
    let read = json!({"session": session});
    let error = connection.error("session.read", &read);
    assert_eq!(kind(&error), "reply_too_large");
    assert_eq!(error["data"]["limit_bytes"], REPLY_BYTES);
    let read = json!({"session": session, "since": 0, "max_bytes": 3000});
    let page = connection.ok("session.read", &read);
    assert_fields(&page, json!({"end": 3000, "truncated": true}));

    let request = |len: usize| {
        let frame = |fill: usize| {
            json!({"jsonrpc": "2.0", "id": 1, "method": "daemon.ping", "fill": "x".repeat(fill)})
                .to_string()
        };
        frame(len - frame(0).len())
    };
    connection.send_raw(format!("{}\n", request(FRAME_BYTES)).as_bytes());
    assert_eq!(connection.next_line().unwrap()["result"], json!({}));
    connection.send_raw(format!("{}\n", request(FRAME_BYTES + 1)).as_bytes());
    let reply = connection.next_line().unwrap();
    assert_limit(&reply["error"], "frame_bytes", FRAME_BYTES);

    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "daemon.ping"});
    connection.send_raw(format!("{}\n", json!([request, request])).as_bytes());
    assert_eq!(connection.next_line().unwrap().as_array().unwrap().len(), 2);
    connection.send_raw(format!("{}\n", json!([request, request, request])).as_bytes());
    assert_limit(&connection.next_line().unwrap()["error"], "batch", 2);

    let wait = json!({"session": session, "for": "exit", "timeout_ms": null});
    let waiting: Vec<u64> = (0..4)
        .map(|_| connection.request("session.wait", &wait))
        .collect();
    let error = connection.call_value("daemon.ping", &json!({}));
    assert_limit(&error.unwrap_err(), "in_flight", 4);
    // Another connection has its own limit.
    let close = json!({"session": session, "grace_ms": 0});
    daemon.ok("session.close", &close);
    for id in waiting {
        assert_eq!(connection.answer(id).unwrap()["end_reason"], "closed");
    }

    drop(connection);
    let mut held = three_connections(&daemon);
    let mut refused = daemon.connect();
    let line = refused.next_line().unwrap();
    assert_limit(&line["error"], "connections", 3);
    assert_eq!(refused.next_line(), None);
    for connection in &mut held {
        connection.ping();
    }
}

#[test]
fn an_endless_line_takes_no_memory() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    connection.ping();
    let before = private_memory(worker(&daemon));
    for _ in 0..200 {
        connection.send_raw(&vec![b'x'; 1 << 20]);
    }
    let refused = connection.next_line().unwrap();
    assert_eq!(kind(&refused["error"]), "limit_reached");
    let grown = private_memory(worker(&daemon)).saturating_sub(before);
    assert!(grown < 64 << 20, "{grown} bytes after 200 MiB");
    connection.send_raw(b"\n");
    connection.ping();
}
