//! Records of other forms in a page: commands in Claude Code's markup, and sub-agents in reports of their progress.

use super::super::library::{Library, record, transcript};
use super::sample::{SESSION, open_page, row, with};
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
    let previews = page.texts(".row > .head .preview");
    assert_eq!(previews[0], "/fix issue 123");
    let rest = &previews[previews.len() - 5..];
    assert_eq!(
        rest,
        [
            "! git log",
            "Bye!",
            "Continue where it was cut",
            "<div>is not closed",
            "<command-name>/x</command-name>"
        ]
    );
    let roles = page.texts(".row > .head .role");
    assert_eq!(
        roles[roles.len() - 3..],
        ["Claude Code", "user", "assistant"]
    );
    let result = page.text(&format!("{} > .head .preview", row(3)));
    assert_eq!(result, "Read None.");
    page.click(&format!("{} > .head", row(2)));
    let nested = page.texts(&format!("{} .nested .preview", row(2)));
    assert_eq!(nested, ["Look for quokkas"]);
    // What the result says of the sub-agent's last message names no model.
    let tokens = page.text("#token-total");
    assert!(tokens.ends_with('+'), "{tokens}");
}
