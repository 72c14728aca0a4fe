//! Large replies that nobody reads have a budget for all connections together.

use super::non_readers::anonymous_kib;
use crate::support::worker::worker;
use crate::support::{Daemon, eventually, throughout};
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::Duration;

/// Lines that the session prints, and their bytes.
const LINES: usize = 500_000;
const OUTPUT_BYTES: usize = 3_888_895;

/// Clients whose replies would take twice as much as they may.
const CLIENTS: usize = 150;

/// The budget, and what is in the making.
const MOST_KIB: usize = (256 + 128) << 10;

/// Reads one reply in small pieces, with a pause before each.
fn read_slowly(mut stream: &UnixStream) -> Vec<u8> {
    let mut reply = Vec::new();
    let mut piece = vec![0; 8 << 10];
    while reply.last() != Some(&b'\n') {
        throughout(Duration::from_millis(5), || ());
        match stream.read(&mut piece).unwrap() {
            0 => panic!("cut off after {} bytes", reply.len()),
            len => reply.extend_from_slice(&piece[..len]),
        }
    }
    reply
}

#[test]
fn who_does_not_read_makes_room_for_others_and_who_reads_slowly_is_served() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["sh", "-c", &format!("seq 1 {LINES}; exec cat")]);
    eventually("all is printed", || {
        let bytes = connection.record(&session)["output"]["output_bytes"].clone();
        (bytes == OUTPUT_BYTES).then_some(())
    });
    let params = json!({"session": session, "since": 0});
    let read = json!({"jsonrpc": "2.0", "id": 1, "method": "session.read", "params": params});
    let body = read.to_string();
    let post = format!(
        "POST / HTTP/1.1\r\nhost: ccd\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let worker = worker(&daemon);
    let before = anonymous_kib(worker);
    let ask = |request: &str| {
        let mut stream = UnixStream::connect(daemon.socket()).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        stream
    };
    let line = format!("{body}\n");
    let slow = ask(&line);
    let reading = thread::spawn(move || read_slowly(&slow));
    let clients: Vec<UnixStream> = (0..CLIENTS)
        .map(|number| ask(if number % 2 == 0 { &line } else { &post }))
        .collect();
    throughout(Duration::from_secs(5), || {
        connection.call_value("daemon.ping", &json!({})).unwrap();
        let grown = anonymous_kib(worker).saturating_sub(before);
        assert!(grown < MOST_KIB, "{grown} KiB");
    });
    let reply: Value = serde_json::from_slice(&reading.join().unwrap()).unwrap();
    assert_eq!(reply["result"]["end"], OUTPUT_BYTES);
    let reply = read_slowly(&ask(&line));
    assert!(reply.len() > OUTPUT_BYTES, "a new client is served too");
    drop(clients);
    eventually("the memory is given back", || {
        let grown = anonymous_kib(worker).saturating_sub(before);
        (grown < 32 << 10).then_some(())
    });
}
