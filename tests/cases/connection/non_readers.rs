//! Clients that do not read what they asked for: what waits for each is bounded, on every transport.

use crate::support::worker::worker;
use crate::support::{Connection, Daemon, eventually, throughout};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

const CLIENTS: usize = 20;

/// Most memory for one of them.
const KIB_EACH: usize = 512;

/// Lines that the session prints: more than ten times what may wait for a client.
const LINES: usize = 500_000;

/// How long the memory is watched. A transport that keeps copies would fill them in this time.
const WATCHED: Duration = Duration::from_secs(3);

const HANDSHAKE: &str = "GET / HTTP/1.1\r\nhost: ccd\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
    sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

/// Opens the clients, and asserts that the worker's memory grows by less than what they may cost.
fn assert_bounded(
    daemon: &Daemon,
    connection: &mut Connection,
    open: impl Fn(UnixStream) -> UnixStream,
) -> Vec<UnixStream> {
    let worker = worker(daemon);
    let before = anonymous_kib(worker);
    let clients = (0..CLIENTS).map(|_| open(UnixStream::connect(daemon.socket()).unwrap()));
    let clients: Vec<UnixStream> = clients.collect();
    throughout(WATCHED, || {
        connection.call_value("daemon.ping", &json!({})).unwrap();
        let grown = anonymous_kib(worker).saturating_sub(before);
        let each = grown / CLIENTS;
        assert!(each < KIB_EACH, "{each} KiB for each client");
    });
    clients
}

pub(super) fn anonymous_kib(pid: i32) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let mut lines = status.lines();
    let kib = lines.find_map(|line| line.strip_prefix("RssAnon:"));
    kib.unwrap().trim_end_matches("kB").trim().parse().unwrap()
}

/// A masked text frame; the mask is zero.
fn frame(text: &str) -> Vec<u8> {
    let mut frame = vec![0x81, 0xfe];
    frame.extend(u16::try_from(text.len()).unwrap().to_be_bytes());
    frame.extend([0; 4]);
    frame.extend(text.as_bytes());
    frame
}

#[test]
fn clients_that_do_not_read_cost_little_and_can_read_later() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["sh", "-c", &format!("seq 1 {LINES}; exec cat")]);
    let output: String = (1..=LINES).map(|line| format!("{line}\r\n")).collect();
    eventually("all is printed", || {
        let bytes = connection.record(&session)["output"]["output_bytes"].clone();
        (bytes == output.len()).then_some(())
    });
    let params = json!({"session": session, "since": 0});
    let subscribe =
        json!({"jsonrpc": "2.0", "id": 1, "method": "session.subscribe", "params": params});
    let subscribe = subscribe.to_string();
    let mut by_lines = assert_bounded(&daemon, &mut connection, |mut stream| {
        writeln!(stream, "{subscribe}").unwrap();
        stream
    });
    // One that reads after all gets the whole output.
    let mut late = BufReader::new(by_lines.pop().unwrap());
    let mut next = || -> Value {
        let mut line = String::new();
        late.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    };
    assert!(next()["result"].is_u64());
    let mut got = Vec::new();
    while got.len() < output.len() {
        let item = &next()["params"]["result"];
        assert_eq!(item["start"], got.len(), "{item}");
        got.extend(STANDARD.decode(item["data_b64"].as_str().unwrap()).unwrap());
    }
    assert!(got == output.as_bytes(), "byte for byte");
    let _by_websocket = assert_bounded(&daemon, &mut connection, |mut stream| {
        stream.write_all(HANDSHAKE.as_bytes()).unwrap();
        stream.write_all(&frame(&subscribe)).unwrap();
        stream
    });
    let params = json!({"session": session, "since": 0, "max_bytes": 100_000, "raw": true});
    let read = json!({"jsonrpc": "2.0", "id": 1, "method": "session.read", "params": params});
    let body = read.to_string();
    let post = format!(
        "POST / HTTP/1.1\r\nhost: ccd\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let _by_http = assert_bounded(&daemon, &mut connection, |mut stream| {
        stream.write_all(post.repeat(100).as_bytes()).unwrap();
        stream
    });
}
