//! Conversations that begin with a slash command: nobody sees the markup that Claude Code keeps it in.

use super::library::{Library, assistant, record, user};
use crate::support::{assert_has, assert_lacks};
use serde_json::json;

const SESSION: &str = "33333333-4444-4555-8666-777777777777";
const FIX: &str = "<command-message>fix</command-message>\n<command-name>/fix</command-name>\n<command-args>issue 123</command-args>";

fn library() -> Library {
    let library = Library::new();
    let thinking = json!([{"type": "thinking", "thinking": "Which quokka?"}, {"type": "thinking", "thinking": ""},
        {"type": "text", "text": "I look."}]);
    let message = json!({"id": "m1", "role": "assistant", "content": thinking});
    let side = "\"isSidechain\"";
    let printed = "<bash-stdout>one commit</bash-stdout><bash-stderr></bash-stderr>";
    let lines = [
        user(SESSION, "u1", FIX),
        record(SESSION, "u2", message).to_string(),
        user(SESSION, "u3", "What was before")
            .replace(side, &format!("\"isCompactSummary\":true,{side}")),
        user(SESSION, "u4", "<bash-input>git log</bash-input>"),
        user(SESSION, "u5", printed),
        user(SESSION, "u6", "continue"),
        assistant(SESSION, "u7", "m2", "Done.", 5),
    ];
    library.write(&library.path(SESSION), &lines);
    library
}

#[test]
fn a_slash_command_is_title_and_text_as_it_was_typed_and_found_as_that() {
    let library = library();
    assert_eq!(library.newest()["title"], "/fix issue 123");
    let export = |form: &str| library.ok(&["export", SESSION, form, "-"]);
    let (shown, markdown) = (library.ok(&["show", SESSION]), export("--markdown"));
    for text in [&shown, &markdown] {
        assert_has(text, ["/fix issue 123"]);
        assert_lacks(text, ["<command-", "&lt;command-", "<bash-", "bash-stdout"]);
    }
    let summary = "\nClaude Code  2026-03-01 08:00:02\nWhat was before\n";
    assert_has(&shown, ["title       /fix issue 123\n", summary]);
    assert_has(&markdown, ["\n## Claude Code · 2026-03-01 08:00:02\n"]);
    assert_has(&shown, ["\n! git log\n", "\none commit\n"]);
    assert_has(&shown, ["\n[thinking] Which quokka?\nI look.\n"]);
    assert_has(&export("--html"), ["\"title\":\"/fix issue 123\""]);
    for (query, found) in [
        ("fix", &["u1"][..]),
        ("\"fix issue 123\"", &["u1"]),
        ("command", &[]),
        ("stdout", &[]),
        ("commit", &["u5"]),
    ] {
        assert_eq!(library.found(json!({"query": query})), found, "{query}");
    }
    let hits = library.call("conversation.search", json!({"query": "issue"}));
    assert_eq!(hits["hits"][0]["snippet"], "/fix issue 123");
    // The record is as it was written.
    assert_has(&library.ok(&["record", SESSION, "u1"]), ["<command-name>"]);
}
