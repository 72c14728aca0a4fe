use super::{ConversationChoice, Defaults, RequestError, RunRequest};
use ccd_policy::ToolMode;
use serde_json::{Value, json};
use std::time::Duration;

/// Parses a request with these parameters, and what every request needs.
fn parse(more: &Value) -> Result<RunRequest, RequestError> {
    let mut params = json!({"instruction": "Do it", "repo_path": "/p"});
    for (name, value) in more.as_object().unwrap() {
        params[name] = value.clone();
    }
    let defaults = Defaults {
        timeout: Duration::from_secs(600),
        lock_timeout: Duration::from_secs(300),
    };
    RunRequest::parse(serde_json::from_value(params).unwrap(), &defaults)
}

#[test]
fn defaults_are_those_of_the_seed() {
    let request = parse(&json!({})).unwrap();
    let limits = (request.timeout.as_secs(), request.lock_timeout.as_secs());
    assert_eq!(limits, (600, 300));
    assert_eq!(request.tools.mode, ToolMode::All);
    assert_eq!(request.conversation, ConversationChoice::New);
    assert_eq!((request.stall_timeout, request.max_turns), (None, None));
    assert_eq!(request.permission_mode, None);
}

#[test]
fn the_messages_are_those_of_the_seed() {
    let (empty, time) = (
        "Instruction cannot be empty",
        "Timeout must be between 1 and 3600 seconds",
    );
    let tools = "Cannot specify both allowed_tools and disallowed_tools";
    let conversation = "Cannot use both resume_session_id and continue_last";
    for (params, message) in [
        (json!({"instruction": ""}), empty),
        (json!({"instruction": " \n\t"}), empty),
        (json!({"instruction": "\u{3000}"}), empty),
        (json!({"timeout": 0}), time),
        (json!({"timeout": -1}), time),
        (json!({"timeout": 3601}), time),
        (json!({"timeout": i64::MIN}), time),
        (
            json!({"allowed_tools": ["Read"], "disallowed_tools": ["Bash"]}),
            tools,
        ),
        (
            json!({"resume_session_id": "x", "continue_last": true}),
            conversation,
        ),
    ] {
        assert_eq!(parse(&params).unwrap_err().to_string(), message, "{params}");
    }
}

#[test]
fn other_mistakes_are_named() {
    let long_rule = format!("Bash({}:*)", "a".repeat(70_000));
    for (params, part) in [
        (json!({"repo_path": null}), "repo_path is missing"),
        (json!({"repo_path": "a"}), "\"a\" is not an absolute path"),
        (json!({"allowed_tools": ["bash"]}), "Bash"),
        (json!({"max_turns": 0}), "between 1 and 4294967295 turns"),
        (json!({"lock_timeout": -1}), "between 0 and 86400 seconds"),
        (json!({"permission_mode": "x"}), "permission_mode \"x\""),
        (json!({"model": "--help"}), "--help"),
        (
            json!({"instruction": "a".repeat(10_000_001)}),
            "10000001 bytes",
        ),
        (json!({"allowed_tools": [long_rule]}), "longer"),
    ] {
        let message = parse(&params).unwrap_err().to_string();
        assert!(message.contains(part), "{part}: {message:.200}");
    }
}

#[test]
fn limits_and_names_are_accepted() {
    let params = json!({
        "timeout": 3600, "max_turns": 1, "permission_mode": "DONTASK", "continue_last": true,
        "disallowed_tools": ["Bash(rm:*)", "Bash(rm:*)"],
    });
    let request = parse(&params).unwrap();
    assert_eq!(request.timeout.as_secs(), 3600);
    assert_eq!(request.permission_mode, Some("dontAsk"));
    let tools = (request.tools.mode, request.tools.rules.len());
    assert_eq!(tools, (ToolMode::Blacklist, 1));
    assert_eq!(request.conversation, ConversationChoice::Last);
}
