//! How sessions look.

use super::*;
use crate::render::printer::printed;
use serde_json::json;

pub(crate) fn record(changes: &serde_json::Value) -> Session {
    let mut record = json!({
        "session_id": "k3", "name": null, "program": "sh", "args": ["-c", "it's"], "cwd": "/",
        "timeout": 30.0, "created_at": "2026-01-02T03:04:05.678Z",
        "last_activity": "2026-01-02T03:04:05.678Z", "persist": false, "encoding": "utf-8",
        "pid": 7, "exitstatus": null, "signal": null, "state": "alive", "end_reason": null,
        "rows": 24, "cols": 80, "pipe": null, "waiting_for_input": null, "attached": [],
        "output": {"log_path": "/l", "output_lines": 1, "output_bytes": 2, "buffer_size": 2, "rotated_at": null},
        "config": null, "tape": null, "is_replay": false, "session_timeout_s": 300.0,
        "max_session_runtime_s": 3600.0, "shell": false, "transient": false,
    });
    for (key, value) in changes.as_object().unwrap() {
        record[key] = value.clone();
    }
    serde_json::from_value(record).unwrap()
}

#[test]
fn a_record_leaves_out_what_is_empty() {
    let waiting = json!({"verdict": "blocked", "hidden": true, "how": "read"});
    let record = record(&json!({"waiting_for_input": waiting}));
    let text = printed(|out| session(&record, out));
    assert!(
        text.contains("waits for input blocked (read, hidden)\n"),
        "{text}"
    );
    assert!(text.contains("idle timeout    300 s\n"), "{text}");
    assert!(!text.contains("name") && !text.contains("ended"), "{text}");
}

#[test]
fn a_record_names_the_attached_clients() {
    let attached = json!([
        {"client": "ccctl", "pid": 7, "read_only": false, "since": "2026-01-02T03:04:05.678Z"},
        {"client": "ccctl", "pid": 8, "read_only": true, "since": "2026-01-02T03:04:05.678Z"},
    ]);
    let record = record(&json!({ "attached": attached }));
    let text = printed(|out| session(&record, out));
    assert!(
        text.contains("attached        ccctl[7], (ccctl[8])\n"),
        "{text}"
    );
}

#[test]
fn an_end_by_a_signal_names_it() {
    assert_eq!(ended(None, Some(1)), "ended by signal 1 (HUP)");
    assert_eq!(ended(None, Some(64)), "ended by signal 64");
    assert_eq!(ended(Some(3), None), "exited 3");
    assert_eq!(ended(None, None), "ended");
}

#[test]
fn a_session_without_limits_does_not_end_by_itself() {
    let told = |idle: f64, runtime: f64| {
        will_end(&record(
            &json!({"session_timeout_s": idle, "max_session_runtime_s": runtime}),
        ))
    };
    assert_eq!(told(0.0, 0.0), None);
    assert!(told(300.0, 0.0).unwrap().contains("after 300 s without"));
    assert!(told(0.0, 60.0).unwrap().contains("after 60 s;"));
    assert!(
        told(300.0, 60.0)
            .unwrap()
            .contains("and after 60 s at the latest")
    );
}

#[test]
fn history_shows_texts_in_quotes() {
    let row = json!({
        "id": "1", "session_id": "k3", "timestamp": "2026-01-02T03:04:05.678Z", "action": "SEND",
        "input_text": "a\n\u{1b}", "output_text": null, "pattern_matched": null,
        "client": "ccctl", "client_pid": 9, "start": 4, "end": 6,
    });
    let rows = [serde_json::from_value(row).unwrap()];
    assert_eq!(
        printed(|out| history(&rows, out)),
        "2026-01-02T03:04:05Z  SEND  ccctl[9]  4-6  \"a\\n\\u{1b}\"\n"
    );
}

#[test]
fn what_was_given_already_is_no_advice() {
    let ends = |persist: bool| will_end(&record(&json!({"persist": persist}))).unwrap();
    assert!(ends(false).ends_with("; --persist disables this limit"));
    assert!(
        ends(true).ends_with("and after 3600 s at the latest"),
        "{}",
        ends(true)
    );
}
