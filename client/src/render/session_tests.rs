//! How sessions look.

use super::*;
use crate::render::printer::printed;
use ccd_base::clock;
use serde_json::json;
use std::time::{Duration, SystemTime};

/// The time so many seconds ago.
pub(crate) fn ago(seconds: u64) -> String {
    clock::at(SystemTime::now() - Duration::from_secs(seconds))
}

/// The record of a session that started more than an hour ago.
pub(crate) fn record(changes: &Value) -> Value {
    let mut record = json!({
        "session_id": "k3", "name": null, "program": "sh", "args": ["-c", "it's"], "cwd": "/",
        "timeout": 30.0, "created_at": ago(3700), "last_activity": ago(3700), "persist": false, "encoding": "utf-8",
        "pid": 7, "exitstatus": null, "signal": null, "state": "alive", "end_reason": null,
        "rows": 24, "cols": 80, "pipe": null, "waiting_for_input": null, "attached": [],
        "output": {"log_path": "/l", "output_lines": 1, "output_bytes": 2, "buffer_size": 2, "rotated_at": null},
        "config": null, "tape": null, "is_replay": false, "session_timeout_s": 300.0,
        "max_session_runtime_s": 3600.0, "shell": false, "transient": false,
    });
    for (key, value) in changes.as_object().unwrap() {
        record[key] = value.clone();
    }
    record
}

#[test]
fn a_record_leaves_out_what_is_empty_and_names_the_attached_clients() {
    let attached = json!([
        {"client": "ccctl", "pid": 7, "read_only": false, "since": "2026-01-02T03:04:05.678Z"},
        {"client": "ccctl", "pid": 8, "read_only": true, "since": "2026-01-02T03:04:05.678Z"},
    ]);
    let waiting = json!({"verdict": "blocked", "hidden": true, "how": "read"});
    let record = record(&json!({"waiting_for_input": waiting, "attached": attached}));
    let text = printed(|out| out.reply("session.get", &record));
    for line in [
        "waits for input blocked (read, hidden)\n",
        "idle timeout    300 s\n",
        "attached        ccctl[7], (ccctl[8])\n",
    ] {
        assert!(text.contains(line), "{text}");
    }
    assert!(!text.contains("name") && !text.contains("ended"), "{text}");
}

#[test]
fn a_session_ends_by_the_limits_that_it_has() {
    for (idle, runtime, persist, end) in [
        (0.0, 0.0, false, ""),
        (
            300.0,
            0.0,
            false,
            "after 300 s without input or output; --persist disables this limit",
        ),
        (
            0.0,
            60.0,
            false,
            "after 60 s; --persist disables this limit",
        ),
        // What was given already is no advice.
        (300.0, 60.0, true, "and after 60 s at the latest"),
    ] {
        let limits = json!({"session_timeout_s": idle, "max_session_runtime_s": runtime, "persist": persist});
        let told = will_end(&record(&limits));
        assert_eq!(told.is_empty(), end.is_empty());
        assert!(told.ends_with(end), "{told}");
    }
}

#[test]
fn history_shows_texts_in_quotes() {
    let row = json!({
        "id": "1", "session_id": "k3", "timestamp": "2026-01-02T03:04:05.678Z", "action": "SEND",
        "input_text": "a\n\u{1b}", "output_text": null, "pattern_matched": null,
        "client": "ccctl", "client_pid": 9, "start": 4, "end": 6,
    });
    let reply = json!({"interactions": [row]});
    assert_eq!(
        printed(|out| out.reply("session.history", &reply)),
        "2026-01-02T03:04:05Z  SEND  ccctl[9]  4-6  \"a\\n\\u{1b}\"\n"
    );
}
