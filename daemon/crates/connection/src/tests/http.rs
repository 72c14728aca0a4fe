use super::super::Limits;
use super::harness::{Client, Seen, Server, assert_error, eventually, request, within};
use super::websocket::{send, websocket};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt};

/// The headers of a WebSocket's handshake.
const WEBSOCKET: &str = "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n\
                         sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

pub(super) async fn post(client: &mut Client, message: &Value) {
    let body = message.to_string();
    let head = format!(
        "POST / HTTP/1.1\r\nhost: ccd\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    client.write(head + &body).await;
}

/// Returns the body of the next response.
async fn response(client: &mut Client) -> Value {
    let (_, _, body) = whole_response(client).await;
    serde_json::from_slice(&body).unwrap()
}

/// Returns the status, the head and the body of the next response.
pub(super) async fn whole_response(client: &mut Client) -> (u16, String, Vec<u8>) {
    let mut body_len = 0;
    let mut head = String::new();
    loop {
        let mut line = String::new();
        within(client.reader.read_line(&mut line)).await.unwrap();
        if let Some(len) = line.strip_prefix("content-length: ") {
            body_len = len.trim().parse().unwrap();
        }
        head += &line;
        if line == "\r\n" || line.is_empty() {
            break;
        }
    }
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let mut body = vec![0; body_len];
    within(client.reader.read_exact(&mut body)).await.unwrap();
    (status, head, body)
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
async fn each_wrong_request_has_its_status() {
    let server = Server::start();
    let json = "content-type: application/json\r\n";
    let body = request(1, "test.count", json!({})).to_string();
    let whole = format!("content-length: {}\r\n\r\n{body}", body.len());
    for (sent, status, header, kind) in [
        (
            format!("GET / HTTP/1.1\r\n{json}\r\n"),
            405,
            "allow: POST",
            "invalid_request",
        ),
        (
            format!("PUT / HTTP/1.1\r\n{json}{whole}"),
            405,
            "allow: POST",
            "invalid_request",
        ),
        (
            format!("POST / HTTP/1.1\r\norigin: null\r\n{json}{whole}"),
            403,
            "",
            "invalid_request",
        ),
        (
            "OPTIONS / HTTP/1.1\r\nOrigin: http://localhost\r\n\r\n".to_owned(),
            403,
            "",
            "invalid_request",
        ),
        (
            format!("GET / HTTP/1.1\r\norigin: http://ccd\r\n{WEBSOCKET}\r\n"),
            403,
            "",
            "invalid_request",
        ),
        (
            format!("POST / HTTP/1.1\r\n{whole}"),
            415,
            "",
            "invalid_request",
        ),
        (
            format!("POST / HTTP/1.1\r\ncontent-type: text/plain\r\n{whole}"),
            415,
            "",
            "invalid_request",
        ),
        (
            format!("POST / HTTP/1.1\r\n{json}content-length: 2\r\n\r\nhi"),
            400,
            "",
            "parse_error",
        ),
        (
            format!("POST / HTTP/1.1\r\n{json}content-length: 0\r\n\r\n"),
            400,
            "",
            "parse_error",
        ),
        (
            format!("POST / HTTP/1.1\r\n{json}content-length: x\r\n\r\n"),
            400,
            "",
            "",
        ),
        ("POST\r\n\r\n".to_owned(), 400, "", ""),
        (
            format!("POST / HTTP/1.1\r\nx: {}\r\n\r\n", "x".repeat(100_000)),
            431,
            "",
            "",
        ),
    ] {
        let mut client = server.connect().await;
        client.write(&sent).await;
        let (got, head, reply) = whole_response(&mut client).await;
        assert_eq!(got, status, "{sent}: {head}");
        assert!(head.contains(header), "{sent}: {head}");
        if !kind.is_empty() {
            let code = if kind == "parse_error" {
                -32700
            } else {
                -32600
            };
            assert_error(
                &serde_json::from_slice(&reply).unwrap(),
                Value::Null,
                code,
                kind,
            );
        }
    }
    assert_eq!(Seen::get(&server.seen.counted), 0);
}

#[tokio::test]
async fn other_upgrades_are_ignored() {
    let server = Server::start();
    let body = request(1, "test.ping", json!({})).to_string();
    for upgrade in ["h2c", "websocket"] {
        let mut client = server.connect().await;
        client
            .write(format!(
                "POST / HTTP/1.1\r\nhost: ccd\r\nconnection: upgrade, http2-settings\r\nupgrade: {upgrade}\r\n\
                 http2-settings: AAMAAABkAARAAAAAAAIAAAAA\r\nsec-websocket-version: 13\r\n\
                 sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\ncontent-type: application/json; charset=UTF-8\r\n\
                 content-length: {}\r\n\r\n{body}",
                body.len()
            ))
            .await;
        assert_eq!(response(&mut client).await["result"], "pong", "{upgrade}");
    }
}

#[tokio::test]
async fn a_notification_is_answered_with_null() {
    let server = Server::start();
    let mut client = server.connect().await;
    post(
        &mut client,
        &json!({"jsonrpc": "2.0", "method": "test.count"}),
    )
    .await;
    assert_eq!(response(&mut client).await, Value::Null);
    assert_eq!(Seen::get(&server.seen.counted), 1);
    post(
        &mut client,
        &json!({"jsonrpc": "2.0", "method": "test.count_later"}),
    )
    .await;
    eventually("it runs", || Seen::get(&server.seen.started) == 1).await;
    drop(client);
    server.gate.add_permits(1);
    eventually("it ends after its client has left", || {
        Seen::get(&server.seen.counted) == 2
    })
    .await;
}

#[tokio::test]
async fn a_large_body_is_a_request_like_any_other() {
    let server = Server::start();
    let mut client = server.connect().await;
    let params = json!({"text": "x".repeat(2_000_000)});
    post(&mut client, &request(1, "test.echo", params.clone())).await;
    assert_eq!(response(&mut client).await["result"], params);
    post(&mut client, &request(2, "test.ping", json!({}))).await;
    assert_eq!(response(&mut client).await["result"], "pong");
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
    let mut single = server.connect().await;
    post(&mut single, &request(7, "test.wait", json!({}))).await;
    single.writer.shutdown().await.unwrap();
    eventually("both run", || Seen::get(&server.seen.started) == 2).await;
    server.gate.add_permits(3);
    for id in 0..2 {
        assert_eq!(response(&mut client).await["id"], id);
    }
    assert_eq!(response(&mut single).await["id"], 7);
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
        let (status, _, reply) = whole_response(&mut client).await;
        assert_eq!(status, 413);
        let reply = serde_json::from_slice(&reply).unwrap();
        assert_error(&reply, Value::Null, 1006, "limit_reached");
    }
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
