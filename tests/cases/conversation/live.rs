//! What is added to conversations, as it happens.

use super::library::{Library, assistant, call, result, user};
use crate::support::Connection;
use serde_json::{Value, json};
use std::fs;
use std::time::{Duration, Instant};

const ONE: &str = "11111111-0000-4000-8000-000000000000";

/// A subscriber, which has its subscription once this returns.
fn subscribe(library: &Library, params: Value) -> Connection {
    let mut connection = library.daemon.connect();
    connection.ok("conversation.subscribe", &params);
    connection
}

/// Returns the next items in short, until one is `last`.
fn until(connection: &mut Connection, last: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    while found.last().is_none_or(|one| one != last) {
        let item = connection.next_item().unwrap();
        assert!(found.len() < 100, "{last} is not among {found:?}");
        found.push(short(&item));
    }
    found
}

fn short(item: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let below = match item["parent_tool_use_id"].as_str() {
        Some(parent) => format!("{parent}/"),
        None => String::new(),
    };
    match item["kind"].as_str().unwrap() {
        "record" => format!("{below}record {}", text(&item["record"]["uuid"])),
        "turn" if item["continued"] == true => format!("{below}more {}", text(&item["message_id"])),
        "turn" => format!("{below}turn {}", text(&item["turn"]["messageId"])),
        "pair" => {
            let pair = &item["pair"];
            let result = pair["toolResult"]["content"].as_str().unwrap_or("pending");
            let call = format!(
                "{} {}",
                text(&pair["toolUse"]["id"]),
                pair["toolUse"]["input"]
            );
            format!("{below}pair {call} {result}")
        }
        "usage" => format!("{below}usage {}", item["usage"]["output_tokens"]),
        "end" => format!("end {}", text(&item["end"]["reason"])),
        other => panic!("{other}"),
    }
}

#[test]
fn an_appended_line_becomes_a_record_a_turn_a_pair_and_tokens() {
    let library = Library::new();
    let path = library.path(ONE);
    let input = json!({"command": "make"});
    let call = call(ONE, "u2", "t1", "Bash", input);
    library.write(&path, &[user(ONE, "u1", "build it"), call]);
    let mut live = subscribe(&library, json!({"session": "1111"}));
    // Half a line is none; its call was made before.
    let line = format!("{}\n", result(ONE, "u3", "t1", "built", json!({})));
    library.append(&path, &line.as_bytes()[..50]);
    library.append(&path, &line.as_bytes()[50..]);
    library.add(&path, assistant(ONE, "u4", "m4", "Done.", 7));
    // The same message goes on, with the same tokens.
    library.add(&path, assistant(ONE, "u5", "m4", "Really.", 7));
    assert_eq!(
        until(&mut live, "more m4"),
        [
            "record u3",
            "pair t1 {\"command\":\"make\"} built",
            "record u4",
            "turn m4",
            "usage 7",
            "record u5",
            "more m4"
        ]
    );
    fs::remove_file(&path).unwrap();
    assert_eq!(until(&mut live, "end deleted"), ["end deleted"]);
}

#[test]
fn a_subscription_starts_with_the_last_turns_and_goes_on_where_another_ended() {
    let library = Library::new();
    let path = library.path(ONE);
    let lines: Vec<String> = (0..9)
        .map(|at| assistant(ONE, &format!("u{at}"), &format!("m{at}"), "x", 1))
        .collect();
    library.write(&path, &lines);
    let turns = json!(["turn"]);
    let mut live = subscribe(&library, json!({"last": 2, "kinds": turns}));
    let item = live.next_item().unwrap();
    assert_eq!((&short(&item)[..], &item["seq"]), ("turn m7", &json!(0)));
    let end = item["offset"].as_u64().unwrap() + item["length"].as_u64().unwrap();
    let from = json!({"from": {path.to_str().unwrap(): end}, "kinds": turns});
    let mut next = subscribe(&library, from);
    library.add(&path, assistant(ONE, "u9", "m9", "x", 1));
    assert_eq!(until(&mut next, "turn m9"), ["turn m8", "turn m9"]);
    assert_eq!(until(&mut live, "turn m9"), ["turn m8", "turn m9"]);
}

#[test]
fn a_file_that_is_written_anew_is_followed_from_its_start() {
    let library = Library::new();
    let path = library.daemon.home().join("run.log");
    library.write(&path, &[user(ONE, "u1", "one"), user(ONE, "u2", "two")]);
    let mut live = subscribe(&library, json!({"file": path, "kinds": ["turn", "end"]}));
    library.write(&path, &[user(ONE, "n1", "new")]);
    assert_eq!(until(&mut live, "turn n1"), ["end replaced", "turn n1"]);
    let result =
        json!({"type": "result", "subtype": "success", "is_error": true, "session_id": ONE});
    library.add(&path, result.to_string());
    let end = live.next_item().unwrap();
    assert_eq!(end["end"], json!({"reason": "result", "is_error": true}));
    assert_eq!(end["session_id"], ONE);
    // What cannot be followed is refused.
    for (params, kind) in [
        (json!({"session": "99999999"}), "conversation_not_found"),
        (json!({"file": "/no/such.jsonl"}), "conversation_not_found"),
        (json!({"file": "such.jsonl"}), "invalid_argument"),
        (
            json!({"session": "99999999", "project": "/srv"}),
            "invalid_argument",
        ),
    ] {
        live.refused("conversation.subscribe", &params, kind);
    }
}

#[test]
fn a_subscriber_that_does_not_read_delays_no_other() {
    let library = Library::new();
    let path = library.path(ONE);
    library.write(&path, &[user(ONE, "u0", "start")]);
    let mut slow = subscribe(&library, json!({"session": ONE, "kinds": ["turn"]}));
    let mut quick = subscribe(&library, json!({"session": ONE, "kinds": ["usage"]}));
    let text = "x".repeat(100_000);
    for at in 1..=200 {
        let line = assistant(ONE, &format!("u{at}"), &format!("m{at}"), &text, at);
        library.add(&path, line);
    }
    until_count(&mut quick, 200);
    // What it did not take is still there.
    until_count(&mut slow, 200);
}

fn until_count(connection: &mut Connection, count: u64) {
    for at in 1..=count {
        let item = connection.next_item().unwrap();
        assert_eq!(item["uuid"], json!(format!("u{at}")));
    }
}

#[test]
fn a_line_arrives_soon_after_it_was_written() {
    let library = Library::new();
    let path = library.path(ONE);
    library.write(&path, &[user(ONE, "u0", "start")]);
    let mut live = subscribe(&library, json!({"kinds": ["turn"]}));
    let mut times: Vec<Duration> = Vec::new();
    for at in 1..=100 {
        let line = user(ONE, &format!("u{at}"), "hello");
        let begun = Instant::now();
        library.add(&path, line);
        assert_eq!(live.next_item().unwrap()["uuid"], json!(format!("u{at}")));
        times.push(begun.elapsed());
    }
    times.sort();
    eprintln!("line to item: p50 {:?}, p99 {:?}", times[50], times[98]);
    // 20 ms is the aim; the machine may be busy.
    assert!(times[50] < Duration::from_millis(200), "{:?}", times[50]);
}
