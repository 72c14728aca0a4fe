//! What the keys `hooks.*` and `coach.*` of the configuration do.

use super::{events, failure, silent_hook};
use crate::support::eventually::throughout;
use crate::support::{Ccctl, Daemon};
use serde_json::{Value, json};
use std::time::Duration;

fn with(config: &Value) -> Daemon {
    Daemon::builder().config(&config.to_string()).start()
}

#[test]
fn hooks_that_are_switched_off_are_accepted_and_installed_with_timeout_and_size_of_the_spool() {
    let hooks = json!({"enabled": false, "timeout_ms": 50, "spool_bytes": 1 << 20});
    let daemon = with(&json!({"hooks": hooks}));
    silent_hook(
        &daemon,
        &failure("s", "t1", "make", "Exit code 1\nerror: x"),
    );
    assert!(!daemon.home().join("spool").exists());
    let ran = Ccctl::new(&daemon).run(&["coach", "status"]);
    assert!(ran.stdout.contains("key hooks.enabled"), "{}", ran.stdout);
    let mut install = Ccctl::new(&daemon).command(&["hooks", "install", "--project", "--dry-run"]);
    let output = install.current_dir(daemon.home()).output().unwrap();
    let diff = String::from_utf8(output.stdout).unwrap();
    assert!(
        diff.contains("hook --timeout-ms 50 --spool-bytes 1048576"),
        "{diff}"
    );
}

#[test]
fn payloads_and_events_are_kept_for_their_days() {
    let daemon = with(&json!({"hooks": {"keep_days": 1}, "coach": {"keep_event_days": 3}}));
    let old = |days: u64| {
        let at = std::time::SystemTime::now() - Duration::from_secs(days * 86_400);
        let seconds = at.duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
        let output = std::process::Command::new("date")
            .args(["-u", "+%FT%TZ", "-d", &format!("@{seconds}")])
            .output();
        String::from_utf8(output.unwrap().stdout)
            .unwrap()
            .trim()
            .to_owned()
    };
    for days in [0, 2, 4] {
        let payload = failure("s", &format!("t{days}"), "make", "Exit code 1\nerror: x");
        let params =
            json!({"delivery_id": format!("{days:032x}"), "at": old(days), "payload": payload});
        daemon.call_value("hook.post", &params).unwrap();
    }
    events(&daemon, 3);
    let job = daemon.call_value("daemon.check", &json!({})).unwrap()["job"].clone();
    let done = daemon
        .call_value("job.get", &json!({"job": job, "wait_ms": 20_000}))
        .unwrap();
    assert_eq!(done["state"], "done", "{done}");
    events(&daemon, 2);
    let forgotten = daemon
        .call_value("coach.forget", &json!({"session": "s"}))
        .unwrap();
    assert_eq!(
        (&forgotten["events"], &forgotten["payloads"]),
        (&json!(2), &json!(1))
    );
}

#[test]
fn friction_of_sessions_is_recorded_if_that_is_switched_on() {
    let daemon = with(&json!({}));
    let mut connection = daemon.connect();
    let mut friction = |id: &str| {
        let run = json!({"program": "sh", "args": ["-c", "exit 3"]});
        let ran = connection.call_value("run.once", &run).unwrap();
        assert_eq!(ran["exit_code"], 3);
        let session = connection.start_session(&["cat"]);
        let expect = json!({"session": session, "patterns": [{"exact": "never"}], "timeout_ms": 1});
        connection
            .call_value("session.expect", &expect)
            .unwrap_err();
        for _ in 0..3 {
            let send = json!({"session": session, "text": "retry", "newline": true});
            connection.call_value("session.send", &send).unwrap();
        }
        // The last thing that is noted, so everything before it is recorded.
        silent_hook(&daemon, &failure(id, id, "make", "Exit code 1\nerror: x"));
    };
    friction("t1");
    throughout(Duration::from_millis(600), || drop(events(&daemon, 1)));
    let config = json!({"coach": {"session_events": true}});
    std::fs::write(daemon.config_path(), config.to_string()).unwrap();
    daemon.call_value("daemon.reload", &json!({})).unwrap();
    friction("t2");
    let mut found: Vec<String> = events(&daemon, 5)[1..]
        .iter()
        .map(|event| {
            format!(
                "{} {}",
                event["signal_type"].as_str().unwrap(),
                event["context"]["action"].as_str().unwrap_or("bash")
            )
        })
        .collect();
    found.sort();
    assert_eq!(
        found,
        [
            "COMMAND_FAILURE bash",
            "COMMAND_FAILURE expect",
            "COMMAND_FAILURE run",
            "REPETITION send"
        ]
    );
}
