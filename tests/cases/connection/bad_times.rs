//! Times that are invalid, huge or tiny.

use crate::support::Daemon;
use serde_json::json;

#[test]
fn negative_times_are_refused_everywhere_and_fractions_are_fine() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["cat"]);
    for time in [json!(-1), json!(-0.001), json!(-1e300)] {
        for (method, params) in [
            (
                "session.expect",
                json!({"session": session, "patterns": [{"exact": "x"}], "timeout_ms": time}),
            ),
            (
                "session.send",
                json!({"session": session, "text": "", "expect": {"patterns": [{"exact": "x"}], "timeout_ms": time}}),
            ),
            (
                "session.wait",
                json!({"session": session, "for": "exit", "timeout_ms": time}),
            ),
            (
                "session.wait",
                json!({"session": session, "for": "idle", "idle_ms": time}),
            ),
            (
                "session.run",
                json!({"session": session, "command": "true", "timeout_ms": time}),
            ),
            (
                "session.close",
                json!({"session": session, "grace_ms": time}),
            ),
            ("session.cleanup", json!({"max_age_s": time})),
            ("run.once", json!({"program": "true", "timeout_ms": time})),
        ] {
            connection.refused(method, &params, "invalid_argument");
        }
    }
    let record = connection
        .call_value("session.get", &json!({"session": session}))
        .unwrap();
    assert_eq!(
        (&record["state"], &record["output"]["output_bytes"]),
        (&json!("alive"), &json!(0))
    );
    for time in [json!(0.25), json!(1e-300), json!(12.5)] {
        let params = json!({"session": session, "patterns": [{"exact": "x"}], "timeout_ms": time});
        connection.refused("session.expect", &params, "expect_timeout");
    }
}

#[test]
fn huge_times_are_shortened_to_30_days_and_said_so() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    const THIRTY_DAYS_S: f64 = 30.0 * 24.0 * 3600.0;
    for time in [json!(2_592_001), json!(1e12), json!(1e300), json!(u64::MAX)] {
        let params = json!({"program": "cat", "timeout_s": time, "session_timeout_s": time, "max_session_runtime_s": time});
        let session = connection.call_value("session.create", &params).unwrap();
        for name in ["timeout", "session_timeout_s", "max_session_runtime_s"] {
            assert_eq!(session[name], THIRTY_DAYS_S, "{name}");
        }
        let warnings = session["warnings"].to_string();
        for name in ["timeout_s", "session_timeout_s", "max_session_runtime_s"] {
            assert!(
                warnings.contains(&format!("{name} was shortened to 30 days")),
                "{warnings}"
            );
        }
    }
    let session = connection.start_session(&["bash", "--norc"]);
    let job = connection.call_value("daemon.check", &json!({})).unwrap();
    let forever = 1e15;
    for (method, params) in [
        (
            "session.expect",
            json!({"session": session, "patterns": [{"regex": "."}], "timeout_ms": forever}),
        ),
        (
            "session.run",
            json!({"session": session, "command": "true", "timeout_ms": forever}),
        ),
        (
            "run.once",
            json!({"program": "true", "timeout_ms": forever}),
        ),
        ("job.get", json!({"job": job["job"], "wait_ms": forever})),
        (
            "session.close",
            json!({"session": session, "grace_ms": forever}),
        ),
        ("session.cleanup", json!({"max_age_s": forever})),
    ] {
        let reply = connection.call_value(method, &params).unwrap();
        let warning = reply["warnings"][0].as_str().unwrap_or_default();
        assert!(warning.contains("was shortened to"), "{method}: {reply}");
    }
}
