//! Each limit of the transport has its own error, and exceeding it does not affect other clients.

use crate::support::client::Ccctl;
use crate::support::worker::worker;
use crate::support::{Connection, Daemon, eventually, kind, throughout};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

const FRAME_BYTES: usize = 4096;
const REPLY_BYTES: usize = 5000;

fn small() -> Daemon {
    let config = json!({"limits": {
        "connections": 3, "in_flight": 4, "batch": 2, "frame_bytes": FRAME_BYTES, "reply_bytes": REPLY_BYTES,
    }});
    Daemon::builder().config(&config.to_string()).start()
}

/// Asserts that `error` is `limit_reached` for the limit with this name and value.
fn assert_limit(error: &Value, name: &str, limit: usize) {
    assert_eq!(kind(error), "limit_reached", "{error}");
    assert_eq!(error["code"], 1006);
    let number = error["data"]
        .get("limit")
        .or(error["data"].get("limit_bytes"));
    assert_eq!(number, Some(&json!(limit)), "{error}");
    let hint = error["data"]["hint"].as_str().unwrap();
    assert!(hint.contains(&format!("limits.{name}")), "{hint}");
}

fn ping(connection: &mut Connection) {
    assert_eq!(
        connection.call_value("daemon.ping", &json!({})),
        Ok(json!({}))
    );
}

#[test]
fn the_client_names_the_limit_however_many_are_refused() {
    let daemon = small();
    let socket = daemon.socket();
    let held: Vec<UnixStream> = (0..150)
        .map(|_| UnixStream::connect(&socket).unwrap())
        .collect();
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
fn one_connection_too_many_is_told_so_and_closed() {
    let daemon = small();
    // The connection that waited for the start may still be closing: try until three are open.
    let mut held: Vec<Connection> = Vec::new();
    eventually("three connections are open", || {
        let mut connection = daemon.connect();
        connection.request("daemon.ping", &json!({}));
        if connection.next_line_or_end()?["result"] == json!({}) {
            held.push(connection);
        }
        (held.len() == 3).then_some(())
    });
    let mut refused = daemon.connect();
    let line = refused.next_line().unwrap();
    assert_eq!(line["id"], Value::Null);
    assert_limit(&line["error"], "connections", 3);
    assert_eq!(refused.next_line(), None);
    held.iter_mut().for_each(ping);
    held.pop();
    eventually("a new connection is accepted", || {
        let mut connection = daemon.connect();
        connection.request("daemon.ping", &json!({}));
        (connection.next_line_or_end()?["result"] == json!({})).then_some(())
    });
}

#[test]
fn a_refused_http_client_gets_a_status() {
    let daemon = small();
    let _held: Vec<Connection> = (0..3).map(|_| daemon.connect()).collect();
    let answer = eventually("a connection is refused", || {
        let mut stream = UnixStream::connect(daemon.socket()).unwrap();
        Write::write_all(
            &mut stream,
            b"POST / HTTP/1.1\r\nhost: ccd\r\nconnection: close\r\n\r\n",
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.starts_with("HTTP/1.1 503").then_some(answer)
    });
    let body: Value = serde_json::from_str(answer.split("\r\n\r\n").nth(1).unwrap()).unwrap();
    assert_limit(&body["error"], "connections", 3);
}

#[test]
fn one_call_too_many_is_refused_until_another_is_answered() {
    let daemon = small();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["cat"]);
    let expect = json!({"session": session, "patterns": [{"exact": "free"}], "timeout_ms": null});
    let waiting: Vec<u64> = (0..4)
        .map(|_| connection.request("session.expect", &expect))
        .collect();
    let error = connection
        .call_value("daemon.ping", &json!({}))
        .unwrap_err();
    assert_limit(&error, "in_flight", 4);
    // Another connection has its own limit.
    daemon
        .call_value(
            "session.send",
            &json!({"session": session, "text": "free\r"}),
        )
        .unwrap();
    for id in waiting {
        assert_eq!(connection.answer(id).unwrap()["matched"], "free");
    }
    ping(&mut connection);
}

#[test]
fn a_longer_batch_is_refused_as_a_whole() {
    let daemon = small();
    let mut connection = daemon.connect();
    let create = json!({"jsonrpc": "2.0", "id": 1, "method": "session.create", "params": {"program": "cat"}});
    connection.send_raw(format!("{}\n", json!([create, create, create])).as_bytes());
    let reply = connection.next_line().unwrap();
    assert_limit(&reply["error"], "batch", 2);
    let sessions = connection
        .call_value("session.list", &json!({"all": true}))
        .unwrap();
    assert_eq!(sessions["sessions"], json!([]));
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "daemon.ping"});
    connection.send_raw(format!("{}\n", json!([ping, ping])).as_bytes());
    assert_eq!(connection.next_line().unwrap().as_array().unwrap().len(), 2);
}

#[test]
fn a_line_over_the_limit_is_refused_and_the_next_one_served() {
    let daemon = small();
    let mut connection = daemon.connect();
    let request = |len: usize| {
        let frame = |fill: usize| {
            json!({"jsonrpc": "2.0", "id": 1, "method": "daemon.ping", "fill": "x".repeat(fill)})
                .to_string()
        };
        frame(len - frame(0).len())
    };
    assert_eq!(request(FRAME_BYTES).len(), FRAME_BYTES);
    connection.send_raw(format!("{}\n", request(FRAME_BYTES)).as_bytes());
    assert_eq!(connection.next_line().unwrap()["result"], json!({}));
    for len in [FRAME_BYTES + 1, 10 * FRAME_BYTES, 3 << 20] {
        connection.send_raw(format!("{}\n", request(len)).as_bytes());
        let reply = connection.next_line().unwrap();
        assert_eq!(reply["id"], Value::Null);
        assert_limit(&reply["error"], "frame_bytes", FRAME_BYTES);
        ping(&mut connection);
    }
}

#[test]
fn an_endless_line_takes_no_memory() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    ping(&mut connection);
    let before = resident_kib(&daemon);
    for _ in 0..200 {
        connection.send_raw(&vec![b'x'; 1 << 20]);
    }
    assert_eq!(
        kind(&connection.next_line().unwrap()["error"]),
        "limit_reached"
    );
    let grown = resident_kib(&daemon).saturating_sub(before);
    assert!(
        grown < 64 << 10,
        "the memory grew by {grown} KiB after 200 MiB"
    );
    connection.send_raw(b"\n");
    ping(&mut connection);
}

fn resident_kib(daemon: &Daemon) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", worker(daemon))).unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
fn a_reply_over_the_limit_becomes_an_error_that_says_what_to_do() {
    let daemon = small();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["sh", "-c", "yes | head -c 20000; sleep 1000"]);
    eventually("all is printed", || {
        let record = connection
            .call_value("session.get", &json!({"session": session}))
            .unwrap();
        (record["output"]["output_bytes"] == 30_000).then_some(())
    });
    let error = connection
        .call_value("session.read", &json!({"session": session}))
        .unwrap_err();
    assert_eq!(kind(&error), "reply_too_large");
    assert_eq!(error["data"]["limit_bytes"], REPLY_BYTES);
    let page = connection
        .call_value(
            "session.read",
            &json!({"session": session, "since": 0, "max_bytes": 3000}),
        )
        .unwrap();
    assert_eq!(
        (&page["end"], &page["truncated"]),
        (&json!(3000), &json!(true))
    );
}

#[test]
fn a_connection_has_a_limit_of_subscriptions() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["cat"]);
    let params = json!({"session": session});
    let mut ids: Vec<Value> = (0..64)
        .map(|_| connection.call_value("session.subscribe", &params).unwrap())
        .collect();
    let error = connection
        .call_value("session.subscribe", &params)
        .unwrap_err();
    assert_eq!(kind(&error), "limit_reached");
    assert_eq!(error["data"]["limit"], 64);
    let last = ids.pop().unwrap();
    assert_eq!(
        connection.call_value("session.unsubscribe", &json!([last])),
        Ok(json!(true))
    );
    eventually("another subscription is accepted", || {
        connection.call_value("session.subscribe", &params).ok()
    });
}

#[test]
fn large_replies_that_nobody_takes_are_not_piled_up() {
    const READS: usize = 20;
    const READ_BYTES: usize = 2_000_000;
    const OUTPUT_BYTES: usize = 2_500_000;
    let daemon = Daemon::start();
    let mut other = daemon.connect();
    let print = json!({"program": "sh", "id": "big", "args":
        ["-c", format!("head -c {OUTPUT_BYTES} /dev/zero | tr '\\0' 'x' | fold -w 99; exec cat")]});
    other.call_value("session.create", &print).unwrap();
    eventually("all is printed", || {
        let session = other
            .call_value("session.get", &json!({"session": "big"}))
            .unwrap();
        let printed = session["output"]["output_bytes"].as_u64().unwrap();
        (printed > OUTPUT_BYTES as u64).then_some(())
    });
    let status = other.call_value("daemon.status", &json!({})).unwrap();
    let pid = status["pid"].as_i64().unwrap();
    let before = memory_mib(pid);
    let mut greedy = UnixStream::connect(daemon.socket()).unwrap();
    for id in 0..READS {
        let read = json!({"jsonrpc": "2.0", "id": id, "method": "session.read",
            "params": {"session": "big", "since": 0, "max_bytes": READ_BYTES, "raw": true}});
        greedy.write_all(format!("{read}\n").as_bytes()).unwrap();
    }
    // Others are served meanwhile, and the memory for the greedy client is bounded; otherwise it would be more than 53
    // MB.
    throughout(Duration::from_millis(400), || {
        other.call_value("daemon.ping", &json!({})).unwrap();
        assert!(memory_mib(pid) < before + 25, "{} MiB", memory_mib(pid));
    });
    // The greedy client gets everything once it reads.
    let mut lines = BufReader::new(greedy);
    for _ in 0..READS {
        let mut line = Vec::new();
        lines.read_until(b'\n', &mut line).unwrap();
        assert!(line.len() > READ_BYTES);
    }
}

/// Returns the anonymous memory of a process.
fn memory_mib(pid: i64) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"));
    let kib: u64 = line
        .unwrap()
        .trim()
        .trim_end_matches(" kB")
        .parse()
        .unwrap();
    kib / 1024
}
