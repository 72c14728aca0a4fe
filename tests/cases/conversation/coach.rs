//! What the coach has recorded leads to the turn where it happened.

use super::library::Library;
use crate::hook::silent_hook;
use crate::support::{Ccctl, eventually};
use serde_json::{Value, json};

/// Payloads of hooks and the transcript of one real session.
const HOOKS: &str = include_str!("../../fixtures/claude_2.1.330/friction.hooks.jsonl");
const TRANSCRIPT: &str = include_str!("../../fixtures/claude_2.1.330/friction.transcript.jsonl");
const SESSION: &str = "6009a034-f045-4bba-aafd-3dc6f4af068e";

#[test]
fn an_event_has_the_command_that_shows_its_turn() {
    let library = Library::new();
    let lines: Vec<String> = TRANSCRIPT.lines().map(str::to_owned).collect();
    library.write(&library.path(SESSION), &lines);
    for payload in HOOKS.lines() {
        silent_hook(&library.daemon, &serde_json::from_str(payload).unwrap());
    }
    let find = |kind: &str, text: &str| {
        let listed = library.call("coach.events", json!({"limit": 1000, "type": kind}));
        let events = listed["events"].as_array().unwrap().clone();
        let is_it = |event: &Value| event.to_string().contains(text);
        events.into_iter().find(is_it)
    };
    let correction = eventually("the correction was recorded", || {
        find("USER_CORRECTION", "Regenerate")
    });
    let failure = find("COMMAND_FAILURE", "npx-missing").unwrap();
    assert_eq!(failure["tool_use_id"], "toolu_01ZZCFcayVhJiSpnFfDyFWVg");
    assert_eq!(
        correction["prompt_id"],
        "3c1fbd5c-77b3-4014-80b9-d778c1ca00df"
    );
    let text = Ccctl::new(&library.daemon).ok(&["coach", "events"]);
    for (event, id, first, before) in [
        (
            &failure,
            "tool_use_id",
            "• Bash npx-missing --version",
            "Make the tests pass",
        ),
        (
            &correction,
            "prompt_id",
            "No, don't edit generated files.",
            "npx-missing",
        ),
    ] {
        let id = event[id].as_str().unwrap();
        let command = format!("    ccctl conversation show {SESSION} --at {id}\n");
        assert!(text.contains(&command), "{text}");
        let shown = library.ok(&["show", SESSION, "--at", id]);
        assert!(shown.contains(first) && !shown.contains(before), "{shown}");
    }
}
