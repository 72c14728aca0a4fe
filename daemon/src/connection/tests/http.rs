use super::super::Limits;
use super::harness::{Client, Seen, Server, assert_error, eventually, request, within};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

async fn post(client: &mut Client, message: &Value) {
    let body = message.to_string();
    let head = format!(
        "POST / HTTP/1.1\r\nhost: ccd\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    client.write(head + &body).await;
}

/// Returns the body of the next response.
async fn response(client: &mut Client) -> Value {
    let mut body_len = 0;
    loop {
        let mut line = String::new();
        within(client.reader.read_line(&mut line)).await.unwrap();
        if let Some(len) = line.strip_prefix("content-length: ") {
            body_len = len.trim().parse().unwrap();
        }
        if line == "\r\n" {
            break;
        }
    }
    let mut body = vec![0; body_len];
    within(client.reader.read_exact(&mut body)).await.unwrap();
    serde_json::from_slice(&body).unwrap()
}

async fn websocket(server: &Server) -> WebSocketStream<UnixStream> {
    let stream = UnixStream::connect(&server.path).await.unwrap();
    let connected = tokio_tungstenite::client_async("ws://ccd/", stream);
    within(connected).await.unwrap().0
}

async fn send(socket: &mut WebSocketStream<UnixStream>, message: &Value) {
    let message = Message::text(message.to_string());
    within(socket.send(message)).await.unwrap();
}

async fn receive(socket: &mut WebSocketStream<UnixStream>) -> Value {
    let message = within(socket.next()).await.unwrap().unwrap();
    serde_json::from_str(message.to_text().unwrap()).unwrap()
}

#[tokio::test]
async fn a_post_is_answered_and_the_connection_kept() {
    let server = Server::start();
    let mut client = server.connect().await;
    post(&mut client, &request(1, "test.peer", json!({}))).await;
    let peer = response(&mut client).await["result"].take();
    assert_eq!(peer["pid"], std::process::id());
    post(&mut client, &request(2, "test.panic", json!({}))).await;
    assert_error(&response(&mut client).await, 2, -32603, "internal");
    post(&mut client, &request(3, "no.such", json!({}))).await;
    assert_error(&response(&mut client).await, 3, -32601, "method_not_found");
    post(&mut client, &request(4, "test.tick", json!({}))).await;
    assert_error(&response(&mut client).await, 4, 1009, "unavailable");
    let batch = json!([request(5, "test.ping", json!({})), {"id": 6}]);
    post(&mut client, &batch).await;
    let replies = response(&mut client).await;
    assert_eq!(replies[0]["result"], "pong");
    assert_eq!(replies[1]["error"]["code"], -32600);
}

#[tokio::test]
async fn curl_is_a_client() {
    let server = Server::start();
    let output = tokio::process::Command::new("curl")
        .args(["--silent", "--show-error", "--unix-socket"])
        .arg(&server.path)
        .args(["-H", "content-type: application/json", "-d"])
        .arg(request(1, "test.ping", json!({})).to_string())
        .arg("http://ccd/")
        .output()
        .await;
    match output {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            eprintln!("skipped: curl is not installed");
        }
        output => {
            let reply: Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
            assert_eq!(reply["result"], "pong");
        }
    }
}

#[tokio::test]
async fn a_closed_http_connection_drops_its_call() {
    let server = Server::start();
    let mut client = server.connect().await;
    post(&mut client, &request(1, "test.hang", json!({}))).await;
    eventually("it runs", || Seen::get(&server.seen.started) == 1).await;
    drop(client);
    eventually("it is dropped", || Seen::get(&server.seen.ended) == 1).await;
}

#[tokio::test]
async fn a_client_that_pipelined_and_left_ends_what_it_waited_for() {
    let server = Server::start();
    for _ in 0..20 {
        let mut client = server.connect().await;
        for id in 0..2 {
            post(&mut client, &request(id, "test.hang", json!({}))).await;
        }
    }
    eventually("the first call of each is dropped", || {
        Seen::get(&server.seen.ended) == 20
    })
    .await;
    // Only the accept loop remains.
    eventually("the connections are gone", || server.tracker.len() == 1).await;
    assert_eq!(Seen::get(&server.seen.started), 20);
}

#[tokio::test]
async fn a_client_that_closed_only_its_sending_direction_gets_all_replies() {
    let server = Server::start();
    let mut client = server.connect().await;
    for id in 0..2 {
        post(&mut client, &request(id, "test.wait", json!({}))).await;
    }
    client.writer.shutdown().await.unwrap();
    server.gate.add_permits(2);
    for id in 0..2 {
        assert_eq!(response(&mut client).await["id"], id);
    }
}

#[tokio::test]
async fn a_body_that_is_broken_or_ends_early_is_a_bad_request() {
    const CHUNKED: &str = "transfer-encoding: chunked";
    let body = request(1, "test.count", json!({})).to_string();
    let len = body.len();
    let server = Server::start();
    for (header, sent) in [
        (CHUNKED, "zz\r\n".to_owned()),
        (CHUNKED, format!("{len:x}\r\n{body}xx0\r\n\r\n")),
        (CHUNKED, format!("{len:x}\r\n{}", &body[..len - 1])),
        (CHUNKED, format!("{len:x}\r\n{body}\r\n")),
        ("content-length: 1000", body.clone()),
    ] {
        let mut client = server.connect().await;
        client
            .write(format!(
                "POST / HTTP/1.1\r\nhost: ccd\r\ncontent-type: application/json\r\n{header}\r\n\r\n{sent}"
            ))
            .await;
        client.writer.shutdown().await.unwrap();
        let mut answer = String::new();
        within(client.reader.read_to_string(&mut answer))
            .await
            .unwrap();
        assert!(answer.starts_with("HTTP/1.1 400 "), "{sent:?}: {answer}");
        let (_, reply) = answer.split_once("\r\n\r\n").unwrap();
        let reply: Value = serde_json::from_str(reply).unwrap();
        assert_error(&reply, Value::Null, -32700, "parse_error");
    }
    assert_eq!(
        Seen::get(&server.seen.counted),
        0,
        "nothing was carried out"
    );
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused_with_or_without_its_length() {
    let server = Server::with(Limits {
        frame_bytes: 100,
        ..Limits::default()
    });
    let body = "x".repeat(101);
    for head in [
        format!("content-length: 101\r\n\r\n{body}"),
        format!("transfer-encoding: chunked\r\n\r\n65\r\n{body}\r\n0\r\n\r\n"),
    ] {
        let mut client = server.connect().await;
        let request = "POST / HTTP/1.1\r\nhost: ccd\r\ncontent-type: application/json\r\n";
        client.write(format!("{request}{head}")).await;
        let mut status = String::new();
        within(client.reader.read_line(&mut status)).await.unwrap();
        assert_eq!(status.trim_end(), "HTTP/1.1 413 Payload Too Large");
    }
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

#[tokio::test]
async fn stopping_cuts_http_and_websockets_after_the_grace_period() {
    let server = Server::with(Limits {
        grace: Duration::from_millis(50),
        ..Limits::default()
    });
    let mut client = server.connect().await;
    post(&mut client, &request(1, "test.hang", json!({}))).await;
    let mut socket = websocket(&server).await;
    send(&mut socket, &request(1, "test.hang", json!({}))).await;
    let _idle = websocket(&server).await;
    eventually("both run", || Seen::get(&server.seen.started) == 2).await;
    server.stopped().await;
    eventually("both are dropped", || Seen::get(&server.seen.ended) == 2).await;
}
