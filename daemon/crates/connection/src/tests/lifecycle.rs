use super::super::Limits;
use super::harness::{Seen, Server, eventually, request};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::AsyncWriteExt;

#[tokio::test]
async fn half_a_close_waits_for_the_replies() {
    let server = Server::start();
    let mut client = server.connect().await;
    client.send(&request(1, "test.wait", json!({}))).await;
    client.send(&request(2, "test.wait", json!({}))).await;
    client.writer.shutdown().await.unwrap();
    eventually("both run", || Seen::get(&server.seen.started) == 2).await;
    server.gate.add_permits(1);
    assert_eq!(client.receive().await["id"], 1);
    server.gate.add_permits(1);
    assert_eq!(client.receive().await["id"], 2);
    assert_eq!(client.receive().await, Value::Null);
}

#[tokio::test]
async fn a_closed_connection_drops_its_calls() {
    let server = Server::start();
    let mut client = server.connect().await;
    for id in 0..10 {
        client.send(&request(id, "test.hang", json!({}))).await;
    }
    client
        .send(&json!([request(11, "test.hang", json!({}))]))
        .await;
    eventually("all run", || Seen::get(&server.seen.started) == 11).await;
    assert_eq!(Seen::get(&server.seen.ended), 0);
    drop(client);
    eventually("all are dropped", || Seen::get(&server.seen.ended) == 11).await;
}

#[tokio::test]
async fn a_batch_ends_with_its_client_where_it_would_wait() {
    let server = Server::with(Limits {
        grace: Duration::from_secs(600),
        ..Limits::default()
    });
    let count = |id| request(id, "test.count_later", json!({}));
    let wait = |id| request(id, "session.wait", json!({}));
    for (batch, begun, counted) in [
        (json!([count(1), count(2), wait(3), count(4)]), 1, 2),
        (json!([wait(1), count(2)]), 1, 0),
    ] {
        let [started, ended, before] = [
            &server.seen.started,
            &server.seen.ended,
            &server.seen.counted,
        ]
        .map(Seen::get);
        let mut client = server.connect().await;
        client.send(&wait(0)).await;
        client.send(&batch).await;
        let all = started + 1 + begun;
        eventually("both run", || Seen::get(&server.seen.started) == all).await;
        drop(client);
        // The other call has noticed it.
        eventually("the client has left", || {
            Seen::get(&server.seen.ended) > ended
        })
        .await;
        server.gate.add_permits(4);
        eventually("it ends", || server.tracker.len() == 1).await;
        assert_eq!(Seen::get(&server.seen.counted) - before, counted, "{batch}");
        server.gate.forget_permits(4);
    }
}

#[tokio::test]
async fn a_full_close_after_half_a_close_drops_the_calls() {
    let server = Server::start();
    let mut client = server.connect().await;
    client.send(&request(1, "test.hang", json!({}))).await;
    client.send(&request(2, "test.wait", json!({}))).await;
    client.writer.shutdown().await.unwrap();
    eventually("both run", || Seen::get(&server.seen.started) == 2).await;
    server.gate.add_permits(1);
    assert_eq!(client.receive().await["id"], 2);
    assert_eq!(Seen::get(&server.seen.ended), 1);
    drop(client);
    eventually("the other is dropped", || {
        Seen::get(&server.seen.ended) == 2
    })
    .await;
}

#[tokio::test]
async fn a_notification_ends_with_the_grace_period_of_its_client() {
    let server = Server::with(Limits {
        grace: Duration::from_millis(50),
        ..Limits::default()
    });
    let mut client = server.connect().await;
    client
        .send(&json!({"jsonrpc": "2.0", "method": "test.hang"}))
        .await;
    drop(client);
    eventually("it is dropped", || Seen::get(&server.seen.ended) == 1).await;
}

#[tokio::test]
async fn stopping_waits_for_calls_in_flight() {
    let server = Server::with(Limits {
        grace: Duration::from_secs(600),
        ..Limits::default()
    });
    let mut client = server.connect().await;
    let _silent = server.connect().await;
    client.send(&request(1, "test.wait", json!({}))).await;
    eventually("it runs", || Seen::get(&server.seen.started) == 1).await;
    server.stop.cancel();
    client.send(&request(2, "test.ping", json!({}))).await;
    server.gate.add_permits(1);
    assert_eq!(client.receive().await["id"], 1);
    server.stopped().await;
}

#[tokio::test]
async fn stopping_drops_what_does_not_end_in_the_grace_period() {
    let server = Server::with(Limits {
        grace: Duration::from_millis(50),
        ..Limits::default()
    });
    let mut client = server.connect().await;
    client.send(&request(1, "test.hang", json!({}))).await;
    eventually("it runs", || Seen::get(&server.seen.started) == 1).await;
    server.stopped().await;
    assert_eq!(Seen::get(&server.seen.ended), 1);
    assert_eq!(client.receive().await, Value::Null);
}

#[tokio::test]
async fn stopping_does_not_wait_for_subscriptions() {
    let server = Server::with(Limits {
        grace: Duration::from_secs(600),
        ..Limits::default()
    });
    let mut client = server.connect().await;
    let subscribed = client.call("test.tick", json!({})).await;
    assert!(subscribed["result"].is_u64());
    server.stopped().await;
}

#[tokio::test]
async fn ten_thousand_quick_clients_leave_nothing_behind() {
    let server = Server::start();
    for round in 0..100 {
        let mut clients = Vec::new();
        for _ in 0..100 {
            let mut client = server.connect().await;
            client.send(&request(round, "test.ping", json!({}))).await;
            clients.push(client);
        }
        for client in clients.iter_mut().take(50) {
            assert_eq!(client.receive().await["result"], "pong");
        }
    }
    // Only the accept loop remains.
    eventually("all connections end", || server.tracker.len() == 1).await;
}
