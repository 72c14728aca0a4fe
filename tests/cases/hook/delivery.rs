//! From a hook to an event.

use super::{events, failure, hook, prompt, silent_hook};
use crate::support::files::files_with;
use crate::support::secrets::TOKEN;
use crate::support::{Daemon, assert_has, eventually, kind};
use serde_json::json;

#[test]
fn a_hook_prints_nothing_and_its_signal_is_an_event_once_however_often_it_arrives() {
    let daemon = Daemon::start();
    let failed = failure("s", "t1", "make test", "Exit code 2\nerror: no rule");
    for _ in 0..3 {
        silent_hook(&daemon, &failed);
    }
    silent_hook(&daemon, &prompt("s", "p1", "no, use the other file"));
    silent_hook(&daemon, &prompt("s", "p2", "please go on"));
    let events = events(&daemon, 2);
    assert_eq!(events[0]["signal_type"], "COMMAND_FAILURE");
    assert_eq!(events[0]["event_type"], "tool");
    assert_eq!(events[0]["context"]["command"], "make test");
    assert_eq!(events[0]["context"]["exit_code"], 2);
    assert_eq!(events[1]["signal_type"], "USER_CORRECTION");
    assert_eq!(events[1]["event_type"], "pre");
    assert_eq!(events[1]["content"], "no, use the other file");
    eventually("both prompts are counted", || {
        let status = daemon.status();
        let mut hooks = status["hooks"]["events"].as_array().unwrap().iter();
        let prompts = hooks.find(|one| one["event"] == "UserPromptSubmit")?;
        (prompts["count"] == 2).then_some(())
    });
}

#[test]
fn no_secret_of_a_payload_reaches_a_file() {
    let daemon = Daemon::start();
    let said = format!("no, use {TOKEN} instead");
    silent_hook(&daemon, &prompt("s", "p1", &said));
    let command = format!("curl -H 'Authorization: Bearer {TOKEN}' x");
    let error = "Exit code 7\nfailed to connect";
    silent_hook(&daemon, &failure("s", "t1", &command, error));
    let events = events(&daemon, 2);
    assert_eq!(events[0]["content"], "no, use *** instead");
    eventually("the payloads have left the journal", || {
        let found = files_with(daemon.home(), TOKEN.as_bytes());
        found.is_empty().then_some(())
    });
}

#[test]
fn what_is_no_payload_costs_nothing_and_breaks_nothing() {
    let daemon = Daemon::start();
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(5000), "]".repeat(5000));
    for payload in [
        &b""[..],
        b"not json",
        b"{\"prompt\": \"cut of",
        b"\xff\xfe\x00",
        b"[]",
        b"{}",
        b"{\"hook_event_name\": 5, \"session_id\": [], \"prompt\": {}}",
        b"{\"hook_event_name\": \"UserPromptSubmit\", \"prompt\": \"\\ud83d no\"}",
        deep.as_bytes(),
    ] {
        let ran = hook(&daemon, payload);
        assert_eq!((ran.code, &*ran.stdout, &*ran.stderr), (Some(0), "", ""));
    }
    let large = prompt("s", "p1", &format!("no, {}", "x".repeat(10 << 20)));
    silent_hook(&daemon, &large);

    // Nor do wrong parameters.
    let post = |id: &str, at: &str, payload: &str| {
        let params = format!(r#"{{"delivery_id": "{id}", "at": "{at}", "payload": {payload}}}"#);
        let params = serde_json::from_str(&params).unwrap();
        daemon.call_value("hook.post", &params)
    };
    let (id, at) = ("0123456789abcdef0123456789abcdef", "2026-01-01T00:00:00Z");
    for (id, at, payload, expected) in [
        ("1", at, "{}", "invalid_argument"),
        (id, "now", "{}", "invalid_argument"),
        (id, at, "[]", "hook_payload_invalid"),
    ] {
        assert_eq!(kind(&post(id, at, payload).unwrap_err()), expected);
    }
    assert_eq!(post(id, at, "{}").unwrap(), json!({}));
    let events = events(&daemon, 1);
    assert!(events[0]["content"].as_str().unwrap().chars().count() <= 500);
    let status = daemon.ok("coach.status", &json!({}));
    assert_has(&status["problems"][0], ["could not be read"]);
}
