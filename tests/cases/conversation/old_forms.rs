//! What other versions and other programs wrote.

use super::library::{Library, assistant, inline, of_agent, record, user};
use crate::support::{assert_fields, assert_has};
use serde_json::json;

const SESSION: &str = "22222222-3333-4444-8555-666666666666";

#[test]
fn a_sub_agent_whose_records_do_not_say_whose_they_are_counts_once() {
    let library = Library::new();
    let result = json!([{"type": "tool_result", "tool_use_id": "t1", "content": "Found."}]);
    let mut told = record(SESSION, "r", json!({"role": "user", "content": result}));
    told["toolUseResult"] = json!({"usage": {"input_tokens": 10, "output_tokens": 5}});
    let lines = [
        assistant(SESSION, "c", "m1", "Looking.", 1),
        inline(user(SESSION, "s1", "Look"), json!(null)),
        inline(assistant(SESSION, "s2", "m2", "Found.", 5), json!(null)),
        told.to_string(),
    ];
    library.write(&library.path(SESSION), &lines);
    assert_eq!(library.tokens(), [20, 6, 10, 5]);
    let get = json!({"session": SESSION, "claude_dirs": [library.dir()]});
    let whole = library.call("conversation.get", get);
    let usage = json!({"total": {"input_tokens": 20}, "subagents": {"output_tokens": 5}});
    for reply in [&whole, &library.newest()] {
        assert_fields(&reply["usage"], usage.clone());
    }
}

#[test]
fn a_sub_agent_beside_its_session_is_no_conversation_of_its_own() {
    let library = Library::new();
    let main = [
        user(SESSION, "u1", "Hello"),
        assistant(SESSION, "c", "m1", "Looking.", 1),
    ];
    library.write(&library.path(SESSION), &main);
    let agent = assistant(SESSION, "s2", "m2", "Found a quokka.", 5);
    let beside = library.path(SESSION).with_file_name("agent-e5f6a7b8.jsonl");
    library.write(&beside, &[of_agent("e5f6a7b8", agent)]);
    assert_eq!(library.listed(), [SESSION]);
    assert_eq!(library.tokens(), [20, 6, 10, 5]);
    let quokka = json!({"query": "quokka", "session": SESSION});
    assert_eq!(library.found(quokka), ["s2"]);
    let stats = library.call("conversation.stats", json!({"by": "session"}));
    assert_eq!(stats["conversations"], 1);
    assert_eq!(stats["groups"].as_array().unwrap().len(), 1, "{stats}");
    let whole = library.get(SESSION);
    assert_eq!(whole["files"][1], json!(beside));
    for reply in [&whole, &library.newest()] {
        assert_eq!(reply["usage"], stats["usage"]);
    }
}

#[test]
fn half_an_emoji_a_byte_order_mark_and_colours_lose_no_word() {
    let library = Library::new();
    let lines = [
        format!("\u{feff}{}", user(SESSION, "u1", "first quokka")),
        user(SESSION, "u2", "cut HALF quokka").replace("HALF", "\\ud83d"),
        user(SESSION, "u3", "\u{1b}[31mFAILED\u{1b}[0m tests"),
    ];
    library.write(&library.path(SESSION), &lines);
    assert_eq!(library.found(json!({"query": "quokka"})), ["u1", "u2"]);
    assert_eq!(library.found(json!({"query": "failed"})), ["u3"]);
    let text = library.ok(&["show", SESSION]);
    assert_has(&text, ["first quokka", "cut \u{fffd} quokka"]);
    // A record is as it was written.
    let written = library.ok(&["record", SESSION, "u2"]);
    assert_eq!(written.trim_end(), lines[1]);
}
