//! How sessions look.

use super::*;
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
        (300.0, 60.0, true, "or after 60 s in any case"),
    ] {
        let limits = json!({"session_timeout_s": idle, "max_session_runtime_s": runtime, "persist": persist});
        let told = text("will end", &record(&limits));
        assert_eq!(told.is_empty(), end.is_empty());
        assert!(told.ends_with(end), "{told}");
    }
}
