//! What the keys `hooks.*` and `coach.*` of the configuration do.

use super::{events, failure, hook, silent_hook};
use crate::support::{Ccctl, Daemon, eventually};
use serde_json::{Value, json};

fn with(config: &Value) -> Daemon {
    Daemon::builder().config(&config.to_string()).start()
}

#[test]
fn timeout_and_size_of_the_spool_become_part_of_the_installed_command() {
    let daemon = with(&json!({"hooks": {"timeout_ms": 50, "spool_bytes": 1 << 20}}));
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
        let at = std::time::SystemTime::now() - std::time::Duration::from_secs(days * 86_400);
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
fn friction_of_sessions_is_recorded_unless_that_is_switched_off() {
    for is_on in [true, false] {
        let daemon = with(&json!({"coach": {"session_events": is_on}}));
        let mut connection = daemon.connect();
        let run = |connection: &mut crate::support::Connection, script: &str| {
            let params = json!({"program": "sh", "args": ["-c", script]});
            connection.call_value("run.once", &params).unwrap()
        };
        assert_eq!(run(&mut connection, "exit 3")["exit_code"], 3);
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
        silent_hook(
            &daemon,
            &failure("s", "t1", "make", "Exit code 1\nerror: x"),
        );
        if !is_on {
            crate::support::throughout(std::time::Duration::from_millis(600), || {
                drop(events(&daemon, 1))
            });
            continue;
        }
        let mut found: Vec<String> = events(&daemon, 4)
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
}

#[test]
fn guards_refuse_nothing_while_they_are_switched_off() {
    for is_on in [true, false] {
        let daemon = with(&json!({"coach": {"guards": is_on}}));
        silent_hook(
            &daemon,
            &failure(
                "s",
                "t1",
                "gh pr merge 7",
                "Exit code 1\nmerge queue is required",
            ),
        );
        let made = daemon.call_value("coach.aggregate", &json!({})).unwrap();
        let id = &made["candidates"][0]["id"];
        let cwd = daemon.home();
        daemon
            .call_value(
                "coach.approve",
                &json!({"id": id, "cwd": cwd, "scope": "global"}),
            )
            .unwrap();
        daemon
            .call_value("coach.guard", &json!({"id": id, "pattern": "^gh pr merge"}))
            .unwrap();
        let call = json!({
            "session_id": "s", "cwd": "/", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "t2",
            "tool_input": {"command": "gh pr merge 8"},
        });
        let ran = hook(&daemon, call.to_string().as_bytes());
        assert_eq!(ran.stdout.contains("deny"), is_on, "{}", ran.stdout);
        if is_on {
            eventually("the refusal is counted", || {
                let status = daemon.call_value("coach.status", &json!({})).ok()?;
                (status["guards"][0]["hits"] == 1).then_some(())
            });
        }
    }
}
