use super::super::Limits;
use super::harness::{Client, Seen, Server, assert_error, eventually, request, within};
use super::http::whole_response;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt;
use tokio::net::UnixStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

pub(super) async fn websocket(server: &Server) -> WebSocketStream<UnixStream> {
    let stream = UnixStream::connect(&server.path).await.unwrap();
    let connected = tokio_tungstenite::client_async("ws://ccd/", stream);
    within(connected).await.unwrap().0
}

pub(super) async fn send(socket: &mut WebSocketStream<UnixStream>, message: &Value) {
    let message = Message::text(message.to_string());
    within(socket.send(message)).await.unwrap();
}

async fn receive(socket: &mut WebSocketStream<UnixStream>) -> Value {
    let message = within(socket.next()).await.unwrap().unwrap();
    serde_json::from_str(message.to_text().unwrap()).unwrap()
}

/// The headers of a handshake, each on its own.
const HEADERS: [&str; 4] = [
    "connection: keep-alive, Upgrade",
    "upgrade: WebSocket",
    "sec-websocket-version: 13",
    "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
];

/// Asks for a WebSocket with these headers, and returns the status and the head of the response.
async fn ask(client: &mut Client, headers: &[&str]) -> (u16, String) {
    let headers = headers.join("\r\n");
    client
        .write(format!("GET / HTTP/1.1\r\nhost: ccd\r\n{headers}\r\n\r\n"))
        .await;
    let (status, head, _) = whole_response(client).await;
    (status, head)
}

/// A client that writes and reads frames itself.
pub(super) async fn raw(server: &Server) -> Client {
    let mut client = server.connect().await;
    let (status, head) = ask(&mut client, &HEADERS).await;
    assert_eq!(status, 101, "{head}");
    let accept = "sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n";
    assert!(head.contains(accept), "{head}");
    client
}

/// A masked frame whose first byte is `first`. The mask is zero.
pub(super) fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![first];
    match payload.len() {
        len @ 0..126 => frame.push(0x80 | len as u8),
        len => {
            frame.push(0xff);
            frame.extend((len as u64).to_be_bytes());
        }
    }
    frame.extend([0; 4]);
    frame.extend(payload);
    frame
}

/// Returns the first byte and the payload of the next frame.
pub(super) async fn next_frame(client: &mut Client) -> (u8, Vec<u8>) {
    let reader = &mut client.reader;
    let read = async {
        let (first, second) = (reader.read_u8().await?, reader.read_u8().await?);
        let len = match second {
            126 => u64::from(reader.read_u16().await?),
            127 => reader.read_u64().await?,
            len => u64::from(len),
        };
        let mut payload = vec![0; len as usize];
        reader.read_exact(&mut payload).await?;
        Ok::<_, std::io::Error>((first, payload))
    };
    within(read).await.unwrap()
}

/// Asserts that the server closes with `code`, and that nothing follows.
async fn assert_closed(client: &mut Client, code: u16, why: &str) {
    let (first, payload) = next_frame(client).await;
    assert_eq!(
        (first, &payload[..]),
        (0x88, &code.to_be_bytes()[..]),
        "{why}"
    );
    let mut rest = Vec::new();
    within(client.reader.read_to_end(&mut rest)).await.unwrap();
    assert!(rest.is_empty(), "{why}: {rest:?}");
}

#[tokio::test]
async fn a_handshake_is_refused_with_the_status_for_its_mistake() {
    let server = Server::start();
    let [connection, upgrade, version, key] = HEADERS;
    for (headers, status) in [
        (vec![upgrade, version, key], 400),
        (vec![connection, upgrade, version], 400),
        (
            vec![connection, upgrade, version, "sec-websocket-key: short"],
            400,
        ),
        (
            vec![
                connection,
                upgrade,
                version,
                "sec-websocket-key: bm90MTZieXRlcw==",
            ],
            400,
        ),
        (vec![connection, upgrade, version, key, key], 400),
        (
            vec![connection, upgrade, "sec-websocket-version: 12", key],
            426,
        ),
        (vec![connection, upgrade, key], 426),
        (vec![connection, version, key], 405),
        (vec![connection, "upgrade: h2c", version, key], 405),
    ] {
        let mut client = server.connect().await;
        let (got, head) = ask(&mut client, &headers).await;
        assert_eq!(got, status, "{headers:?}: {head}");
        let names_version = head.contains("sec-websocket-version: 13\r\n");
        assert_eq!(names_version, status == 426, "{head}");
    }
}

#[tokio::test]
async fn a_websocket_is_closed_with_the_code_for_the_mistake() {
    let server = Server::with(Limits {
        frame_bytes: 1_000_000,
        ..Limits::default()
    });
    let text = request(1, "test.ping", json!({})).to_string();
    let mut unmasked = frame(0x81, text.as_bytes());
    unmasked[1] &= 0x7f;
    unmasked.drain(2..6);
    let invalid = [vec![b' '; 400_000], b"\xff".to_vec()].concat();
    for (why, sent, code) in [
        ("unmasked", unmasked, 1002),
        ("reserved opcode", frame(0x83, b"{}"), 1002),
        ("reserved bit", frame(0xc1, text.as_bytes()), 1002),
        ("long ping", frame(0x89, &[b'x'; 126]), 1002),
        ("fragmented ping", frame(0x09, b"x"), 1002),
        ("continuation first", frame(0x80, b"x"), 1002),
        ("close of one byte", frame(0x88, b"x"), 1002),
        ("close 1005", frame(0x88, &1005u16.to_be_bytes()), 1002),
        ("binary", frame(0x82, text.as_bytes()), 1003),
        ("not UTF-8", frame(0x81, b"\"\xff\""), 1007),
        ("large, not UTF-8", frame(0x81, &invalid), 1007),
        ("too large", frame(0x81, &vec![b' '; 1_000_001]), 1009),
        ("close", frame(0x88, b"\x0f\xa0bye"), 4000),
    ] {
        let mut client = raw(&server).await;
        client.write(&sent).await;
        client.write(frame(0x81, text.as_bytes())).await;
        assert_closed(&mut client, code, why).await;
    }
    eventually("the connections end", || server.tracker.len() == 1).await;
}

#[tokio::test]
async fn pings_and_fragments_are_understood() {
    let server = Server::start();
    let mut client = raw(&server).await;
    let text = request(1, "test.ping", json!({})).to_string();
    let (start, end) = text.as_bytes().split_at(20);
    for sent in [
        frame(0x01, start),
        frame(0x89, b"are you there"),
        frame(0x80, end),
    ] {
        client.write(sent).await;
    }
    assert_eq!(
        next_frame(&mut client).await,
        (0x8a, b"are you there".to_vec())
    );
    let (first, reply) = next_frame(&mut client).await;
    let reply: Value = serde_json::from_slice(&reply).unwrap();
    assert_eq!((first, &reply["result"]), (0x81, &json!("pong")));
    client.write(frame(0x81, b"{")).await;
    let (_, reply) = next_frame(&mut client).await;
    let reply = serde_json::from_slice(&reply).unwrap();
    assert_error(&reply, Value::Null, -32700, "parse_error");
    client.write(frame(0x88, b"")).await;
    assert_eq!(next_frame(&mut client).await, (0x88, Vec::new()));
}

#[tokio::test]
async fn stopping_closes_websockets_with_1001() {
    let server = Server::start();
    let mut idle = raw(&server).await;
    let mut busy = raw(&server).await;
    let wait = request(1, "test.wait", json!({})).to_string();
    busy.write(frame(0x81, wait.as_bytes())).await;
    eventually("it runs", || Seen::get(&server.seen.started) == 1).await;
    server.stop.cancel();
    assert_closed(&mut idle, 1001, "idle").await;
    server.gate.add_permits(1);
    assert_eq!(next_frame(&mut busy).await.0, 0x81);
    assert_closed(&mut busy, 1001, "busy").await;
    server.stopped().await;
}

#[tokio::test]
async fn a_client_that_only_pings_is_not_read_from_while_it_does_not_read() {
    const PINGS: usize = 20_000;
    let server = Server::start();
    let mut client = raw(&server).await;
    let pings = frame(0x89, &[b'x'; 125]).repeat(PINGS);
    let mut writer = client.writer;
    let (written, _) = tokio::join!(
        async {
            tokio::io::AsyncWriteExt::write_all(&mut writer, &pings)
                .await
                .unwrap();
        },
        async {
            // Much more than the buffers of two sockets: the server has to stop reading.
            server.connect().await.assert_served().await;
            let mut pongs = vec![0; PINGS * 127];
            within(client.reader.read_exact(&mut pongs)).await.unwrap();
            assert!(pongs.chunks(127).all(|pong| pong[..2] == [0x8a, 125]));
        }
    );
    written
}

#[tokio::test]
async fn a_websocket_calls_and_subscribes() {
    let server = Server::start();
    let mut socket = websocket(&server).await;
    send(&mut socket, &request(1, "test.peer", json!({}))).await;
    let peer = receive(&mut socket).await["result"].take();
    assert_eq!(peer["pid"], std::process::id());
    send(&mut socket, &request(2, "test.tick", json!({}))).await;
    let subscription = receive(&mut socket).await["result"].take();
    for seq in 0..3 {
        let item = receive(&mut socket).await;
        assert_eq!(item["params"]["result"], seq);
    }
    let by_name = json!({"subscription": subscription});
    send(&mut socket, &request(3, "test.untick", by_name)).await;
    assert_eq!(receive(&mut socket).await["result"], true);
    send(&mut socket, &request(4, "test.panic_later", json!({}))).await;
    assert_error(&receive(&mut socket).await, 4, -32603, "internal");
}

#[tokio::test]
async fn a_websocket_has_a_limit_of_calls_in_flight() {
    let server = Server::with(Limits {
        in_flight: 2,
        ..Limits::default()
    });
    let mut socket = websocket(&server).await;
    for id in 0..2 {
        send(&mut socket, &request(id, "test.wait", json!({}))).await;
    }
    eventually("both run", || Seen::get(&server.seen.started) == 2).await;
    send(&mut socket, &request(2, "test.wait", json!({}))).await;
    assert_error(&receive(&mut socket).await, 2, 1006, "limit_reached");
    drop(socket);
    eventually("both are dropped", || Seen::get(&server.seen.ended) == 2).await;
}
