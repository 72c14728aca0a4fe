//! A conversation as Markdown and as JSON.

use crate::conversation::library::{Library, assistant, record, transcript};
use crate::support::secrets::TOKEN;
use crate::support::{assert_has, assert_lacks};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

const SESSION: &str = "5fc07b19-3c4e-4d18-a0f2-6b1f0d9a7e55";

/// A prompt, an edit, todos, a command that fails, and a sub-agent that starts another one.
fn library() -> Library {
    let library = Library::new();
    let edit = json!({"file_path": "/srv/shop/a.rs", "old_string": "one", "new_string": "two"});
    let patch =
        json!({"filePath": "/srv/shop/a.rs", "structuredPatch": [{"lines": ["-one", "+two"]}]});
    let todos = json!({"oldTodos": [{"content": "read", "status": "in_progress"}],
        "newTodos": [{"content": "read", "status": "completed"}, {"content": "<b>write</b>", "status": "pending"}]});
    let agent = json!({"status": "completed", "agentId": "a1", "totalTokens": 99});
    let inner = json!({"status": "completed", "agentId": "a2"});
    let printed = "\u{1b}[31mfailed\u{1b}[0m\n```\n</details><script>";
    let steps = json!([
        ["user", "u1", "Use cents\n\n## User\n\n```\nnot closed"],
        ["call", "u2", "t1", "Edit", edit],
        ["result", "u3", "t1", "updated", patch],
        ["call", "u4", "t2", "TodoWrite", {"todos": []}],
        ["result", "u5", "t2", "ok", todos],
        ["call", "u6", "t3", "Bash", {"command": "cargo test\nls"}],
        ["result", "u7", "t3", printed, "Error: 1"],
        ["call", "u8", "t4", "Agent", {"description": "look", "prompt": "Look *well*"}],
        ["result", "u9", "t4", "found it", agent],
        ["call", "u11", "t9", "Bash", {"command": "sleep `9`"}],
    ]);
    let mut lines = transcript(SESSION, steps);
    let blocks = json!([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": format!("<img src=x> key {TOKEN}")}, {"type": "image"}]);
    let message = json!({"id": "m-u10", "role": "assistant", "model": "claude-opus-4-5-20251101", "content": blocks});
    lines.insert(9, record(SESSION, "u10", message).to_string());
    let title = json!({"type": "summary", "summary": "Prices *in* <cents>", "leafUuid": "x"});
    lines.insert(0, title.to_string());
    library.write(&library.path(SESSION), &lines);
    let looked = json!([
        ["call", "s1", "t5", "Agent", {"description": "deeper", "prompt": ""}],
        ["result", "s2", "t5", "deep", inner],
        ["assistant", "s3", "m-s3", "I looked.", 3],
    ]);
    library.write_agent(SESSION, "a1", "t4", &transcript(SESSION, looked));
    let deepest = assistant(SESSION, "d1", "m-d1", "Deepest.", 2);
    library.write_agent(SESSION, "a2", "t5", &[deepest]);
    library
}

#[test]
fn a_conversation_is_a_document_and_a_json_document_without_secrets_and_in_pages() {
    let library = library();
    a_document_has_what_was_said_and_done_and_no_text_leaves_its_block(&library);
    a_json_document_has_the_turns_with_their_records(&library);
    secrets_after_line_ends_tabs_and_colours_are_in_no_export(&library);
    a_format_must_be_named_and_a_missing_conversation_leaves_no_file(&library);
    nested_turns_follow_the_calls_that_started_them_in_pages_of_any_size(&library);
}

fn a_document_has_what_was_said_and_done_and_no_text_leaves_its_block(library: &Library) {
    let file = library.daemon.home().join("conversation.md");
    library.ok(&["export", SESSION, "--markdown", file.to_str().unwrap()]);
    let mode = fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let text = fs::read_to_string(&file).unwrap();
    let parts = [
        "# Prices \\*in\\* &lt;cents\\>\n\n- **Session:** `5fc07b19-",
        "- **Directory:** `/srv/shop`, branch `main`\n- **Models:** `claude-opus-4-5-20251101`\n- **Time:** 2026-03-01 08:00:02 to ",
        "- **Tokens:** ",
        "- **Cost:** $0.",
        "\n## User · 2026-03-01 08:00:02\n\n> Use cents\n>\n> ## User\n>\n> ```\n> not closed\n\n**Edit** `/srv/shop/a.rs`\n\n```diff\n-one\n+two\n```\n\n",
        "**TodoWrite**\n\n- [x] read (in\\_progress → completed)\n- [ ] &lt;b\\>write&lt;/b\\> (added)\n\n",
        "**Bash** · **failed**\n\n```sh\ncargo test\nls\n```\n\n````\nfailed\n```\n</details><script>\n````\n\n",
        "**Agent** `look` · completed, 99 tokens\n\n> Look *well*\n\n```\nfound it\n```\n\n> **Agent** `deeper` · completed\n>\n> ```\n> deep\n> ```\n>\n> > **Sub-agent, assistant** · opus-4-5-20251101 · 2026-03-01 08:00:02\n> >\n> > > Deepest.\n> >\n>\n> **Sub-agent, assistant** · opus",
        "> > I looked.\n>\n\n## Assistant · opus-4-5-20251101",
        "*Thinking:*\n\n> hm\n\n> &lt;img src=x> key ***\n\n*\\[image\\]*\n\n**Bash** `` sleep `9` ``\n\n*No result.*\n",
    ];
    assert_has(&text, parts);
    assert_lacks(&text, [TOKEN, "\u{1b}"]);
    let printed = library.ok(&["export", SESSION, "--markdown", "-"]);
    assert_eq!(printed, text, "standard output has the same");
}

fn a_json_document_has_the_turns_with_their_records(library: &Library) {
    let printed = library.ok(&["export", SESSION, "--json"]);
    let document: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(document["about"]["session_id"], SESSION);
    let turns = document["turns"].as_array().unwrap();
    assert_eq!(turns.len(), 15);
    assert_eq!(turns[0]["records"][0]["uuid"], "u1");
    assert!(!printed.contains(TOKEN));
    let file = library.daemon.home().join("conversation.json");
    library.ok(&["export", SESSION, "--json", file.to_str().unwrap()]);
    let written: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(written["turns"], document["turns"]);
}

fn secrets_after_line_ends_tabs_and_colours_are_in_no_export(library: &Library) {
    let key = format!("AKIA{}", "IOSFODNN7EXAMPLE");
    let said = format!("keys:\n{key}\r\n{key}\n1\t{key}\n\u{1b}[31m{key}\u{1b}[0m");
    let file = library.daemon.home().join("leak.jsonl");
    let line = json!({"type": "user", "uuid": "u1", "sessionId": "s-leak", "message": {"role": "user", "content": said}});
    fs::write(&file, format!("{line}\n")).unwrap();
    for format in [&["--json"][..], &["--markdown", "-"], &["--html", "-"]] {
        let printed = library.ok(&[&["export", file.to_str().unwrap()], format].concat());
        assert!(printed.contains("keys:"), "{format:?}");
        assert!(!printed.contains(&key), "{format:?}");
    }
}

fn a_format_must_be_named_and_a_missing_conversation_leaves_no_file(library: &Library) {
    let ran = library.ccctl(&["export", SESSION]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("--markdown FILE"), "{ran:?}");
    let file = library.daemon.home().join("none.md");
    fs::write(&file, "before").unwrap();
    let ran = library.ccctl(&["export", "00000000", "--markdown", file.to_str().unwrap()]);
    assert_eq!(ran.code, Some(4), "{ran:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "before");
}

fn nested_turns_follow_the_calls_that_started_them_in_pages_of_any_size(library: &Library) {
    let of = |limit: u64| {
        let (mut all, mut next) = (Vec::new(), json!(0));
        while !next.is_null() {
            let params = json!({"session": SESSION, "nested": true, "redact": true, "from": next, "limit": limit});
            let page = library.call("conversation.get", params);
            assert_eq!(page["indexes"]["byUuid"], json!({}));
            let turns = page["turns"].as_array().unwrap().clone();
            let pairs = page["pairs"].as_array().unwrap().clone();
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            all.extend(turns.iter().map(|turn| text(&turn["records"][0])));
            all.extend(pairs.iter().map(|pair| text(&pair["toolUse"]["id"])));
            assert_lacks(&page, [TOKEN]);
            next = page["next"].clone();
        }
        all
    };
    let whole = of(100);
    let turns = "u1 u2 u3 u4 u5 u6 u7 u8 s1 d1 s2 s3 u9 u10 u11";
    assert_eq!(whole[..15].join(" "), turns);
    for limit in 1..5 {
        let mut pages = of(limit);
        let mut sorted = whole.clone();
        pages.sort();
        sorted.sort();
        assert_eq!(pages, sorted, "{limit}");
    }
}
