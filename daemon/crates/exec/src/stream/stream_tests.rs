use super::{Denial, StreamFacts, StreamReader};
use ccd_policy::{DENIAL, Policy, Rule, ToolMode};
use proptest::prelude::*;
use serde_json::{Value, json};

fn facts(records: &[Value]) -> StreamFacts {
    let lines: Vec<String> = records.iter().map(Value::to_string).collect();
    read(lines.join("\n").as_bytes())
}

fn read(bytes: &[u8]) -> StreamFacts {
    let mut reader = StreamReader::default();
    reader.feed(bytes, |_, _| ());
    reader.finish(|_, _| ())
}

fn call(id: &str, name: &str, parent: Option<&str>) -> Value {
    json!({"type": "assistant", "parent_tool_use_id": parent, "message": {"id": format!("m{id}"), "content": [
        {"type": "tool_use", "id": id, "name": name, "input": {"command": "ls"}}]}})
}

fn failure(id: &str, content: &str) -> Value {
    json!({"type": "user", "message": {"content": [
        {"type": "tool_result", "tool_use_id": id, "is_error": true, "content": content}]}})
}

#[test]
fn calls_have_their_input_and_the_call_that_caused_them() {
    let facts = facts(&[
        call("a", "Agent", None),
        call("b", "Bash", Some("a")),
        call("b", "Bash", Some("a")),
    ]);
    assert_eq!(facts.calls.count, 2);
    let call = &facts.calls.kept[1];
    assert_eq!(
        (&*call.name, call.parent.as_deref(), &call.input),
        ("Bash", Some("a"), &json!({"command": "ls"}))
    );
    assert_eq!(facts.turns, 1, "those of sub-agents do not count");
}

#[test]
fn denied_calls_are_found_in_all_their_forms_and_listed_once() {
    let ids = ["a", "b", "c", "d", "e", "f", "g"];
    let mut records: Vec<Value> = ids.iter().map(|id| call(id, "Bash", None)).collect();
    records.extend([
        json!({"type": "system", "subtype": "permission_denied", "tool_use_id": "a", "tool_name": "Bash"}),
        failure("a", "Permission to use Bash with command ls has been denied."),
        failure("b", "PreToolUse:Bash hook error: no"),
        failure("c", "<tool_use_error>Error: No such tool available: Bash. Bash is disabled</tool_use_error>"),
        failure("d", &format!("{DENIAL}the rule Bash(rm:*) forbids it")),
        json!({"type": "user", "message": {"content": []}, "tool_result_meta": [
            {"id": "e", "permission_decision": {"decision": "reject"}}]}),
        failure("f", "Exit code 1\nPermission to use Bash"),
        json!({"type": "result", "is_error": false, "permission_denials": [
            {"tool_name": "Bash", "tool_use_id": "a", "tool_input": {"command": "ls"}},
            {"tool_name": "Write", "tool_use_id": "unseen", "tool_input": {"file_path": "x"}}]}),
    ]);
    let facts = facts(&records);
    let denied: Vec<_> = facts
        .calls
        .denied
        .iter()
        .map(|denied| (&*denied.call.id, denied.denial))
        .collect();
    let by_permission = Denial::Permission;
    assert_eq!(
        denied,
        [
            ("a", by_permission),
            ("b", by_permission),
            ("c", Denial::Unavailable),
            ("d", by_permission),
            ("e", by_permission),
            ("unseen", by_permission)
        ]
    );
}

#[test]
fn a_tool_that_does_not_exist_is_a_violation_only_if_a_rule_says_so() {
    let facts = facts(&[
        call("a", "Bash", None),
        failure(
            "a",
            "<tool_use_error>Error: No such tool available: Bash</tool_use_error>",
        ),
    ]);
    let count = |mode, rules: &[&str]| {
        let rules = rules
            .iter()
            .map(|rule| Rule::parse(rule).unwrap())
            .collect();
        facts
            .violations(&Policy {
                mode,
                rules,
                project: None,
                home: None,
            })
            .count()
    };
    assert_eq!(count(ToolMode::All, &[]), 0);
    assert_eq!(count(ToolMode::Whitelist, &["Read"]), 1);
    assert_eq!(count(ToolMode::Blacklist, &["Bash"]), 1);
    assert_eq!(count(ToolMode::Blacklist, &["WebFetch"]), 0);
}

#[test]
fn a_forbidden_call_that_did_not_succeed_is_a_violation_whatever_its_result_says() {
    let read = |id: &str, file: &str| {
        json!({"type": "assistant", "message": {"id": format!("m{id}"), "content": [
            {"type": "tool_use", "id": id, "name": "Read", "input": {"file_path": file}}]}})
    };
    let facts = facts(&[
        read("a", "/p/secret/x"),
        failure(
            "a",
            "<tool_use_error>File is in a directory that is denied by your permission settings.</tool_use_error>",
        ),
        read("b", "/p/none"),
        failure("b", "File does not exist."),
        read("c", "/p/secret/y"),
        json!({"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "c", "content": "y"}]}}),
        read("d", "/p/secret/cut_short"),
        read("e", "/p/cut_short"),
    ]);
    let policy = Policy {
        mode: ToolMode::Blacklist,
        rules: vec![Rule::parse("Read(secret/**)").unwrap()],
        project: Some("/p".into()),
        home: None,
    };
    let ids: Vec<&str> = facts.violations(&policy).map(|call| &*call.id).collect();
    assert_eq!(ids, ["a", "d"]);
}

#[test]
fn odd_lines_are_harmless_and_those_that_are_not_json_are_told_apart() {
    let text = "not json\n[1]\n\n  \n{\"type\":7}\n{\"type\":\"new_in_3.0\",\"x\":{}}\n\u{feff}{}\n{\"a\":\"\u{2028}\"}\r\n\
        {\"type\":\"assistant\",\"message\":null}\n{\"type\":\"result\",\"is_error\":\"no\"}\n{\"type\":\"res";
    let deep = format!("{{\"a\":{}", "[".repeat(1_000_000));
    let json_of = |bytes: &[u8]| {
        let (mut reader, mut json) = (StreamReader::default(), String::new());
        let mut each = |_: &[u8], is_json: bool| json.push(if is_json { 'y' } else { 'n' });
        reader.feed(bytes, &mut each);
        let facts = reader.finish(each);
        (json, facts)
    };
    let (json, facts) = json_of(text.as_bytes());
    assert_eq!(json, "nyyynyyyn");
    assert!(
        facts.outcome.unwrap().is_error,
        "what does not say that it is good is not"
    );
    for bad in [&b"\xff\xfe\n"[..], deep.as_bytes()] {
        assert_eq!(json_of(bad).0, "n");
    }
}

#[test]
fn a_flood_of_large_inputs_and_names_is_limited() {
    let mut reader = StreamReader::default();
    for id in 0..40 {
        let input = "x".repeat(1024 * 1024);
        let record = json!({"type": "assistant", "message": {"id": "m", "content": [
            {"type": "tool_use", "id": id.to_string(), "name": "Write", "input": {"content": input}}]}});
        reader.feed(format!("{record}\n").as_bytes(), |_, _| ());
    }
    let record = json!({"type": "system", "subtype": "init", "tools": ["x".repeat(1000)]});
    reader.feed(format!("{record}\n").as_bytes(), |_, _| ());
    let facts = reader.finish(|_, _| ());
    assert_eq!(facts.calls.count, 40);
    let kept = facts
        .calls
        .kept
        .iter()
        .filter(|call| !call.input.is_null())
        .count();
    assert_eq!((kept, facts.tools.len()), (7, 0));
}

/// Lines as they could come, and some that could not.
fn line() -> impl Strategy<Value = String> {
    let words = "(type|assistant|user|result|system|message|content|id|tool_use|is_error|subtype|init|task_id|[a-z]{1,3})";
    prop_oneof![
        Just(call("a", "Bash", None).to_string()),
        Just(failure("a", "No such tool available: Bash").to_string()),
        Just(json!({"type": "result", "is_error": false, "result": "ä"}).to_string()),
        "\\{(\"(type|id)\":(\"[a-z]{0,4}\"|[0-9]|\\[\\]|null),?){0,3}\\}",
        (words, words, words).prop_map(|(a, b, c)| format!(
            "{{\"type\":\"{a}\",\"{b}\":{{\"{c}\":[{{\"{a}\":\"{b}\"}}]}}}}"
        )),
        "\\PC{0,20}",
    ]
}

proptest! {
    #[test]
    fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = read(&bytes);
    }

    #[test]
    fn the_facts_do_not_depend_on_the_chunks(lines in prop::collection::vec(line(), 0..12), sizes in prop::collection::vec(1_usize..40, 1..20)) {
        let text = lines.join("\n");
        let whole = read(text.as_bytes());
        let mut reader = StreamReader::default();
        let mut rest = text.as_bytes();
        for size in sizes.iter().cycle() {
            let (chunk, after) = rest.split_at((*size).min(rest.len()));
            reader.feed(chunk, |_, _| ());
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
        prop_assert_eq!(reader.finish(|_, _| ()), whole);
    }
}
