//! Saved streams and transcripts from elsewhere.

use super::library::{Library, assistant, call, result, user};
use crate::support::assert_has;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

const ONE: &str = "11111111-0000-4000-8000-000000000000";

/// Lines as `claude -p --output-format stream-json` of an older version prints them: answers have no time.
fn stream() -> String {
    let message = |id: &str, text: &str, output: u64| {
        let line = assistant(ONE, "", id, text, output);
        serde_json::from_str::<Value>(&line).unwrap()["message"].take()
    };
    let lines = [
        json!({"type": "system", "subtype": "init", "cwd": "/srv/shop", "session_id": ONE, "uuid": "i1"}),
        json!({"type": "assistant", "message": message("m1", "A needle.", 5), "session_id": ONE, "uuid": "u1"}),
        json!({"type": "assistant", "message": message("m2", "Done.", 7), "session_id": ONE, "uuid": "u2"}),
        json!({"type": "result", "subtype": "success", "is_error": false, "session_id": ONE, "uuid": "r1"}),
    ];
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn import(library: &Library, text: &str) -> (PathBuf, Value) {
    let file = library.daemon.home().join("run.jsonl");
    fs::write(&file, text).unwrap();
    let reply = library.ok(&["import", file.to_str().unwrap(), "--json"]);
    (file, serde_json::from_str(&reply).unwrap())
}

#[test]
fn a_saved_stream_and_nothing_else_is_part_of_list_search_and_stats_after_it_was_deleted() {
    let library = Library::new();
    // A file without a record is refused.
    let file = library.daemon.home().join("no.jsonl");
    // The id of a session is the name of a file.
    let outside = user("../../outside", "u1", "x");
    for text in [
        "",
        "{}\n",
        "text\n",
        "{\"type\":\"result\",\"session_id\":\"s\"}\n",
        &outside,
    ] {
        fs::write(&file, text).unwrap();
        let params = json!({"file": file});
        library
            .daemon
            .refuses("conversation.import", &params, "not_a_transcript");
    }
    let ran = library.ccctl(&["import", "/no/such/file"]);
    assert!(ran.stderr.contains("no such file"), "{ran:?}");
    assert!(!library.daemon.home().join("imports").exists());
    let good = library.daemon.home().join("good.jsonl");
    let id = "22222222-0000-4000-8000-000000000000";
    fs::write(&good, user(id, "u1", "x")).unwrap();
    let [bad, good] = [&file, &good].map(|path| path.to_str().unwrap());
    let ran = library.ccctl(&["import", "/no/such/file", good, bad]);
    assert_eq!((ran.code, ran.stdout.lines().count()), (Some(1), 1));
    assert_has(&ran.stderr, ["/no/such/file: no such file\n"]);
    assert_has(&ran.stderr, [&format!("{bad}: no line of it is")]);
    let copy = "imports/projects/imported/22222222-0000-4000-8000-000000000000.jsonl";
    fs::remove_file(library.daemon.home().join(copy)).unwrap();

    let (file, reply) = import(&library, &stream());
    assert_eq!(reply["conversations"][0]["added_lines"], 4);
    fs::remove_file(file).unwrap();
    let copy = reply["conversations"][0]["file"].as_str().unwrap();
    let mode = fs::metadata(copy).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(fs::read_to_string(copy).unwrap(), stream());
    let list = library.call("conversation.list", json!({"project": "/srv/shop"}));
    assert_eq!(list["total"], 1);
    assert_eq!(list["conversations"][0]["turns"], 2);
    // It has the time of the file.
    assert!(list["conversations"][0]["ended_at"].is_string(), "{list}");
    assert_eq!(library.found(json!({"query": "needle"})), ["u1"]);
    assert_eq!(library.tokens(), [20, 12, 0, 0]);
    assert!(library.ok(&["show", "1111"]).contains("A needle."));
    // The way to remove it.
    fs::remove_file(copy).unwrap();
    assert_eq!(library.tokens(), [0; 4]);
    assert!(library.found(json!({"query": "needle"})).is_empty());
}

#[test]
fn importing_again_changes_nothing_and_a_longer_file_adds_what_is_new() {
    let library = Library::new();
    let all = stream();
    let half: usize = all.lines().take(2).map(|line| line.len() + 1).sum();
    // Cut within a line.
    let (_, reply) = import(&library, &all[..half + 20]);
    assert_eq!(reply["conversations"][0]["added_lines"], 2);
    assert_eq!(reply["skipped_lines"], 1);
    for added in [2, 0, 0] {
        let (file, reply) = import(&library, &all);
        assert_eq!(reply["conversations"][0]["added_lines"], added);
        let text = library.ok(&["import", file.to_str().unwrap()]);
        assert_eq!(text, format!("{ONE}  nothing new\n"));
        assert_eq!(library.tokens(), [20, 12, 0, 0]);
    }
}

#[test]
fn a_message_that_is_in_a_transcript_too_counts_once() {
    let library = Library::new();
    let records = [
        user(ONE, "u0", "Find the needle"),
        assistant(ONE, "u1", "m1", "A needle.", 5),
        assistant(ONE, "u3", "m3", "More.", 1),
    ];
    library.write(&library.path(ONE), &records);
    import(&library, &stream());
    // m2 is in the stream only.
    assert_eq!(library.tokens(), [30, 13, 0, 0]);
    assert_eq!(library.found(json!({"query": "needle"})), ["u0", "u1"]);
    let list = library.call("conversation.list", json!({}));
    assert_eq!(list["total"], 1);
    assert_eq!(library.stats()["conversations"], 1);
    // As Claude Code does after 30 days.
    fs::remove_file(library.path(ONE)).unwrap();
    assert_eq!(library.tokens(), [20, 12, 0, 0]);
    assert_eq!(library.found(json!({"query": "needle"})), ["u1"]);
}

#[test]
fn a_transcript_from_elsewhere_comes_with_its_sub_agents() {
    let library = Library::new();
    let elsewhere = library.daemon.home().join("elsewhere");
    let main = elsewhere.join(format!("{ONE}.jsonl"));
    let input = json!({"prompt": "go"});
    let report = json!({"status": "completed", "agentId": "a1", "usage": {"input_tokens": 700, "output_tokens": 70}});
    let call = call(ONE, "u1", "t1", "Agent", input);
    library.write(&main, &[call, result(ONE, "u2", "t1", "went", report)]);
    let agent = main.with_extension("").join("subagents/agent-a1.jsonl");
    library.write(&agent, &[assistant(ONE, "s1", "ms1", "going", 9)]);
    fs::write(agent.with_extension("meta.json"), r#"{"toolUseId":"t1"}"#).unwrap();
    library.ok(&["import", main.to_str().unwrap()]);
    fs::remove_dir_all(&elsewhere).unwrap();
    assert_eq!(library.tokens(), [20, 14, 10, 9]);
    let going = json!({"query": "going", "status": "sub_agent"});
    assert_eq!(library.found(going), ["s1"]);
    assert!(library.ok(&["tree", ONE]).starts_with("t1  1 record"));
}
