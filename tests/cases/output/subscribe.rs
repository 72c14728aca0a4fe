//! Live output by subscription.

use crate::support::session::{OpenSession, decoded, program};
use crate::support::{Connection, Daemon, assert_fields, eventually};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ccd_protocol::session::SessionCreateParams;
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

    /// Returns how many bytes were received or reported as missed.
    fn counted_bytes(&self) -> u64 {
        let missed = self.lagged.iter().map(|(from, to)| to - from);
        missed.sum::<u64>() + self.bytes.len() as u64
    }
}

/// Starts a shell without a limit on its output.
fn shell<'a>(daemon: &'a Daemon, script: &str) -> OpenSession<'a> {
    daemon.open_with(&SessionCreateParams {
        persist: Some(true),
        ..program(daemon, "sh", &["-c", script])
    })
}

/// Returns a connection that has subscribed to a session.
fn subscribed(session: &OpenSession<'_>, more: Value) -> Connection {
    let mut params = json!({ "session": session.id() });
    params
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    let mut connection = session.daemon.connect();
    connection.ok("session.subscribe", &params);
    connection
}

#[test]
fn items_continue_each_other_and_equal_what_read_gives() {
    let daemon = Daemon::start();
    let script = "read start; i=0; while [ $i -lt 300 ]; do echo line $i; i=$((i+1)); done; printf '\\377\\0end'; exit 7";
    let session = shell(&daemon, script);
    let mut all: Vec<_> = (0..5)
        .map(|_| subscribed(&session, json!({"since": 0})))
        .collect();
    session.text("go\r");
    for subscriber in &mut all {
        let mut follower = Follower::new(0);
        follower.follow_to_the_end(subscriber);
        assert_eq!(follower.bytes, session.bytes());
        assert!(follower.bytes.ends_with(b"line 299\r\n\xff\0end"));
        let ended = json!({"exitstatus": 7, "end_reason": "exited"});
        assert_fields(follower.ended.as_ref().unwrap(), ended);
        assert!(follower.lagged.is_empty());
    }
}

#[test]
fn without_since_only_what_is_new_comes() {
    let daemon = Daemon::start();
    let session = shell(&daemon, "echo before; read go; echo after");
    session.expect("before\n");
    let mut subscriber = subscribed(&session, json!({"text": true}));
    session.text("go\r");
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
    // More than memory keeps, so that most of it comes from the log.
    let session = shell(&daemon, "seq 1 800000");
    session.ended();
    let expected = session.bytes();
    assert_eq!(expected.len(), 6_288_895);
    for since in [0, 1_000_000, expected.len()] {
        let mut subscriber = subscribed(&session, json!({ "since": since }));
        let mut follower = Follower::new(since as u64);
        follower.follow_to_the_end(&mut subscriber);
        assert!(follower.bytes == expected[since..], "since {since}");
    }
}

#[test]
fn a_slow_subscriber_is_told_what_it_missed_and_stalls_nobody() {
    const FLOOD_BYTES: u64 = 50_000_000;
    let daemon = Daemon::start();
    let script = format!("read go; yes 0123456789abcdef | head -c {FLOOD_BYTES}; read stop");
    let session = daemon.open_with(&SessionCreateParams {
        plain: true,
        persist: Some(true),
        ..program(&daemon, "sh", &["-c", &script])
    });
    let mut slow = subscribed(&session, json!({}));
    let mut late = subscribed(&session, json!({"since": 0}));
    session.text("go\n");
    // During the flood, other requests are answered, while nobody reads the slow connection.
    let mut longest = Duration::ZERO;
    let output = eventually("the program has written everything", || {
        let asked = Instant::now();
        let output = session.now().output;
        longest = longest.max(asked.elapsed());
        (output.output_bytes == FLOOD_BYTES).then_some(output)
    });
    assert!(
        longest < Duration::from_secs(5),
        "another waited {longest:?}"
    );
    let mut follower = Follower::new(0);
    while follower.lagged.is_empty() {
        let item = slow.next_item().expect("it should have missed something");
        follower.take(&item);
    }
    session.text("stop\n");
    follower.follow_to_the_end(&mut slow);
    assert_eq!(follower.counted_bytes(), FLOOD_BYTES);
    // The skipped output can be read, unless the disk could not keep up and it is missing from the log too.
    let (from, to) = follower.lagged[0];
    let len = (to - from).min(1000);
    let piece = decoded(&session.read_raw(from, len));
    let line = b"0123456789abcdef\n".iter().copied().cycle();
    let expected = line.skip(from as usize % 17).take(len as usize);
    assert!(expected.eq(piece) || !output.gaps.is_empty());
    let mut follower = Follower::new(0);
    follower.follow_to_the_end(&mut late);
    assert_eq!(follower.counted_bytes(), FLOOD_BYTES);
}

#[test]
fn nothing_comes_after_unsubscribing() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["cat"]);
    let says = |connection: &mut Connection, word: &str| {
        let patterns = json!([{"exact": format!("{word}\n{word}\n")}]);
        let send = json!({"session": session, "text": format!("{word}\r"), "expect": {"patterns": patterns}});
        connection.ok("session.send", &send);
    };
    for by_name in [false, true] {
        let id = connection.ok("session.subscribe", &json!({ "session": session }));
        says(&mut connection, "one");
        assert_eq!(connection.next_item().unwrap()["seq"], 0);
        let named = json!({ "subscription": id });
        let params = if by_name { named } else { json!([id]) };
        for is_subscribed in [true, false] {
            let reply = connection.ok("session.unsubscribe", &params);
            assert_eq!(reply, is_subscribed);
        }
        while connection.take_notification().is_some() {}
        says(&mut connection, "two");
        assert_eq!(connection.take_notification(), None);
    }
}

#[test]
fn what_cannot_be_subscribed_to_is_an_error() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["cat"]);
    let late = json!({"session": session, "since": 1_000_000});
    for (params, expected) in [
        (json!({"session": "nobody"}), "session_not_found"),
        (json!({"session": "../x"}), "invalid_argument"),
        (late, "invalid_argument"),
        (json!({"session": session, "since": -1}), "invalid_params"),
        (json!({}), "invalid_params"),
    ] {
        connection.refused("session.subscribe", &params, expected);
    }
}

#[test]
fn a_subscriber_that_leaves_is_forgotten() {
    let daemon = Daemon::start();
    let session = daemon.open("cat", &[]);
    drop(subscribed(&session, json!({})));
    eventually("its connection is gone", || {
        let status = daemon.ok("daemon.status", &json!({}));
        (status["connections"] == 1).then_some(())
    });
    session.ask("on", "on\non\n");
}
