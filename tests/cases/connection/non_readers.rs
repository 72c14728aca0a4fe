//! Clients that do not read what they asked for: what waits for each is bounded, on every transport, and large replies
//! have a budget for all connections together.

use crate::support::processes::private_memory;
use crate::support::worker::worker;
use crate::support::{Connection, Daemon, eventually, throughout};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::Duration;

const CLIENTS: usize = 20;

/// Most memory for one of them.
const BYTES_EACH: u64 = 512 << 10;

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
    let before = private_memory(worker);
    let clients = (0..CLIENTS).map(|_| open(UnixStream::connect(daemon.socket()).unwrap()));
    let clients: Vec<UnixStream> = clients.collect();
    throughout(WATCHED, || {
        connection.ping();
        let each = private_memory(worker).saturating_sub(before) / CLIENTS as u64;
        assert!(each < BYTES_EACH, "{each} bytes for each client");
    });
    clients
}

/// Starts a session that has printed a lot; returns its id and its output.
fn printed(connection: &mut Connection) -> (String, String) {
    let session = connection.start_session(&["sh", "-c", &format!("seq 1 {LINES}; exec cat")]);
    let output: String = (1..=LINES).map(|line| format!("{line}\r\n")).collect();
    eventually("all is printed", || {
        let bytes = connection.record(&session)["output"]["output_bytes"].clone();
        (bytes == output.len()).then_some(())
    });
    (session, output)
}

/// Returns a request by HTTP.
fn post(body: &Value) -> String {
    let body = body.to_string();
    format!(
        "POST / HTTP/1.1\r\nhost: ccd\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
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
    let (session, output) = printed(&mut connection);
    let params = json!({"session": session, "since": 0});
    let subscribe =
        json!({"jsonrpc": "2.0", "id": 1, "method": "session.subscribe", "params": params});
    let subscribe = subscribe.to_string();
    let mut by_lines = assert_bounded(&daemon, &mut connection, |mut stream| {
        writeln!(stream, "{subscribe}").unwrap();
        stream
    });
    // One that reads after all gets the whole output.
    let mut late = Connection::over(by_lines.pop().unwrap());
    assert!(late.next_line().unwrap()["result"].is_u64());
    let mut got = Vec::new();
    while got.len() < output.len() {
        let item = late.next_item().unwrap();
        assert_eq!(item["start"], got.len(), "{item}");
        got.extend(STANDARD.decode(item["data_b64"].as_str().unwrap()).unwrap());
    }
    assert!(got == output.as_bytes(), "byte for byte");
    let by_websocket = assert_bounded(&daemon, &mut connection, |mut stream| {
        stream.write_all(HANDSHAKE.as_bytes()).unwrap();
        stream.write_all(&frame(&subscribe)).unwrap();
        stream
    });
    let params = json!({"session": session, "since": 0, "max_bytes": 100_000, "raw": true});
    let read = json!({"jsonrpc": "2.0", "id": 1, "method": "session.read", "params": params});
    let post = post(&read);
    let by_http = assert_bounded(&daemon, &mut connection, |mut stream| {
        stream.write_all(post.repeat(100).as_bytes()).unwrap();
        stream
    });
    let worker = worker(&daemon);
    let full = private_memory(worker);
    drop((late, by_lines, by_websocket, by_http));
    eventually("what they left goes back to the system", || {
        (private_memory(worker) + CLIENTS as u64 * (100 << 10) < full).then_some(())
    });
}

/// Clients whose replies would take twice as much as they may.
const MANY_CLIENTS: usize = 150;

/// The budget, and what is in the making.
const MOST_BYTES: u64 = (256 + 128) << 20;

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
    let (session, output) = printed(&mut connection);
    let params = json!({"session": session, "since": 0});
    let read = json!({"jsonrpc": "2.0", "id": 1, "method": "session.read", "params": params});
    let worker = worker(&daemon);
    let before = private_memory(worker);
    let ask = |request: &str| {
        let mut stream = UnixStream::connect(daemon.socket()).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        stream
    };
    let (line, post) = (format!("{read}\n"), post(&read));
    let slow = ask(&line);
    let reading = thread::spawn(move || read_slowly(&slow));
    let clients: Vec<UnixStream> = (0..MANY_CLIENTS)
        .map(|number| ask(if number % 2 == 0 { &line } else { &post }))
        .collect();
    throughout(Duration::from_secs(5), || {
        connection.ping();
        let grown = private_memory(worker).saturating_sub(before);
        assert!(grown < MOST_BYTES, "{grown} bytes");
    });
    let reply: Value = serde_json::from_slice(&reading.join().unwrap()).unwrap();
    assert_eq!(reply["result"]["end"], output.len());
    let reply = read_slowly(&ask(&line));
    assert!(reply.len() > output.len(), "a new client is served too");
    drop(clients);
    eventually("the memory is given back", || {
        let grown = private_memory(worker).saturating_sub(before);
        (grown < 32 << 20).then_some(())
    });
}
