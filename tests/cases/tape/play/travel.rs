//! What matches by default, and what happens with a malformed tape.

use crate::support::conversation::{ask, converse, record};
use crate::support::session::{assert_error, lacks};
use crate::support::{Ccctl, eventually};
use crate::tape::config::{by_hand, configured, exchange, ghost, root, say, with};
use ccd_protocol::ErrorCode;
use serde_json::json;
use std::fs;

#[test]
fn what_changes_from_run_to_run_does_not_count() {
    let (daemon, options) = configured(json!({"strict": true}));
    let typed = |n: &str| {
        format!(
            "open /tmp/x.Ab{n} 123e4567-e89b-12d3-a456-42661417400{n} 0xdeadbee{n} 2026-01-02T03:04:0{n}Z"
        )
    };
    by_hand(
        &daemon,
        "[]",
        &[
            exchange(
                "> ",
                &typed("1"),
                "\\x1b[31merror \\x1b[0m 2026-01-02 03:04:05",
                0,
            ),
            exchange("> ", "order 1234", "sent", 0),
        ],
    );
    let begin = || {
        let session = ghost(&daemon, &options).unwrap();
        ask(&daemon, &session, (None, "> $")).unwrap();
        ask(&daemon, &session, (Some(&typed("2")), "error (?s:.*)> $")).unwrap();
        session
    };
    let session = begin();
    // A number is not an id.
    let error = ask(&daemon, &session, (Some("order 1235"), "sent")).unwrap_err();
    assert_error(&error, ErrorCode::TapeMiss);
    for end in ["\r", "\n", "\r\n", "  \r"] {
        let session = begin();
        let params = json!({"session": session, "text": format!("order 1234{end}")});
        daemon.call_value("session.send", &params).unwrap();
        ask(&daemon, &session, (None, "sent\n> $")).unwrap();
    }
}

#[test]
fn validate_tells_of_one_malformed_tape_and_its_status_says_so() {
    let (daemon, options) = configured(json!({}));
    by_hand(&daemon, "[]", &[exchange("> ", "go", "gone", 0)]);
    let ccctl = Ccctl::new(&daemon);
    let validate = || ccctl.run(&["tape", "validate"]);
    let all = validate();
    assert_eq!(all.code, Some(0), "{all:?}");
    let path = root(&daemon).join("by-hand.json5");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(
        root(&daemon).join("bad.json5"),
        text.replace("exchanges: [", "exchanges: [,"),
    )
    .unwrap();
    let one = eventually("the index has noticed the change", || {
        Some(validate()).filter(|ran| ran.code != Some(0))
    });
    assert_eq!(one.code, Some(1), "{one:?}");
    assert!(
        format!("{}{}", one.stdout, one.stderr).contains("bad.json5:4:"),
        "{one:?}"
    );
    let session = ghost(&daemon, &options).unwrap();
    say(&daemon, &session, "go", "gone").unwrap();
    fs::remove_file(root(&daemon).join("bad.json5")).unwrap();
    // Without `chunks`, an answer is empty; only `--strict` rejects that.
    let without = text.replace(
        "output: { chunks: [{ delay_ms: 0, dataText: \"hello\\r\\n> \" }] }",
        "output: {}",
    );
    assert_ne!(without, text);
    fs::write(&path, without).unwrap();
    eventually("the index has noticed the change", || {
        (validate().code == Some(0)).then_some(())
    });
    let strict = ccctl.run(&["tape", "validate", "--strict"]);
    assert_eq!(strict.code, Some(1), "{strict:?}");
    assert!(
        format!("{}{}", strict.stdout, strict.stderr).contains("chunks"),
        "{strict:?}"
    );
}

#[test]
fn a_tape_of_one_folder_plays_in_another() {
    if lacks(&["cat"]) {
        return;
    }
    let (daemon, options) = configured(json!({}));
    let steps = [
        (Some("same"), "same\nsame\n"),
        (Some("same"), "same\nsame\n$"),
    ];
    converse(
        &daemon,
        &["cat"],
        &with(&options, json!({"record": "new"})),
        &steps,
        "\u{4}",
    );
    let params = json!({"program": "cat", "cwd": "/usr", "tape": {"strict": true}});
    let session = daemon.call_value("session.create", &params).unwrap();
    let session = session["session_id"].as_str().unwrap();
    for _ in 0..2 {
        ask(&daemon, session, (Some("same"), "same\nsame\n$")).unwrap();
    }
    assert_eq!(record(&daemon, session)["tape"]["hits"], 3);
}
