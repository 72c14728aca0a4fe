//! What matches by default.

use crate::support::conversation::ask;
use crate::support::session::assert_error;
use crate::tape::config::{by_hand, configured, exchange, ghost};
use ccd_protocol::ErrorCode;
use serde_json::json;

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
