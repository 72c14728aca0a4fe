//! Live output by subscription.

use crate::support::{Connection, Daemon, eventually, kind};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Follows a subscription and checks the rules that every item must follow.
#[derive(Default)]
struct Follower {
    seq: u64,
    at: u64,
    bytes: Vec<u8>,
    lagged: Vec<(u64, u64)>,
    ended: Option<Value>,
}

impl Follower {
    /// Starts at the offset `at`.
    fn new(at: u64) -> Self {
        Self {
            at,
            ..Self::default()
        }
    }

    /// Takes one item: numbers count up by one, offsets continue, nothing follows the end.
    fn take(&mut self, item: &Value) {
        assert!(self.ended.is_none(), "after the end: {item}");
        assert_eq!(item["seq"], self.seq, "{item}");
        self.seq += 1;
        if let Some(data) = item["data_b64"].as_str() {
            let data = STANDARD.decode(data).unwrap();
            assert_eq!(item["start"], self.at);
            self.at += data.len() as u64;
            assert_eq!(item["end"], self.at);
            self.bytes.extend(data);
        } else if item["lagged"].is_object() {
            let (from, to) = (
                item["lagged"]["from"].as_u64().unwrap(),
                item["lagged"]["to"].as_u64().unwrap(),
            );
            assert!(from == self.at && to > from, "{item}");
            self.lagged.push((from, to));
            self.at = to;
        } else {
            assert_eq!(item["ended"]["end"], self.at, "{item}");
            self.ended = Some(item["ended"].clone());
        }
    }

    fn follow_to_the_end(&mut self, connection: &mut Connection) {
        while self.ended.is_none() {
            let item = connection.next_item().expect("the end comes first");
            self.take(&item);
        }
    }
}

/// Returns all output from `since` on, read with `session.read`.
fn read_all(connection: &mut Connection, session: &str, since: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let at = since + bytes.len() as u64;
        let params = json!({"session": session, "since": at, "max_bytes": 1 << 20, "raw": true});
        let piece = connection.call_value("session.read", &params).unwrap();
        let data = STANDARD
            .decode(piece["data_b64"].as_str().unwrap())
            .unwrap();
        if data.is_empty() {
            return bytes;
        }
        bytes.extend(data);
    }
}

fn wait_for_end(connection: &mut Connection, session: &str) {
    connection
        .call_value("session.wait", &json!({"session": session, "for": "exit"}))
        .unwrap();
}

#[test]
fn items_continue_each_other_and_equal_what_read_gives() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let script = "read start; i=0; while [ $i -lt 300 ]; do echo line $i; i=$((i+1)); done; printf '\\377\\0end'; exit 7";
    let session = connection.start_session(&["sh", "-c", script]);
    let mut subscriber = daemon.connect();
    subscriber
        .call_value(
            "session.subscribe",
            &json!({"session": session, "since": 0}),
        )
        .unwrap();
    connection
        .call_value("session.send", &json!({"session": session, "text": "go\r"}))
        .unwrap();
    let mut follower = Follower::new(0);
    follower.follow_to_the_end(&mut subscriber);
    assert_eq!(follower.bytes, read_all(&mut connection, &session, 0));
    assert!(follower.bytes.ends_with(b"line 299\r\n\xff\0end"));
    let ended = follower.ended.unwrap();
    assert_eq!(
        (&ended["exitstatus"], &ended["end_reason"]),
        (&json!(7), &json!("exited"))
    );
    assert!(follower.lagged.is_empty());
}

#[test]
fn without_since_only_what_is_new_comes() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["sh", "-c", "echo before; read go; echo after"]);
    let patterns = json!([{"exact": "before\n"}]);
    connection
        .call_value(
            "session.expect",
            &json!({"session": session, "patterns": patterns}),
        )
        .unwrap();
    let mut subscriber = daemon.connect();
    subscriber
        .call_value(
            "session.subscribe",
            &json!({"session": session, "text": true}),
        )
        .unwrap();
    connection
        .call_value("session.send", &json!({"session": session, "text": "go\r"}))
        .unwrap();
    let mut follower = Follower::new(8);
    let mut text = String::new();
    while follower.ended.is_none() {
        let item = subscriber.next_item().unwrap();
        text += item["text"].as_str().unwrap_or_default();
        follower.take(&item);
    }
    assert_eq!(follower.bytes, b"go\r\nafter\r\n");
    assert_eq!(text, "go\nafter\n");
}

#[test]
fn an_ended_session_is_replayed_from_its_log_and_ends() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    // More than memory keeps, so that most of it comes from the log.
    let session = connection.start_session(&["sh", "-c", "seq 1 800000"]);
    wait_for_end(&mut connection, &session);
    let expected = read_all(&mut connection, &session, 0);
    assert_eq!(expected.len(), 6_288_895);
    for since in [0, 1_000_000, expected.len()] {
        let mut subscriber = daemon.connect();
        subscriber
            .call_value(
                "session.subscribe",
                &json!({"session": session, "since": since}),
            )
            .unwrap();
        let mut follower = Follower::new(since as u64);
        follower.follow_to_the_end(&mut subscriber);
        assert!(follower.bytes == expected[since..], "since {since}");
    }
}

#[test]
fn a_slow_subscriber_is_told_what_it_missed_and_stalls_nobody() {
    const FLOOD_BYTES: u64 = 50_000_000;
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let script = format!("read go; yes 0123456789abcdef | head -c {FLOOD_BYTES}; read stop");
    let params = json!({"program": "sh", "args": ["-c", script], "plain": true, "persist": true});
    let session = connection.call_value("session.create", &params).unwrap()["session_id"].clone();
    let session = session.as_str().unwrap();
    let mut slow = daemon.connect();
    slow.call_value("session.subscribe", &json!({"session": session}))
        .unwrap();
    let mut late = daemon.connect();
    late.call_value(
        "session.subscribe",
        &json!({"session": session, "since": 0}),
    )
    .unwrap();
    connection
        .call_value("session.send", &json!({"session": session, "text": "go\n"}))
        .unwrap();
    // During the flood, other requests are answered, while nobody reads the slow connection.
    let mut longest = Duration::ZERO;
    eventually("the program has written everything", || {
        let asked = Instant::now();
        let record = connection
            .call_value("session.get", &json!({"session": session}))
            .unwrap();
        longest = longest.max(asked.elapsed());
        (record["output"]["output_bytes"] == FLOOD_BYTES).then_some(())
    });
    assert!(
        longest < Duration::from_secs(5),
        "another connection waited {longest:?}"
    );
    let record = connection
        .call_value("session.get", &json!({"session": session}))
        .unwrap();
    let mut follower = Follower::new(0);
    while follower.lagged.is_empty() {
        let item = slow.next_item().expect("it should have missed something");
        follower.take(&item);
    }
    connection
        .call_value(
            "session.send",
            &json!({"session": session, "text": "stop\n"}),
        )
        .unwrap();
    follower.follow_to_the_end(&mut slow);
    let missed: u64 = follower.lagged.iter().map(|(from, to)| to - from).sum();
    assert_eq!(missed + follower.bytes.len() as u64, FLOOD_BYTES);
    // The skipped output can be read, unless the disk could not keep up and it is missing from the log too.
    let (from, to) = follower.lagged[0];
    let len = (to - from).min(1000);
    let params = json!({"session": session, "since": from, "max_bytes": len, "raw": true});
    let piece = connection.call_value("session.read", &params).unwrap();
    let data = STANDARD
        .decode(piece["data_b64"].as_str().unwrap())
        .unwrap();
    let is_logged = record["output"]["gaps"].is_null();
    let expected: Vec<u8> = b"0123456789abcdef\n"
        .iter()
        .copied()
        .cycle()
        .skip(from as usize % 17)
        .take(len as usize)
        .collect();
    assert!(data == expected || !is_logged, "{piece}");
    let mut follower = Follower::new(0);
    follower.follow_to_the_end(&mut late);
    let got = follower.bytes.len() as u64
        + follower
            .lagged
            .iter()
            .map(|(from, to)| to - from)
            .sum::<u64>();
    assert_eq!(got, FLOOD_BYTES);
}

#[test]
fn nothing_comes_after_unsubscribing() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["cat"]);
    for by_name in [false, true] {
        let id = connection
            .call_value("session.subscribe", &json!({"session": session}))
            .unwrap();
        let send = json!({"session": session, "text": "one\r", "expect": {"patterns": [{"exact": "one\none\n"}]}});
        connection.call_value("session.send", &send).unwrap();
        let item = connection.next_item().unwrap();
        assert_eq!(item["seq"], 0);
        let params = if by_name {
            json!({"subscription": id})
        } else {
            json!([id])
        };
        assert_eq!(
            connection.call_value("session.unsubscribe", &params),
            Ok(json!(true))
        );
        assert_eq!(
            connection.call_value("session.unsubscribe", &params),
            Ok(json!(false))
        );
        while connection.take_notification().is_some() {}
        let send = json!({"session": session, "text": "two\r", "expect": {"patterns": [{"exact": "two\ntwo\n"}]}});
        connection.call_value("session.send", &send).unwrap();
        assert_eq!(connection.take_notification(), None);
    }
}

#[test]
fn several_subscribers_get_the_same() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["sh", "-c", "read go; seq 1 2000"]);
    let mut subscribers: Vec<Connection> = (0..5).map(|_| daemon.connect()).collect();
    for subscriber in &mut subscribers {
        subscriber
            .call_value("session.subscribe", &json!({"session": session}))
            .unwrap();
    }
    connection
        .call_value("session.send", &json!({"session": session, "text": "go\r"}))
        .unwrap();
    wait_for_end(&mut connection, &session);
    let expected = read_all(&mut connection, &session, 0);
    for subscriber in &mut subscribers {
        let mut follower = Follower::new(0);
        follower.follow_to_the_end(subscriber);
        assert_eq!(follower.bytes, expected);
    }
}

#[test]
fn what_cannot_be_subscribed_to_is_an_error() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["cat"]);
    for (params, expected) in [
        (json!({"session": "nobody"}), "session_not_found"),
        (json!({"session": "../x"}), "invalid_argument"),
        (
            json!({"session": session, "since": 1_000_000}),
            "invalid_argument",
        ),
        (json!({"session": session, "since": -1}), "invalid_params"),
        (json!({}), "invalid_params"),
    ] {
        let error = connection
            .call_value("session.subscribe", &params)
            .unwrap_err();
        assert_eq!(kind(&error), expected, "{params}: {error}");
    }
}

#[test]
fn a_subscriber_that_leaves_is_forgotten() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["cat"]);
    let mut leaving = daemon.connect();
    leaving
        .call_value("session.subscribe", &json!({"session": session}))
        .unwrap();
    drop(leaving);
    eventually("its connection is gone", || {
        let status = connection.call_value("daemon.status", &json!({})).unwrap();
        (status["connections"] == 1).then_some(())
    });
    let send = json!({"session": session, "text": "on\r", "expect": {"patterns": [{"exact": "on\non\n"}]}});
    connection.call_value("session.send", &send).unwrap();
}
