//! Conversations that begin with a slash command: nobody sees the markup that Claude Code keeps it in.

use super::library::{Library, assistant, record, user};
use serde_json::json;
use std::fs;

const SESSION: &str = "33333333-4444-4555-8666-777777777777";
const FIX: &str = "<command-message>fix</command-message>\n<command-name>/fix</command-name>\n<command-args>issue 123</command-args>";

fn library() -> Library {
    let library = Library::new();
    let thinking = json!([{"type": "thinking", "thinking": "Which quokka?"}, {"type": "thinking", "thinking": ""},
        {"type": "text", "text": "I look."}]);
    let lines = [
        user(SESSION, "u1", FIX),
        record(
            SESSION,
            "u2",
            json!({"id": "m1", "role": "assistant", "content": thinking}),
        )
        .to_string(),
        user(SESSION, "u3", "What was before").replace(
            "\"isSidechain\"",
            "\"isCompactSummary\":true,\"isSidechain\"",
        ),
        user(SESSION, "u4", "<bash-input>git log</bash-input>"),
        user(
            SESSION,
            "u5",
            "<bash-stdout>one commit</bash-stdout><bash-stderr></bash-stderr>",
        ),
        user(SESSION, "u6", "continue"),
        assistant(SESSION, "u7", "m2", "Done.", 5),
    ];
    library.write(&library.path(SESSION), &lines);
    library
}

#[test]
fn a_slash_command_is_title_and_text_as_it_was_typed() {
    let library = library();
    let list = library.call("conversation.list", json!({}));
    assert_eq!(list["conversations"][0]["title"], "/fix issue 123");
    let markdown = library.daemon.home().join("talk.md");
    let page = library.daemon.home().join("page.html");
    library.ok(&["export", SESSION, "--markdown", markdown.to_str().unwrap()]);
    library.ok(&["export", SESSION, "--html", page.to_str().unwrap()]);
    let shown = library.ok(&["show", SESSION]);
    let markdown = fs::read_to_string(markdown).unwrap();
    for (name, text) in [("show", &shown), ("markdown", &markdown)] {
        assert!(text.contains("/fix issue 123"), "{name}: {text}");
        for markup in ["<command-", "&lt;command-", "<bash-", "bash-stdout"] {
            assert!(!text.contains(markup), "{name}: {markup}: {text}");
        }
    }
    assert!(shown.contains("title       /fix issue 123\n"), "{shown}");
    let summary = "\nClaude Code  2026-03-01 08:00:02\nWhat was before\n";
    assert!(shown.contains(summary), "{shown}");
    assert!(
        markdown.contains("\n## Claude Code · 2026-03-01 08:00:02\n"),
        "{markdown}"
    );
    assert!(
        shown.contains("\n! git log\n") && shown.contains("\none commit\n"),
        "{shown}"
    );
    assert!(
        fs::read_to_string(page)
            .unwrap()
            .contains("\"title\":\"/fix issue 123\"")
    );
}

#[test]
fn a_search_finds_what_was_typed_and_none_of_the_markup() {
    let library = library();
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
    let record = library.ok(&["record", SESSION, "u1"]);
    assert!(record.contains("<command-name>"), "{record}");
}

#[test]
fn thinking_is_marked() {
    let shown = library().ok(&["show", SESSION]);
    assert!(
        shown.contains("\n[thinking] Which quokka?\nI look.\n"),
        "{shown}"
    );
}
