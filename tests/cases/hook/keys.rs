//! What the keys `hooks.*` and `coach.*` of the configuration do.

use super::{events, failure, silent_hook};
use crate::support::eventually::throughout;
use crate::support::{Ccctl, Daemon, assert_fields, assert_has};
use serde_json::{Value, json};
use std::process::Command;
use std::time::Duration;

/// A command that failed.
fn fails(session: &str, id: &str) -> Value {
    failure(session, id, "make", "Exit code 1\nerror: x")
}

fn with(config: &Value) -> Daemon {
    Daemon::with_config(&config.to_string())
}

#[test]
fn hooks_that_are_switched_off_are_accepted_and_installed_with_timeout_and_size_of_the_spool() {
    let hooks = json!({"enabled": false, "timeout_ms": 50, "spool_bytes": 1 << 20});
    let daemon = with(&json!({"hooks": hooks}));
    silent_hook(&daemon, &fails("s", "t1"));
    assert!(!daemon.home().join("spool").exists());
    let client = Ccctl::new(&daemon);
    let status = client.run(&["coach", "status"]).stdout;
    assert!(status.contains("key hooks.enabled"), "{status}");
    let install = ["hooks", "install", "--project", "--dry-run"];
    let diff = client.run_in(daemon.home(), &install).stdout;
    assert_has(&diff, ["hook --timeout-ms 50 --spool-bytes 1048576"]);
}

#[test]
fn payloads_and_events_are_kept_for_their_days() {
    let daemon = with(&json!({"hooks": {"keep_days": 1}, "coach": {"keep_event_days": 3}}));
    for days in [0, 2, 4] {
        let mut date = Command::new("date");
        date.args(["-u", "+%FT%TZ", "-d", &format!("{days} days ago")]);
        let at = String::from_utf8(date.output().unwrap().stdout).unwrap();
        let (id, payload) = (format!("{days:032x}"), fails("s", &format!("t{days}")));
        let params = json!({"delivery_id": id, "at": at.trim(), "payload": payload});
        daemon.ok("hook.post", &params);
    }
    events(&daemon, 3);
    let job = daemon.ok("daemon.check", &json!({}))["job"].clone();
    let done = daemon.ok("job.get", &json!({"job": job, "wait_ms": 20_000}));
    assert_eq!(done["state"], "done", "{done}");
    events(&daemon, 2);
    let forgotten = daemon.ok("coach.forget", &json!({"session": "s"}));
    assert_fields(&forgotten, json!({"events": 2, "payloads": 1}));
}

#[test]
fn friction_of_sessions_is_recorded_if_that_is_switched_on() {
    let daemon = with(&json!({}));
    let mut connection = daemon.connect();
    let mut friction = |id: &str| {
        let run = json!({"program": "sh", "args": ["-c", "exit 3"]});
        let ran = connection.ok("run.once", &run);
        assert_eq!(ran["exit_code"], 3);
        let session = connection.start_session(&["cat"]);
        let expect = json!({"session": session, "patterns": [{"exact": "never"}], "timeout_ms": 1});
        connection.error("session.expect", &expect);
        for _ in 0..3 {
            let send = json!({"session": session, "text": "retry", "newline": true});
            connection.ok("session.send", &send);
        }
        // The last thing that is noted, so everything before it is recorded.
        silent_hook(&daemon, &fails(id, id));
    };
    friction("t1");
    throughout(Duration::from_millis(600), || drop(events(&daemon, 1)));
    let config = json!({"coach": {"session_events": true}});
    std::fs::write(daemon.config_path(), config.to_string()).unwrap();
    daemon.ok("daemon.reload", &json!({}));
    friction("t2");
    let told = |event: &Value| {
        let action = event["context"]["action"].as_str().unwrap_or("bash");
        format!("{} {action}", event["signal_type"].as_str().unwrap())
    };
    let mut found: Vec<String> = events(&daemon, 5)[1..].iter().map(told).collect();
    found.sort();
    let expected = [
        "COMMAND_FAILURE bash",
        "COMMAND_FAILURE expect",
        "COMMAND_FAILURE run",
        "REPETITION send",
    ];
    assert_eq!(found, expected);
}
