//! One conversation: turns, pairs, sub-agents, records.

use super::library::{Library, assistant, call, result, user};
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
    library.write(
        &library.path(SESSION),
        &[
            json!({"type": "summary", "summary": "Prices in cents", "leafUuid": "x"}).to_string(),
            user(SESSION, "u1", "Use cents\u{1b}[2J <b>now</b>"),
            call(SESSION, "u2", "t1", "Edit", edit),
            result(SESSION, "u3", "t1", "The file was updated", patch),
            "not json".to_owned(),
            call(
                SESSION,
                "u4",
                "t2",
                "Bash",
                json!({"command": "cargo test"}),
            ),
            result(
                SESSION,
                "u5",
                "t2",
                "error: 1 test failed",
                json!("Error: 1"),
            ),
            call(SESSION, "u6", "t3", "Agent", json!({"description": "look"})),
            result(SESSION, "u7", "t3", "found it", agent),
            call(SESSION, "u8", "t4", "Bash", json!({"command": "sleep 9"})),
            assistant(SESSION, "u9", "m9", "Done.", 7),
        ],
    );
    let agent = library.agent_path(SESSION, "a1");
    library.write(&agent, &[assistant(SESSION, "s1", "m-s1", "Looking.", 3)]);
    fs::write(agent.with_extension("meta.json"), r#"{"toolUseId":"t3"}"#).unwrap();
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
    assert_eq!(
        (&all["session_id"], &all["skipped_lines"]),
        (&json!(SESSION), &json!(1))
    );
    assert_eq!(
        all["skipped"][0],
        json!({"file": 0, "line": 5, "why": "not_json"})
    );
    assert_eq!(
        (&all["title"], &all["branch"]),
        (&json!("Prices in cents"), &json!("main"))
    );
    let turns: Vec<&str> = all["turns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|turn| turn["messageId"].as_str().unwrap())
        .collect();
    assert_eq!(
        turns,
        [
            "u1", "m-t1", "u3", "m-t2", "u5", "m-t3", "u7", "m-t4", "m9", "m-s1"
        ]
    );
    assert_eq!(all["turns"][9]["parentToolUseId"], "t3");
    let pairs = all["pairs"].as_array().unwrap();
    assert_eq!(pairs[0]["toolUse"]["input"]["new_string"], "two");
    assert_eq!(
        pairs[0]["toolResult"]["meta"]["structuredPatch"][0]["lines"][1],
        "+two"
    );
    assert_eq!(
        pairs[1]["toolResult"],
        json!({"content": "error: 1 test failed", "isError": true, "meta": "Error: 1"})
    );
    assert_eq!(pairs[3]["toolResult"], Value::Null);
    let tree = &all["tree"][0];
    assert_eq!(
        (
            &tree["parentToolUseId"],
            &tree["records"],
            &tree["children"]
        ),
        (&json!("t3"), &json!(["s1"]), &json!([]))
    );
    assert_eq!(
        (&tree["description"], &tree["usage"]["output_tokens"]),
        (&json!("look"), &json!(3))
    );
    assert_eq!(all["indexes"]["byMessageId"]["m9"], json!(["u9"]));
    assert_eq!(all["indexes"]["byParentToolUseId"], json!({"t3": ["s1"]}));
    assert_eq!(
        all["indexes"]["byToolUseId"]["t1"],
        json!({"call": "u2", "result": "u3"})
    );
    // Its records are there, so what its result says is not added.
    assert_eq!(all["usage"]["subagents"]["output_tokens"], 3);
    assert_eq!(all["usage"]["total"]["output_tokens"], 4 * 5 + 7 + 3);
    assert!(all["cost_usd"].as_f64().unwrap() > 0.0);
}

fn pages_are_the_whole(library: &Library) {
    let whole = get(library);
    let (mut turns, mut pairs, mut next) = (Vec::new(), Vec::new(), json!(0));
    while !next.is_null() {
        let page = library.call(
            "conversation.get",
            json!({"session": SESSION, "from": next, "limit": 3}),
        );
        turns.extend(page["turns"].as_array().unwrap().clone());
        pairs.extend(page["pairs"].as_array().unwrap().clone());
        next = page["next"].clone();
    }
    assert_eq!(
        (json!(turns), json!(pairs)),
        (whole["turns"].clone(), whole["pairs"].clone())
    );
}

fn parts_are_found_by_their_ids(library: &Library) {
    let turn = library.call(
        "conversation.turn",
        json!({"session": SESSION, "message_id": "u9"}),
    );
    assert_eq!(turn["messageId"], "m9");
    let tool: Value = serde_json::from_str(&library.ok(&["tool", SESSION, "t2"])).unwrap();
    assert_eq!(tool["toolResult"]["isError"], true);
    let record: Value = serde_json::from_str(&library.ok(&["record", SESSION, "u5"])).unwrap();
    assert_eq!(record["toolUseResult"], "Error: 1");
    assert!(
        library
            .ok(&["tree", SESSION])
            .starts_with("t3  look  1 record, ")
    );
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
    fs::write(library.daemon.home().join("other.jsonl"), "{}\n").unwrap();
    let other = library.daemon.home().join("other.jsonl");
    let ran = library.ccctl(&["get", other.to_str().unwrap()]);
    assert!(ran.stderr.contains("no line of it is a record"), "{ran:?}");
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
    assert!(
        ran.stderr
            .contains("nothing found in /no/such, which does not exist"),
        "{ran:?}"
    );
}

fn it_is_shown_as_text_that_cannot_control_the_terminal(library: &Library) {
    let text = library.ok(&["show", SESSION]);
    assert!(!text.contains('\u{1b}'), "{text}");
    for part in [
        "title       Prices in cents\n",
        "Use cents <b>now</b>\n",
        "• Edit /srv/shop/a.rs\n    -one\n    +two\n",
        "• Bash cargo test\n    error: 1 test failed\n",
        "• Agent look  (completed, 2.5s, 99 tokens, 0 calls)\n    found it\n  │\n  │ assistant",
        "  │ Looking.\n",
        "• Bash sleep 9\n    no result yet\n",
        "Done.\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let errors = library.ok(&["show", SESSION, "--errors"]);
    assert!(
        errors.contains("cargo test") && !errors.contains("sleep 9"),
        "{errors}"
    );
    // A record, a call, and a record of a sub-agent.
    for (at, first, before) in [
        ("u9", "Done.", "sleep 9"),
        ("t2", "cargo test", "Edit"),
        ("s1", "sub-agent of the call: t3\n", "• Agent look"),
    ] {
        let late = library.ok(&["show", SESSION, "--at", at]);
        assert!(
            late.contains(first) && !late.contains(before),
            "{at}: {late}"
        );
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
    assert_eq!(
        get(library)["indexes"]["byUuid"].as_object().unwrap().len(),
        2
    );
}
