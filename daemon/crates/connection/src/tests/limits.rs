use super::super::Limits;
use super::harness::{Client, Seen, Server, assert_error, eventually, request, within};
use super::http::whole_response;
use super::websocket::{frame, next_frame, raw};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

#[tokio::test]
async fn a_call_too_many_is_refused_at_once() {
    let server = Server::with(Limits {
        in_flight: 3,
        ..Limits::default()
    });
    let mut client = server.connect().await;
    for id in 0..4 {
        client.send(&request(id, "test.wait", json!({}))).await;
    }
    let reply = client.receive().await;
    assert_error(&reply, 3, 1006, "limit_reached");
    assert_eq!(reply["error"]["data"]["limit"], 3);
    server.connect().await.assert_served().await;
    server.gate.add_permits(3);
    for _ in 0..3 {
        assert_eq!(client.receive().await["result"], true);
    }
    client.assert_served().await;
}

#[tokio::test]
async fn a_batch_too_long_is_refused_as_a_whole() {
    let server = Server::start();
    let mut client = server.connect().await;
    let entry = request(1, "test.count", json!({}));
    client.send(&json!(vec![&entry; 100])).await;
    assert_eq!(client.receive().await.as_array().unwrap().len(), 100);
    client.send(&json!(vec![&entry; 101])).await;
    let reply = client.receive().await;
    assert_error(&reply, Value::Null, 1006, "limit_reached");
    assert_eq!(reply["error"]["data"]["limit"], 100);
    assert_eq!(Seen::get(&server.seen.counted), 100);
}

#[tokio::test]
async fn a_reply_too_large_says_so() {
    let server = Server::with(Limits {
        reply_bytes: 1000,
        ..Limits::default()
    });
    let mut client = server.connect().await;
    let reply = client.call("test.blob", json!({"bytes": 2000})).await;
    assert_error(&reply, 1, 1007, "reply_too_large");
    assert_eq!(reply["error"]["data"]["limit_bytes"], 1000);
    let entry = request(1, "test.blob", json!({"bytes": 500}));
    client.send(&json!([entry, entry])).await;
    assert_error(
        &client.receive().await,
        Value::Null,
        1007,
        "reply_too_large",
    );
    client.assert_served().await;
}

#[tokio::test]
async fn a_subscription_too_many_is_refused() {
    let server = Server::start();
    let mut client = server.connect().await;
    let mut ids = Vec::new();
    for _ in 0..64 {
        ids.push(client.call("test.tick", json!({})).await["result"].take());
        for _ in 0..3 {
            client.receive().await;
        }
    }
    let reply = client.call("test.tick", json!({})).await;
    assert_error(&reply, 1, 1006, "limit_reached");
    assert_eq!(reply["error"]["data"]["limit"], 64);
    let ended = client.call("test.untick", json!([ids[63]])).await;
    assert_eq!(ended["result"], true);
    // Its task may still be ending.
    let again = async { while !client.call("test.tick", json!({})).await["result"].is_u64() {} };
    within(again).await;
}

#[tokio::test]
async fn a_connection_too_many_is_told_and_closed() {
    let server = Server::with(Limits {
        connections: 2,
        ..Limits::default()
    });
    let mut first = server.connect().await;
    first.assert_served().await;
    let mut second = server.connect().await;
    second.assert_served().await;

    let mut third = server.connect().await;
    third.send(&request(1, "test.ping", json!({}))).await;
    let reply = third.receive().await;
    assert_error(&reply, Value::Null, 1006, "limit_reached");
    assert_eq!(reply["error"]["data"]["limit"], 2);
    assert_eq!(third.receive().await, Value::Null);
    let mut silent = server.connect().await;
    assert_error(&silent.receive().await, Value::Null, 1006, "limit_reached");
    let mut http = server.connect().await;
    http.write("POST / HTTP/1.1\r\n\r\n").await;
    let mut answer = String::new();
    http.reader.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
    let body = answer.split("\r\n\r\n").nth(1).unwrap();
    let reply = serde_json::from_str(body).unwrap();
    assert_error(&reply, Value::Null, 1006, "limit_reached");

    drop((second, third, silent, http));
    // Only the accept loop and the first connection remain.
    eventually("the others end", || server.tracker.len() == 2).await;
    let limits = Limits {
        connections: 3,
        ..Limits::default()
    };
    server
        .settings
        .send_modify(|settings| settings.limits = limits);
    let (mut third, mut fourth) = (server.connect().await, server.connect().await);
    third.assert_served().await;
    fourth.assert_served().await;
}

#[tokio::test]
async fn many_connections_too_many_are_all_told() {
    let server = Server::with(Limits {
        connections: 1,
        ..Limits::default()
    });
    let mut first = server.connect().await;
    first.assert_served().await;
    // The first 64 of them are waited for.
    let mut refused = Vec::new();
    for _ in 0..150 {
        refused.push(server.connect().await);
    }
    for client in &mut refused {
        assert_error(&client.receive().await, Value::Null, 1006, "limit_reached");
    }
    first.assert_served().await;
}

#[tokio::test]
async fn another_user_is_turned_away_unheard() {
    let own_uid = rustix::process::geteuid().as_raw();
    let server = Server::start_as(own_uid + 1, Limits::default());
    let mut client = server.connect().await;
    assert_eq!(client.receive().await, Value::Null);
    if own_uid == 0 {
        server
            .settings
            .send_modify(|settings| settings.allow_root_peer = true);
        server.connect().await.assert_served().await;
    }
}

#[tokio::test]
async fn a_client_that_does_not_read_is_not_read_from_either() {
    let server = Server::start();
    let mut client = server.connect().await;
    let line = format!("{}\n", request(1, "test.blob", json!({"bytes": 100_000})));
    let lines = line.repeat(500);
    // The transport is already selected, so the server's first read is for all fifty megabytes.
    client.assert_served().await;
    client.write(lines).await;
    eventually("some are served", || Seen::get(&server.seen.counted) > 0).await;
    server.connect().await.assert_served().await;
    assert!(Seen::get(&server.seen.counted) < 100);
    for _ in 0..500 {
        let reply = client.receive().await;
        assert_eq!(reply["result"].as_str().map(str::len), Some(100_000));
    }
    client.assert_served().await;
}

#[tokio::test]
async fn a_subscriber_that_does_not_read_lags_and_harms_nobody() {
    let server = Server::start();
    let mut client = server.connect().await;
    client.send(&request(1, "test.flood", json!({}))).await;
    eventually("its queue is full", || Seen::get(&server.seen.lagged) > 20).await;
    server.connect().await.assert_served().await;
    assert!(client.receive().await["result"].is_u64());
    for _ in 0..2000 {
        assert_eq!(client.receive().await["method"], "test.flooded");
    }
}

/// The requests of all clients may take 1 MiB.
fn little_memory(unfinished: Duration) -> Server {
    Server::with(Limits {
        requests_bytes: 1 << 20,
        unfinished,
        ..Limits::default()
    })
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Transport {
    Lines,
    WebSocket,
    Http,
}

const TRANSPORTS: [Transport; 3] = [Transport::Lines, Transport::WebSocket, Transport::Http];

impl Transport {
    async fn connect(self, server: &Server) -> Client {
        match self {
            Self::WebSocket => raw(server).await,
            _ => server.connect().await,
        }
    }

    /// The bytes of a request in this form.
    fn form(self, text: &str) -> Vec<u8> {
        match self {
            Self::Lines => format!("{text}\n").into_bytes(),
            Self::WebSocket => frame(0x81, text.as_bytes()),
            Self::Http => format!(
                "POST / HTTP/1.1\r\nhost: ccd\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{text}",
                text.len()
            )
            .into_bytes(),
        }
    }

    async fn receive(self, client: &mut Client) -> Value {
        match self {
            Self::Lines => client.receive().await,
            Self::WebSocket => serde_json::from_slice(&next_frame(client).await.1).unwrap(),
            Self::Http => serde_json::from_slice(&whole_response(client).await.2).unwrap(),
        }
    }
}

fn filled(id: u64, method: &str, bytes: usize) -> String {
    request(id, method, json!({"fill": "x".repeat(bytes)})).to_string()
}

#[tokio::test]
async fn a_request_is_refused_while_those_of_others_take_all_memory() {
    for transport in TRANSPORTS {
        let server = little_memory(Duration::MAX);
        let mut first = transport.connect(&server).await;
        first
            .write(transport.form(&filled(1, "test.wait", 500_000)))
            .await;
        eventually("it is handled", || Seen::get(&server.seen.started) == 1).await;
        let mut second = transport.connect(&server).await;
        let large = transport.form(&filled(2, "test.echo", 500_000));
        // An HTTP connection may be closed before it has taken all.
        let _ = within(second.writer.write_all(&large)).await;
        let reply = transport.receive(&mut second).await;
        assert_error(&reply, Value::Null, 1003, "busy");
        assert_eq!(reply["error"]["data"]["limit_bytes"], 1 << 20);
        let mut third = transport.connect(&server).await;
        third
            .write(transport.form(&filled(3, "test.echo", 50_000)))
            .await;
        assert!(transport.receive(&mut third).await["result"].is_object());
        server.gate.add_permits(1);
        assert_eq!(transport.receive(&mut first).await["result"], true);
        third.write(&large).await;
        assert!(
            transport.receive(&mut third).await["result"].is_object(),
            "{transport:?}"
        );
    }
}

#[tokio::test]
async fn a_message_that_stays_unfinished_is_dropped_when_others_need_its_memory() {
    for transport in TRANSPORTS {
        let server = little_memory(Duration::ZERO);
        let mut slow = transport.connect(&server).await;
        let whole = transport.form(&filled(1, "test.echo", 900_000));
        // What the kernel holds of it is far less than the rest.
        slow.write(&whole[..800_000]).await;
        let mut other = transport.connect(&server).await;
        other
            .write(transport.form(&filled(2, "test.echo", 500_000)))
            .await;
        assert!(transport.receive(&mut other).await["result"].is_object());
        let reply = transport.receive(&mut slow).await;
        assert_error(&reply, Value::Null, 1003, "busy");
        match transport {
            Transport::Lines => {
                slow.write(&whole[800_000..]).await;
                slow.assert_served().await;
            }
            Transport::WebSocket => {
                let closed = next_frame(&mut slow).await;
                assert_eq!(closed.1, 1013u16.to_be_bytes());
            }
            Transport::Http => {}
        }
    }
}
