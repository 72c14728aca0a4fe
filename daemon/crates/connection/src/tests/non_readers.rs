use super::super::Limits;
use super::harness::{Client, FED_BYTES, Seen, Server, eventually, request, within};
use super::http::post;
use super::websocket::{frame, next_frame, raw};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt};

/// Items that a client can have waiting: in its room, and in the buffers of a socket (at most 1 MiB here).
const MOST_WAITING: usize = ((1 << 20) + (256 << 10)) / FED_BYTES;

async fn subscribe(client: &mut Client, is_websocket: bool) {
    let subscribe = request(1, "test.feed", json!({})).to_string();
    if is_websocket {
        client.write(frame(0x81, subscribe.as_bytes())).await;
    } else {
        client.write(subscribe + "\n").await;
    }
}

async fn next(client: &mut Client, is_websocket: bool) -> Value {
    let mut text = Vec::new();
    if is_websocket {
        text = next_frame(client).await.1;
    } else {
        within(client.reader.read_until(b'\n', &mut text))
            .await
            .unwrap();
    }
    serde_json::from_slice(&text).unwrap()
}

#[tokio::test]
async fn a_feed_stops_at_the_room_and_a_late_reader_gets_all() {
    for is_websocket in [false, true] {
        let server = Server::start();
        let mut client = if is_websocket {
            raw(&server).await
        } else {
            server.connect().await
        };
        subscribe(&mut client, is_websocket).await;
        eventually("the room is used", || Seen::get(&server.seen.counted) > 8).await;
        for _ in 0..100 {
            server.connect().await.assert_served().await;
        }
        assert!(Seen::get(&server.seen.counted) <= MOST_WAITING);
        assert!(next(&mut client, is_websocket).await["result"].is_u64());
        for number in 0..200 {
            let item = next(&mut client, is_websocket).await;
            let text = item.as_str().unwrap();
            assert_eq!(text.len(), FED_BYTES);
            assert_eq!(text.parse(), Ok(number));
        }
    }
}

#[tokio::test]
async fn all_feeds_of_a_connection_share_its_room() {
    let server = Server::start();
    let mut client = server.connect().await;
    for _ in 0..40 {
        subscribe(&mut client, false).await;
    }
    eventually("the room is used", || Seen::get(&server.seen.counted) > 8).await;
    for _ in 0..100 {
        server.connect().await.assert_served().await;
    }
    assert!(Seen::get(&server.seen.counted) <= MOST_WAITING);
    eventually("all are accepted", || Seen::get(&server.seen.started) == 40).await;
    drop(client);
    eventually("all end", || Seen::get(&server.seen.ended) == 40).await;
}

#[tokio::test]
async fn clients_that_do_not_read_are_cut_off_on_every_transport() {
    let server = Server::with(Limits {
        write_stall: Duration::from_millis(100),
        ..Limits::default()
    });
    let hang = request(1, "test.hang", json!({})).to_string();
    let blob = request(2, "test.blob", json!({"bytes": 5_000_000}));
    let mut lines = server.connect().await;
    lines.write(format!("{hang}\n{blob}\n")).await;
    let mut websocket = raw(&server).await;
    for text in [hang, blob.to_string()] {
        websocket.write(frame(0x81, text.as_bytes())).await;
    }
    let mut http = server.connect().await;
    post(&mut http, &blob).await;
    eventually("the connections end", || {
        server.tracker.len() == 1 && Seen::get(&server.seen.counted) == 3
    })
    .await;
    assert_eq!(Seen::get(&server.seen.ended), 2, "their calls are dropped");
    for client in [&mut lines, &mut websocket, &mut http] {
        let mut answer = Vec::new();
        client.reader.read_to_end(&mut answer).await.unwrap();
        assert!(!answer.is_empty() && answer.len() < 5_000_000);
    }
}
