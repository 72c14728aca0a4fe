//! Records of other forms in a page: commands in Claude Code's markup, and sub-agents in reports of their progress.

use super::super::library::{Library, record, transcript};
use super::sample::{SESSION, head, open_page, row, with};
use crate::support::assert_has;
use serde_json::json;

#[test]
fn a_command_is_as_it_was_typed_and_progress_is_a_sub_agent() {
    let command = "<command-message>fix</command-message>\n<command-name>/fix</command-name>\n<command-args>issue 123</command-args>";
    let mut progress = record(SESSION, "p1", json!({"role": "progress"}));
    progress["parentToolUseID"] = json!("t1");
    let message = json!({"role": "user", "content": "Look for quokkas"});
    progress["data"] = json!({"type": "agent_progress", "agentId": "a1", "message": {"type": "user", "uuid": "s1", "message": message}});
    let came = "<tools-used-before-summary>Read</tools-used-before-summary>\nNone.";
    let steps = json!([
        ["user", "u1", command],
        ["call", "u2", "t1", "Task", {"description": "Look"}],
        ["result", "u3", "t1", came, {"agentId": "a1", "usage": {"output_tokens": 9}}],
        ["user", "u4", "<bash-input>git log</bash-input>"],
        ["user", "u5", "<local-command-stdout>Bye!</local-command-stdout>"],
        ["user", "u8", "Continue where it was cut"],
        ["user", "u6", "<div>is not closed"],
        ["assistant", "u7", "m7", "<command-name>/x</command-name>", 1],
    ]);
    let mut lines = transcript(SESSION, steps);
    lines[5] = with(&lines[5], "/isMeta", json!(true));
    lines.insert(2, progress.to_string());
    let library = Library::new();
    library.write(&library.path(SESSION), &lines);
    let Some(mut opened) = open_page(library) else {
        return;
    };
    let page = &mut opened.page;
    assert_eq!(page.text("#title"), "/fix issue 123");
    let said = page.texts("#window > .row > .body");
    let said: Vec<&str> = said.iter().map(|text| text.trim()).collect();
    assert_eq!(
        said,
        [
            "/fix issue 123",
            "! git log",
            "<div>is not closed",
            "<command-name>/x</command-name>"
        ]
    );
    let labels = page.texts("#window > .row > .bar .label");
    assert_eq!(
        labels,
        ["You", "You", "Note", "Claude Code", "You", "Claude"]
    );
    let folded = page.texts("#window > .row:not(.open) > .bar .gist");
    assert_eq!(folded[1..], ["Bye!", "Continue where it was cut"]);
    page.click(&head(2));
    let shown = page.text(&format!("{} > .body", row(2)));
    assert_has(&shown, ["Look for quokkas", "Read\nNone."]);
    // What the result says of the sub-agent's last message names no model.
    let tokens = page.text("#cost");
    assert!(tokens.ends_with('+'), "{tokens}");
}
