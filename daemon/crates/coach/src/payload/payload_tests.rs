use super::{HookEvent, Payload, PayloadError};
use proptest::prelude::*;
use serde_json::json;

fn parse(value: &serde_json::Value) -> Payload {
    Payload::parse(value.to_string().as_bytes()).unwrap()
}

#[test]
fn a_result_has_its_exit_code_and_what_was_printed() {
    let payload = parse(&json!({
        "hook_event_name": "PostToolUseFailure", "session_id": "s", "cwd": "/p", "tool_name": "Bash",
        "tool_input": {"command": "make", "description": "Run"}, "error": "Exit code 2\nmake: no rule", "is_interrupt": false,
    }));
    assert_eq!(payload.event, HookEvent::PostToolUseFailure);
    assert_eq!(payload.call.command.as_deref(), Some("make"));
    assert_eq!(
        (payload.exit_code(), payload.stderr()),
        (Some(2), "make: no rule")
    );
    let whole = "File does not exist.\nReally.";
    let payload = parse(&json!({"hook_event_name": "PostToolUseFailure", "error": whole}));
    assert_eq!((payload.exit_code(), payload.stderr()), (None, whole));
    let succeeded =
        json!({"hook_event_name": "PostToolUse", "tool_response": {"stdout": "o", "stderr": "e"}});
    let payload = parse(&succeeded);
    assert_eq!((payload.exit_code(), payload.stderr()), (Some(0), "e"));
}

#[test]
fn wrong_types_and_missing_members_are_empty_and_an_unknown_event_is_accepted() {
    let payload = parse(&json!({
        "hook_event_name": 7, "session_id": null, "prompt": ["no"], "tool_input": "text", "tool_response": [1, {"a": 2}],
        "error": {"x": 1}, "is_interrupt": "yes", "tool_calls": {"a": 1},
    }));
    assert_eq!(payload.event, HookEvent::Other(String::new()));
    assert_eq!(payload, parse(&json!({})));
    let unknown = parse(&json!({"hook_event_name": "FileChanged"}));
    assert_eq!(unknown.event, HookEvent::Other("FileChanged".into()));
}

#[test]
fn the_calls_of_a_batch_are_read() {
    let payload = parse(&json!({"hook_event_name": "PostToolBatch", "tool_calls": [
        {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t", "tool_response": "Exit code 1"}, 5]}));
    assert_eq!(payload.batch.len(), 2);
    assert_eq!(payload.batch[0].answer.as_deref(), Some("Exit code 1"));
}

#[test]
fn what_is_no_json_object_is_refused_with_its_reason() {
    let error = |bytes: &[u8]| Payload::parse(bytes).unwrap_err();
    for text in [&b""[..], b"{\"prompt\": \"no", b"\x00\x01\x02"] {
        assert!(matches!(error(text), PayloadError::NotJson(_)));
    }
    assert!(matches!(error(b"[1]"), PayloadError::NotAnObject));
    assert_eq!(
        error(b"{").to_string(),
        "the hook payload is not JSON: line 1, column 1"
    );
}

#[test]
fn deep_nesting_is_an_error_wherever_it_is() {
    let deep = "[".repeat(1_000_000);
    for text in [
        deep.clone(),
        format!("{{\"other\": {deep}"),
        format!("{{\"tool_input\": {}", "{\"a\":".repeat(100_000)),
    ] {
        assert!(matches!(
            Payload::parse(text.as_bytes()),
            Err(PayloadError::NotJson(_))
        ));
    }
}

proptest! {
    #[test]
    fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = Payload::parse(&bytes);
    }

    #[test]
    fn any_error_text_can_be_split(error in "(?s)(Exit code )?-?[0-9]{0,12}.{0,40}") {
        let payload = parse(&json!({"hook_event_name": "PostToolUseFailure", "error": error}));
        let _ = (payload.exit_code(), payload.stderr());
    }
}
