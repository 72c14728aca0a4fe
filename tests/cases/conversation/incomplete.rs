//! Conversations of which something is missing: the end of a stream, records of sub-agents, the transcript itself.

use super::library::{Library, assistant, call, inline, of_agent, record, result, user};
use crate::support::{assert_fields, assert_has};
use serde_json::{Value, json};
use std::fs;

const SESSION: &str = "44444444-5555-4666-8777-888888888888";
const OPUS: &str = "claude-opus-4-5-20251101";

/// Returns a stream as `claude -p --output-format stream-json` prints it: the output of its messages is that of their start.
fn stream(end: Option<Value>) -> String {
    let message = |uuid: &str, parent: Value, content: Value| {
        json!({"type": "assistant", "parent_tool_use_id": parent, "session_id": SESSION, "uuid": uuid, "message": {"id": format!("m-{uuid}"),
            "role": "assistant", "model": OPUS, "content": content, "usage": {"input_tokens": 12, "output_tokens": 1}}})
    };
    let text = |text: &str| json!([{"type": "text", "text": text}]);
    let agent =
        json!([{"type": "tool_use", "id": "t1", "name": "Agent", "input": {"prompt": "Read it"}}]);
    let mut lines = vec![
        json!({"type": "system", "subtype": "init", "cwd": "/srv/shop", "session_id": SESSION, "uuid": "i1"}),
        message("u1", Value::Null, text("I ask a helper.")),
        message("u2", Value::Null, agent),
        json!({"type": "system", "subtype": "task_notification", "summary": "Read the readme", "session_id": SESSION, "uuid": "n1"}),
        message("u3", json!("t1"), text("The readme says: demo.")),
        message("u4", Value::Null, text("Done.")),
    ];
    lines.extend(end.map(|used| {
        json!({"type": "result", "subtype": "success", "is_error": false, "session_id": SESSION, "uuid": "r1",
            "total_cost_usd": 0.53, "modelUsage": used})
    }));
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn used(output: u64) -> Value {
    json!({format!("{OPUS}[1m]"): {"inputTokens": 60, "outputTokens": output, "cacheReadInputTokens": 0, "cacheCreationInputTokens": 0,
        "webSearchRequests": 0, "costUSD": 0.53}})
}

fn import(library: &Library, text: &str) {
    let file = library.daemon.home().join("run.jsonl");
    fs::write(&file, text).unwrap();
    library.ok(&["import", file.to_str().unwrap()]);
}

#[test]
fn a_stream_has_the_tokens_and_the_cost_that_its_end_says() {
    let library = Library::new();
    import(&library, &stream(Some(used(270))));
    let whole = library.get(SESSION);
    let listed = library.newest();
    let stats = library.stats();
    for one in [&whole, &listed, &stats] {
        let total = json!({"input_tokens": 60, "output_tokens": 270});
        assert_fields(
            one,
            json!({"usage": {"total": total}, "cost_usd": 0.53, "missing": null}),
        );
    }
    // Not the words of the sub-agent, nor the summary of its task.
    for one in [&whole, &listed] {
        assert_eq!(one["title"], "I ask a helper.");
    }
    assert_eq!(stats["messages"], 4);
}

#[test]
fn a_stream_without_an_end_is_partial_until_it_has_one() {
    let library = Library::new();
    import(&library, &stream(None));
    assert_eq!(library.tokens(), [48, 4, 12, 1]);
    let one = library.newest();
    assert_fields(&one, json!({"missing": "result", "cost_usd": null}));
    assert!(one["cost_at_least_usd"].as_f64().unwrap() > 0.0, "{one}");
    assert_eq!(library.stats()["partial_conversations"], 1);
    let text = library.ok(&["list"]);
    assert_has(&text, ["  52+  ", "  $0.00+  "]);
    let shown = library.ok(&["show", SESSION]);
    assert_has(&shown, ["the tokens are partial\n"]);
    assert_has(&library.ok(&["stats"]), ["\npartial        1 stream "]);
    import(&library, &stream(Some(used(270))));
    assert_eq!(library.tokens(), [60, 270, 12, 1]);
    assert!(library.newest().get("missing").is_none());
}

#[test]
fn the_end_of_a_stream_adds_nothing_to_its_transcript() {
    let library = Library::new();
    import(&library, &stream(Some(used(270))));
    let transcript = [
        user(SESSION, "u0", "Say what it is"),
        assistant(SESSION, "u1", "m-u1", "I ask a helper.", 100),
        assistant(SESSION, "u4", "m-u4", "Done.", 50),
    ];
    library.write(&library.path(SESSION), &transcript);
    // Two messages are in the stream only.
    assert_eq!(library.tokens(), [44, 152, 12, 1]);
    assert_eq!(library.newest()["title"], "Say what it is");
}

/// A report of a sub-agent's progress.
fn progress(uuid: &str, inner: &Value) -> String {
    let mut line = record(SESSION, uuid, json!({"role": "progress"}));
    line.as_object_mut().unwrap().remove("message");
    line["parentToolUseID"] = json!("t1");
    line["data"] = json!({"type": "agent_progress", "agentId": "a1", "message": inner});
    line.to_string()
}

#[test]
fn progress_of_a_sub_agent_stands_for_its_records_until_they_are_there() {
    let library = Library::new();
    let inner = |uuid: &str, message: Value| json!({"type": message["role"], "uuid": uuid, "message": message});
    let bash = json!([{"type": "tool_use", "id": "t9", "name": "Bash", "input": {"command": "make wombat"}}]);
    let answer = json!([{"type": "tool_result", "tool_use_id": "t9", "content": "built"}]);
    let usage = json!({"input_tokens": 10, "output_tokens": 1});
    let report = json!({"status": "completed", "agentId": "a1", "usage": {"input_tokens": 20, "output_tokens": 4}});
    let said = json!({"role": "user", "content": [{"type": "text", "text": "Build it"}]});
    let called =
        json!({"role": "assistant", "id": "ms", "model": OPUS, "content": bash, "usage": usage});
    let answered = json!({"role": "user", "content": answer});
    let lines = [
        user(SESSION, "u1", "Check it"),
        call(SESSION, "u2", "t1", "Task", json!({"prompt": "Build it"})),
        progress("p1", &inner("s1", said)),
        progress("p2", &inner("s2", called.clone())),
        progress("p3", &inner("s3", answered)),
        result(SESSION, "u3", "t1", "All built", report),
    ];
    library.write(&library.path(SESSION), &lines);
    // The last message of the sub-agent is in the report alone, which names no model.
    assert_eq!(library.tokens(), [40, 10, 30, 5]);
    let shown = library.ok(&["show", SESSION]);
    assert_has(&shown, ["  │ ", "Bash make wombat"]);
    assert_has(&shown, ["cost        $0.00+ at list prices\n"]);
    let tree = library.ok(&["tree", SESSION]);
    assert_eq!(tree, "t1  3 records, 11 tokens, <$0.01\n");
    let wombat = json!({"query": "wombat", "status": "sub_agent"});
    assert_eq!(library.found(wombat), ["s2"]);
    let one = library.newest();
    assert!(
        one["cost_usd"].is_null() && one["cost_at_least_usd"].as_f64() > Some(0.0),
        "{one}"
    );
    let stats = library.ok(&["stats", "--by", "model"]);
    let told = "no price       (sub-agents of unknown model) (not in the cost)\n";
    assert_has(&stats, [told]);
    assert_has(&stats, ["\n(sub-agents of unknown model)  24 "]);
    // Its own file has all of it.
    let last = assistant(SESSION, "s4", "ms2", "All built", 4);
    let own = [
        user(SESSION, "s1", "Build it"),
        record(SESSION, "s2", called).to_string(),
        last.replace("\"input_tokens\":10", "\"input_tokens\":20"),
    ];
    let own = own.map(|line| of_agent("a1", line));
    library.write(&library.agent_path(SESSION, "a1"), &own);
    assert_eq!(library.tokens(), [40, 10, 30, 5]);
    assert!(library.newest()["cost_usd"].is_number());
    let tree = library.ok(&["tree", SESSION]);
    assert_eq!(tree, "t1  3 records, 35 tokens, <$0.01\n");
}

#[test]
fn what_a_background_sub_agent_without_its_file_cost_is_not_known() {
    let library = Library::new();
    let launched = json!({"isAsync": true, "status": "async_launched", "agentId": "a1"});
    let lines = [
        call(SESSION, "u1", "t1", "Agent", json!({"prompt": "Read it"})),
        result(SESSION, "u2", "t1", "Launched", launched),
    ];
    library.write(&library.path(SESSION), &lines);
    let costs = || {
        let whole = library.get(SESSION);
        [whole, library.newest(), library.stats()].map(|one| one["cost_usd"].is_null())
    };
    // The total of all has the part that is known.
    assert_eq!(costs(), [true, true, false]);
    assert!(library.ok(&["list"]).contains("$0.00+"));
    assert!(library.ok(&["show", SESSION]).contains("$0.00+ at list"));
    let stats = library.ok(&["stats"]);
    assert!(stats.contains("(sub-agents of unknown model)"), "{stats}");
    let own = of_agent("a1", assistant(SESSION, "s1", "ms1", "It is a readme.", 9));
    library.write(&library.agent_path(SESSION, "a1"), &[own]);
    assert_eq!(costs(), [false; 3]);
}

#[test]
fn inline_sub_agents_are_below_the_calls_with_their_prompts() {
    let library = Library::new();
    let lines = [
        inline(user(SESSION, "w1", "Warmup"), Value::Null),
        user(SESSION, "u1", "Compare"),
        call(SESSION, "u2", "t1", "Task", json!({"prompt": "Read one"})),
        inline(user(SESSION, "s1", "Read one"), Value::Null),
        inline(assistant(SESSION, "s2", "m2", "It is one.", 5), json!("s1")),
        result(SESSION, "u3", "t1", "one", json!({"totalTokens": 1})),
    ];
    library.write(&library.path(SESSION), &lines);
    let tree = library.ok(&["tree", SESSION]);
    let missing = "w1  its call is not in the conversation\n";
    assert_eq!(tree, format!("t1  2 records, 15 tokens, <$0.01\n{missing}"));
    let shown = library.ok(&["show", SESSION]);
    assert_has(&shown, ["  │ Read one\n", "  │ It is one.\n"]);
    assert_has(&shown, ["\nsub-agent whose call is missing"]);
    assert!(shown.contains("title       Compare\n"), "{shown}");
}

#[test]
fn sub_agents_without_their_transcript_can_be_opened() {
    let library = Library::new();
    let agent = |line: String| of_agent("a1", line);
    let lines = [
        agent(user(SESSION, "s1", "Look at it")),
        agent(assistant(SESSION, "s2", "m1", "A numbat.", 5)),
    ];
    library.write(&library.agent_path(SESSION, "a1"), &lines);
    let older = "55555555-5555-4666-8777-888888888888";
    let beside = library.path(older).with_file_name("agent-b1.jsonl");
    let line = agent(assistant(older, "o1", "m2", "A numbat.", 5));
    library.write(&beside, &[line]);
    assert_eq!(library.found(json!({"query": "numbat"})), ["o1", "s2"]);
    for session in [SESSION, &SESSION[..6], older] {
        let shown = library.ok(&["show", session]);
        let told = "missing     the transcript itself; only its sub-agents' transcripts are here\n";
        assert_has(&shown, ["A numbat.", told]);
    }
    // Once it is there, it is the conversation.
    library.write(&library.path(SESSION), &[user(SESSION, "u1", "Look")]);
    let whole = library.get(SESSION);
    let fields = json!({"title": "Look", "total_turns": 3, "missing": null});
    assert_fields(&whole, fields);
    fs::remove_file(library.agent_path(SESSION, "a1")).unwrap();
    fs::remove_file(library.path(SESSION)).unwrap();
    let ran = library.ccctl(&["show", SESSION]);
    assert!(ran.stderr.contains("no such conversation"), "{ran:?}");
}

#[test]
fn a_list_in_a_pipe_has_a_heading_and_says_that_it_stopped() {
    let library = Library::new();
    for number in 10..13 {
        let session = format!("000000{number}-0000-4000-8000-000000000000");
        library.write(&library.path(&session), &[user(&session, "u1", "needle")]);
    }
    let all = library.ccctl(&["list"]);
    assert_eq!((all.stdout.lines().count(), &*all.stderr), (4, ""));
    assert!(all.stdout.starts_with("SESSION  "), "{all:?}");
    let some = library.ccctl(&["list", "-n", "2"]);
    assert_eq!(some.stdout.lines().count(), 3);
    assert_eq!(some.stderr, "ccctl: 2 of 3; -n N shows more\n");
    let hits = library.ccctl(&["search", "needle", "-n", "1"]);
    assert_eq!(hits.stderr, "ccctl: 1 of 3; -n N shows more\n");
    let json = library.ccctl(&["list", "-n", "2", "--json"]);
    assert_eq!(json.stderr, "");
    let stats = library.ok(&["stats", "--by", "tool"]);
    assert!(!stats.contains("TOOL"), "{stats}");
    let stats = library.ok(&["stats", "--by", "project"]);
    assert!(!stats.contains("PROJECT"), "{stats}");
}
