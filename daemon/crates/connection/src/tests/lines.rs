use super::super::Limits;
use super::harness::{Client, Seen, Server, assert_error, eventually, request, within};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt};

#[tokio::test]
async fn a_call_is_answered_under_its_id() {
    let server = Server::start();
    let mut client = server.connect().await;
    for id in [
        json!(7),
        json!("seven"),
        json!(0),
        json!(""),
        json!(u64::MAX),
        json!("\u{1f600}\n"),
        Value::Null,
    ] {
        client
            .send(&request(id.clone(), "test.echo", json!({"a": [1]})))
            .await;
        let reply = client.receive().await;
        assert_eq!(
            reply,
            json!({"jsonrpc": "2.0", "id": id, "result": {"a": [1]}})
        );
    }
    client
        .write(b"\r\n  \n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"test.ping\"}\r\n")
        .await;
    assert_eq!(client.receive().await["result"], "pong");
}

#[tokio::test]
async fn rubbish_is_answered_and_the_next_line_is_served() {
    let server = Server::start();
    let mut client = server.connect().await;
    let cases: [(&[u8], Value, i32, &str); 14] = [
        (b"{rubbish}", Value::Null, -32700, "parse_error"),
        (b"{\"id\":5", Value::Null, -32700, "parse_error"),
        (b"{\"id\":5} {}", Value::Null, -32700, "parse_error"),
        (b"\"\xff\"", Value::Null, -32700, "parse_error"),
        (b"[{\"id\":1},", Value::Null, -32700, "parse_error"),
        (b"{\"id\":5}", json!(5), -32600, "invalid_request"),
        (
            b"{\"jsonrpc\":\"1.0\",\"id\":\"a\",\"method\":\"test.ping\"}",
            json!("a"),
            -32600,
            "invalid_request",
        ),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"test.ping\"}",
            Value::Null,
            -32600,
            "invalid_request",
        ),
        (
            b"{\"jsonrpc\":\"2.0\",\"method\":5}",
            Value::Null,
            -32600,
            "invalid_request",
        ),
        (b"5", Value::Null, -32600, "invalid_request"),
        (b"{}", Value::Null, -32600, "invalid_request"),
        (b"\"text\"", Value::Null, -32600, "invalid_request"),
        (b"null", Value::Null, -32600, "invalid_request"),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"no.such\"}",
            json!(6),
            -32601,
            "method_not_found",
        ),
    ];
    for (line, id, code, kind) in cases {
        client.write(line).await;
        client.write(b"\n").await;
        assert_error(&client.receive().await, id, code, kind);
        client.assert_served().await;
    }
}

#[tokio::test]
async fn nesting_without_end_does_no_harm() {
    let server = Server::start();
    let mut client = server.connect().await;
    for open in ["[", "{\"a\":"] {
        client.write(open.repeat(1_000_000) + "\n").await;
        let reply = client.receive().await;
        assert_error(&reply, Value::Null, -32700, "parse_error");
    }
    let deep = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
    let request = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"test.echo","params":{deep}}}"#);
    client.write(request + "\n").await;
    assert_eq!(client.receive().await["error"]["code"], -32602);
    client.assert_served().await;
}

#[tokio::test]
async fn a_line_over_the_limit_is_refused_and_skipped() {
    let server = Server::with(Limits {
        frame_bytes: 100_000,
        ..Limits::default()
    });
    let mut client = server.connect().await;
    let params = json!({"text": "x".repeat(90_000)});
    assert_eq!(
        client.call("test.echo", params.clone()).await["result"],
        params
    );
    client.write(vec![b'x'; 1_000_000]).await;
    let reply = client.receive().await;
    assert_error(&reply, Value::Null, 1006, "limit_reached");
    assert_eq!(reply["error"]["data"]["limit_bytes"], 100_000);
    client.write(b"still the same line\n").await;
    client.assert_served().await;
}

#[tokio::test]
async fn the_last_line_needs_no_newline() {
    let server = Server::start();
    let mut client = server.connect().await;
    client
        .write(request(1, "test.ping", json!({})).to_string())
        .await;
    client.writer.shutdown().await.unwrap();
    assert_eq!(client.receive().await["result"], "pong");
    assert_eq!(client.receive().await, Value::Null);
}

#[tokio::test]
async fn newlines_inside_a_reply_become_spaces() {
    let server = Server::start();
    let mut client = server.connect().await;
    client.send(&request(1, "test.raw", json!({}))).await;
    let mut line = String::new();
    within(client.reader.read_line(&mut line)).await.unwrap();
    assert_eq!(
        line,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{ \"a\": 1}}\n"
    );
}

#[tokio::test]
async fn answers_come_as_they_are_ready() {
    let server = Server::start();
    let mut client = server.connect().await;
    client.send(&request(1, "test.wait", json!({}))).await;
    client.send(&request(2, "test.ping", json!({}))).await;
    assert_eq!(client.receive().await["id"], 2);
    server.gate.add_permits(1);
    assert_eq!(client.receive().await["id"], 1);
}

#[tokio::test]
async fn a_batch_answers_what_has_an_id() {
    let server = Server::start();
    let mut client = server.connect().await;
    let notification = json!({"jsonrpc": "2.0", "method": "test.count"});
    client
        .send(&json!([
            request(1, "test.ping", json!({})),
            notification,
            {"id": 2},
            request("three", "no.such", json!({})),
            17,
            ["2.0", 1, "test.ping", null, null],
            request(4, "test.echo", json!({"late": true})),
        ]))
        .await;
    let replies = client.receive().await;
    assert_eq!(replies.as_array().unwrap().len(), 6, "{replies}");
    assert_eq!(replies[0]["result"], "pong");
    assert_error(&replies[1], 2, -32600, "invalid_request");
    assert_error(&replies[2], "three", -32601, "method_not_found");
    for no_object in [&replies[3], &replies[4]] {
        assert_error(no_object, Value::Null, -32600, "invalid_request");
    }
    assert_eq!(replies[5]["result"], json!({"late": true}));
    assert_eq!(Seen::get(&server.seen.counted), 1);

    client.write(b"[]\n").await;
    assert_error(
        &client.receive().await,
        Value::Null,
        -32600,
        "invalid_request",
    );
    client.send(&json!([notification, notification])).await;
    client.assert_served().await; // a batch of only notifications gets no reply
    assert_eq!(Seen::get(&server.seen.counted), 3);
}

#[tokio::test]
async fn a_batch_runs_in_order() {
    let server = Server::start();
    let mut client = server.connect().await;
    client
        .send(&json!([
            request(1, "test.wait", json!({})),
            request(2, "test.count", json!({})),
        ]))
        .await;
    client.assert_served().await;
    assert_eq!(Seen::get(&server.seen.counted), 0);
    server.gate.add_permits(1);
    assert_eq!(client.receive().await[1]["result"], true);
    assert_eq!(Seen::get(&server.seen.counted), 1);
}

#[tokio::test]
async fn a_notification_is_executed_and_not_answered_even_if_its_client_has_left() {
    let server = Server::start();
    let mut client = server.connect().await;
    for method in ["test.count", "no.such"] {
        let notification = json!({"jsonrpc": "2.0", "method": method});
        client.send(&notification).await;
    }
    client.assert_served().await;
    assert_eq!(Seen::get(&server.seen.counted), 1);
    client
        .send(&json!({"jsonrpc": "2.0", "method": "test.count_later"}))
        .await;
    drop(client);
    eventually("the notification starts", || {
        Seen::get(&server.seen.started) == 1
    })
    .await;
    server.gate.add_permits(1);
    eventually("the notification is done", || {
        Seen::get(&server.seen.counted) == 2
    })
    .await;
}

#[tokio::test]
async fn a_request_may_name_its_client_and_version() {
    let server = Server::start();
    let mut client = server.connect().await;
    let mut named = request(1, "test.peer", json!({}));
    named["ccd"] = json!({"protocol": 1, "client": "ccctl\n", "more": true});
    named["unknown"] = json!({"ignored": [1, 2]});
    client.send(&named).await;
    let peer = client.receive().await["result"].take();
    assert_eq!(peer["name"], "ccctl");
    assert_eq!(peer["uid"], rustix::process::geteuid().as_raw());
    assert_eq!(peer["pid"], std::process::id());

    let unnamed = client.call("test.peer", json!({})).await["result"].take();
    let comm = std::fs::read_to_string("/proc/self/comm").unwrap_or("unknown".into());
    assert_eq!(unnamed["name"], comm.trim_end());
    assert_eq!(unnamed["connection"], peer["connection"]);

    named["ccd"]["protocol"] = json!(99);
    client.send(&named).await;
    let reply = client.receive().await;
    assert_error(&reply, 1, 1008, "version_mismatch");
    let hint = reply["error"]["data"]["hint"].as_str().unwrap();
    assert!(hint.contains("ccctl daemon upgrade"));
    client.send(&json!([named])).await;
    assert_error(&client.receive().await[0], 1, 1008, "version_mismatch");
}

#[tokio::test]
async fn a_panic_is_an_internal_error_of_its_call_alone() {
    let server = Server::start();
    let mut client = server.connect().await;
    for method in ["test.panic", "test.panic_later"] {
        let reply = client.call(method, json!({})).await;
        assert_error(&reply, 1, -32603, "internal");
        client.assert_served().await;
    }
}

#[tokio::test]
async fn a_subscription_sends_until_it_is_ended() {
    let server = Server::start();
    let mut client = server.connect().await;
    let mut ids = Vec::new();
    for _ in 0..2 {
        let reply = client.call("test.tick", json!({})).await;
        let subscription = reply["result"].clone();
        for seq in 0..3 {
            let item = client.receive().await;
            assert_eq!(item["method"], "test.ticked");
            assert_eq!(
                item["params"],
                json!({"subscription": subscription, "result": seq})
            );
        }
        ids.push(subscription);
    }
    let by_name = json!({"subscription": ids[0]});
    assert_eq!(
        client.call("test.untick", by_name.clone()).await["result"],
        true
    );
    assert_eq!(client.call("test.untick", by_name).await["result"], false);
    assert_eq!(
        client.call("test.untick", json!([ids[1]])).await["result"],
        true
    );
}

#[tokio::test]
async fn a_subscription_goes_on_after_half_a_close() {
    let server = Server::start();
    let mut client = server.connect().await;
    client.send(&request(1, "test.flood", json!({}))).await;
    client.writer.shutdown().await.unwrap();
    assert!(client.receive().await["result"].is_u64());
    for _ in 0..1000 {
        assert_eq!(client.receive().await["method"], "test.flooded");
    }
    assert_eq!(Seen::get(&server.seen.ended), 0);
    drop(client);
    eventually("the subscription ends", || {
        Seen::get(&server.seen.ended) == 1
    })
    .await;
}

#[tokio::test]
async fn a_large_line_is_a_request_like_any_other() {
    let server = Server::start();
    let mut client = server.connect().await;
    let params = json!({"text": "x".repeat(2_000_000)});
    let large = request(1, "test.echo", params.clone());
    let batch = json!([large, large]);
    let ping = request(2, "test.ping", json!({}));
    let sent = format!("{large}\n{batch}\n{ping}\n");
    let Client { reader, writer } = &mut client;
    // A client that does not read is not read from.
    let (_, replies) = tokio::join!(within(writer.write_all(sent.as_bytes())), async {
        let mut replies: Vec<Value> = Vec::new();
        for _ in 0..3 {
            let mut line = String::new();
            within(reader.read_line(&mut line)).await.unwrap();
            replies.push(serde_json::from_str(&line).unwrap());
        }
        replies
    });
    let replied = |id| replies.iter().find(|reply| reply["id"] == id).unwrap();
    assert_eq!(replied(1)["result"], params);
    assert_eq!(replied(2)["result"], "pong");
    let batch = replies.iter().find_map(Value::as_array).unwrap();
    assert!(batch.len() == 2 && batch.iter().all(|reply| reply["result"] == params));

    client
        .write([b"\"".repeat(300_000), b"\xff\n".to_vec()].concat())
        .await;
    assert_error(&client.receive().await, Value::Null, -32700, "parse_error");
    client.write(large.to_string()).await;
    client.writer.shutdown().await.unwrap();
    assert_eq!(client.receive().await["result"], params);
    assert_eq!(client.receive().await, Value::Null);
}

#[tokio::test]
async fn many_requests_in_one_read_do_not_hold_up_others() {
    const COUNTS: usize = 1500;
    let server = Server::start();
    let (mut many, mut other) = (server.connect().await, server.connect().await);
    many.assert_served().await;
    other.assert_served().await;
    let count = json!({"jsonrpc": "2.0", "method": "test.count"});
    // The server's tasks run when this one waits, so both connections are readable then.
    many.write(format!("{count}\n").repeat(COUNTS)).await;
    other.assert_served().await;
    assert!(Seen::get(&server.seen.counted) < COUNTS);
    eventually("all are done", || Seen::get(&server.seen.counted) == COUNTS).await;
}
