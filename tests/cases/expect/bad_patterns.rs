//! Patterns and offsets that are invalid, or that would cost too much.

use crate::support::{Daemon, assert_fields, assert_has, kind};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

#[test]
fn an_invalid_regex_is_refused_with_its_place() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["cat"]);
    for (regex, position) in [
        ("ab(c", 2),
        ("[a", 0),
        ("a{2,1}", 1),
        ("x**y\\", 4),
        ("(?P<n>a)(?P<n>b)", 12),
    ] {
        let params = json!({"session": session, "patterns": [{"exact": "fine"}, {"regex": regex}]});
        let error = connection.call_value("session.expect", &params);
        let data = json!({"kind": "invalid_pattern", "index": 1, "position": position});
        assert_fields(&error.unwrap_err()["data"], data);
    }
    // Regular expressions that need backtracking are invalid.
    for regex in ["(a)\\1", "(?=a)b", "(?<!a)b"] {
        let params = json!({"session": session, "patterns": [{"regex": regex}]});
        connection.refused("session.expect", &params, "invalid_pattern");
    }
    for params in [
        json!([{"regexp": "a"}]),
        json!(["a"]),
        json!([{"regex": 5}]),
        json!([{"regex": "a", "exact": "b"}]),
    ] {
        let params = json!({"session": session, "patterns": params});
        connection.refused("session.expect", &params, "invalid_params");
    }
}

#[test]
fn patterns_beyond_what_is_sensible_are_refused_and_others_are_served_meanwhile() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["cat"]);
    let many = |count: usize| {
        (0..count)
            .map(|number| json!({"exact": format!("pattern {number};")}))
            .collect::<Vec<_>>()
    };
    let expect =
        |patterns: Vec<Value>| json!({"session": session, "patterns": patterns, "timeout_ms": 0});
    let message = connection.refused("session.expect", &expect(many(100_000)), "invalid_pattern");
    assert_has(&message.replace(',', ""), ["10000"]);
    connection.refused("session.expect", &expect(many(10_001)), "invalid_pattern");
    connection.refused("session.expect", &expect(Vec::new()), "invalid_pattern");
    let send = json!({"session": session, "text": "pattern 9999;\r", "expect": {"patterns": many(10_000)}});
    let sent = connection.ok("session.send", &send);
    assert_eq!(sent["expect"]["index"], 9999);
    let huge = expect(vec![json!({"regex": "(?:(?:\\w{100}){100}){100}"})]);
    let huge = connection.request("session.expect", &huge);
    let asked = Instant::now();
    daemon.ok("daemon.ping", &json!({}));
    assert!(asked.elapsed() < Duration::from_secs(30));
    let error = connection.answer(huge).unwrap_err();
    assert_eq!(kind(&error), "invalid_pattern", "{error}");
}

#[test]
fn offsets_beyond_the_output_are_refused() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["cat"]);
    for offset in [json!(1), json!(1_u64 << 60), json!(u64::MAX)] {
        let read = json!({"session": session, "since": offset});
        connection.refused("session.read", &read, "invalid_argument");
        let expect = json!({"session": session, "patterns": [{"exact": "x"}], "from": offset, "timeout_ms": 0});
        connection.refused("session.expect", &expect, "invalid_argument");
    }
    for offset in [json!(-1), json!(1.5), json!("0"), json!(1e30)] {
        let read = json!({"session": session, "since": offset});
        connection.refused("session.read", &read, "invalid_params");
    }
    let all = json!({"session": session, "lines": u64::MAX, "max_bytes": u64::MAX});
    assert_eq!(connection.ok("session.read", &all)["end"], 0);
}
