//! One conversation: turns, pairs, sub-agents, records.

use super::library::{Library, assistant, result, transcript, user};
use crate::support::{assert_fields, assert_has, assert_lacks};
use serde_json::{Value, json};
use std::fs;
use std::process::Command;

const SESSION: &str = "5fc07b19-3c4e-4d18-a0f2-6b1f0d9a7e55";

/// A question, an edit, a command that fails, and a sub-agent.
fn library() -> Library {
    let library = Library::new();
    let edit = json!({"file_path": "/srv/shop/a.rs", "old_string": "one", "new_string": "two"});
    let patch =
        json!({"filePath": "/srv/shop/a.rs", "structuredPatch": [{"lines": ["-one", "+two"]}]});
    let agent = json!({"status": "completed", "agentId": "a1", "totalDurationMs": 2500, "totalTokens": 99, "totalToolUseCount": 0,
        "usage": {"input_tokens": 700, "output_tokens": 70}});
    let steps = json!([
        ["user", "u1", "Use cents\u{1b}[2J <b>now</b>"],
        ["call", "u2", "t1", "Edit", edit],
        ["result", "u3", "t1", "The file was updated", patch],
        ["call", "u4", "t2", "Bash", {"command": "cargo test"}],
        ["result", "u5", "t2", "error: 1 test failed", "Error: 1"],
        ["call", "u6", "t3", "Agent", {"description": "look"}],
        ["result", "u7", "t3", "found it", agent],
        ["call", "u8", "t4", "Bash", {"command": "sleep 9"}],
        ["assistant", "u9", "m9", "Done.", 7],
    ]);
    let mut lines = transcript(SESSION, steps);
    let summary = json!({"type": "summary", "summary": "Prices in cents", "leafUuid": "x"});
    lines.insert(0, summary.to_string());
    lines.insert(4, "not json".to_owned());
    library.write(&library.path(SESSION), &lines);
    let agent = assistant(SESSION, "s1", "m-s1", "Looking.", 3);
    library.write_agent(SESSION, "a1", "t3", &[agent]);
    library
}

fn get(library: &Library) -> Value {
    serde_json::from_str(&library.ok(&["get", "5fc07", "--json"])).unwrap()
}

#[test]
fn a_conversation_is_read_in_whole_in_pages_by_parts_as_text_and_while_it_grows() {
    let library = library();
    a_conversation_has_turns_pairs_sub_agents_indexes_and_tokens(&library);
    pages_are_the_whole(&library);
    parts_are_found_by_their_ids(&library);
    it_is_shown_as_text_that_cannot_control_the_terminal(&library);
    a_conversation_grows_with_its_file(&library);
}

fn a_conversation_has_turns_pairs_sub_agents_indexes_and_tokens(library: &Library) {
    let all = get(library);
    assert_fields(
        &all,
        json!({"session_id": SESSION, "skipped_lines": 1, "title": "Prices in cents", "branch": "main",
            "skipped": [{"file": 0, "line": 5, "why": "not_json"}]}),
    );
    let turns = all["turns"].as_array().unwrap().iter();
    let turns: Vec<&str> = turns
        .map(|turn| turn["messageId"].as_str().unwrap())
        .collect();
    let expected = "u1 m-t1 u3 m-t2 u5 m-t3 u7 m-t4 m9 m-s1";
    assert_eq!(turns.join(" "), expected);
    assert_eq!(all["turns"][9]["parentToolUseId"], "t3");
    let pairs = all["pairs"].as_array().unwrap();
    assert_eq!(pairs[0]["toolUse"]["input"]["new_string"], "two");
    let meta = &pairs[0]["toolResult"]["meta"];
    assert_eq!(meta["structuredPatch"][0]["lines"][1], "+two");
    let failed = json!({"content": "error: 1 test failed", "isError": true, "meta": "Error: 1"});
    assert_eq!(pairs[1]["toolResult"], failed);
    assert_eq!(pairs[3]["toolResult"], Value::Null);
    assert_fields(
        &all["tree"][0],
        json!({"parentToolUseId": "t3", "records": ["s1"], "children": [], "description": "look",
            "usage": {"output_tokens": 3}}),
    );
    assert_eq!(all["indexes"]["byMessageId"]["m9"], json!(["u9"]));
    assert_eq!(all["indexes"]["byParentToolUseId"], json!({"t3": ["s1"]}));
    let edit = json!({"call": "u2", "result": "u3"});
    assert_eq!(all["indexes"]["byToolUseId"]["t1"], edit);
    // Its records are there, so what its result says is not added.
    assert_eq!(all["usage"]["subagents"]["output_tokens"], 3);
    assert_eq!(all["usage"]["total"]["output_tokens"], 4 * 5 + 7 + 3);
    assert!(all["cost_usd"].as_f64().unwrap() > 0.0);
}

fn pages_are_the_whole(library: &Library) {
    let whole = get(library);
    let (mut turns, mut pairs, mut next) = (Vec::new(), Vec::new(), json!(0));
    while !next.is_null() {
        let params = json!({"session": SESSION, "from": next, "limit": 3});
        let page = library.call("conversation.get", params);
        turns.extend(page["turns"].as_array().unwrap().clone());
        pairs.extend(page["pairs"].as_array().unwrap().clone());
        next = page["next"].clone();
    }
    assert_fields(&whole, json!({"turns": turns, "pairs": pairs}));
}

fn parts_are_found_by_their_ids(library: &Library) {
    let params = json!({"session": SESSION, "message_id": "u9"});
    let turn = library.call("conversation.turn", params);
    assert_eq!(turn["messageId"], "m9");
    let tool: Value = serde_json::from_str(&library.ok(&["tool", SESSION, "t2"])).unwrap();
    assert_eq!(tool["toolResult"]["isError"], true);
    let record: Value = serde_json::from_str(&library.ok(&["record", SESSION, "u5"])).unwrap();
    assert_eq!(record["toolUseResult"], "Error: 1");
    assert_has(&library.ok(&["tree", SESSION]), ["t3  look  1 record, "]);
    let file = library.path(SESSION);
    let file = file.to_str().unwrap();
    for (args, kind) in [
        (&["record", file, "none"][..], "no record or turn"),
        (&["tool", file, "none"], "no call of a tool"),
        (&["get", "00000000"], "no such conversation"),
        (&["get", "/no/such/file"], "no such file"),
    ] {
        let ran = library.ccctl(args);
        assert_eq!(ran.code, Some(4), "{args:?} {ran:?}");
        assert!(ran.stderr.contains(kind), "{args:?} {ran:?}");
    }
    let other = library.daemon.home().join("other.jsonl");
    fs::write(&other, "{}\n").unwrap();
    let ran = library.ccctl(&["get", other.to_str().unwrap()]);
    assert_has(&ran.stderr, ["no line of it is a record"]);
    // Nobody waits for a named pipe.
    let pipe = library.dir().join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    for path in [&pipe, library.dir()] {
        let ran = library.ccctl(&["show", path.to_str().unwrap()]);
        let said = format!("{}: not a regular file; give a session id", path.display());
        assert!(ran.code == Some(1) && ran.stderr.contains(&said), "{ran:?}");
    }
    let ran = library.ccctl(&["list", "--project", "/no/such"]);
    assert_has(
        &ran.stderr,
        ["nothing found in /no/such, which does not exist"],
    );
}

fn it_is_shown_as_text_that_cannot_control_the_terminal(library: &Library) {
    let text = library.ok(&["show", SESSION]);
    assert_lacks(&text, ["\u{1b}"]);
    let parts = [
        "title       Prices in cents\n",
        "Use cents <b>now</b>\n",
        "• Edit /srv/shop/a.rs\n    -one\n    +two\n",
        "• Bash cargo test\n    error: 1 test failed\n",
        "• Agent look  (completed, 2.5s, 99 tokens, 0 calls)\n    found it\n  │\n  │ assistant",
        "  │ Looking.\n",
        "• Bash sleep 9\n    no result yet\n",
        "Done.\n",
    ];
    assert_has(&text, parts);
    let errors = library.ok(&["show", SESSION, "--errors"]);
    assert_has(&errors, ["cargo test"]);
    assert_lacks(&errors, ["sleep 9"]);
    // A record, a call, and a record of a sub-agent.
    for (at, first, before) in [
        ("u9", "Done.", "sleep 9"),
        ("t2", "cargo test", "Edit"),
        ("s1", "sub-agent of the call: t3\n", "• Agent look"),
    ] {
        let late = library.ok(&["show", SESSION, "--at", at]);
        assert_has(&late, [first]);
        assert_lacks(&late, [before]);
    }
    let ran = library.ccctl(&["show", SESSION, "--at", "none"]);
    assert_eq!(ran.code, Some(4), "{ran:?}");
}

fn a_conversation_grows_with_its_file(library: &Library) {
    let path = library.path(SESSION);
    assert_eq!(get(library)["total_turns"], 10);
    let line = result(SESSION, "u10", "t4", "awake", json!({}));
    let (start, end) = line.split_at(40);
    library.append(&path, start.as_bytes());
    assert_eq!(get(library)["total_turns"], 10);
    library.append(&path, format!("{end}\n").as_bytes());
    let all = get(library);
    assert_eq!(all["total_turns"], 11);
    assert_eq!(all["pairs"][3]["toolResult"]["content"], "awake");
    library.write(&path, &[user(SESSION, "n1", "new")]);
    let uuids = get(library)["indexes"]["byUuid"].clone();
    assert_eq!(uuids.as_object().unwrap().len(), 2);
}
