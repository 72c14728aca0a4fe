//! The golden cases: `NAME.jsonl`, and in `NAME.expected.json` what the model says of it.

use super::{LineLocation, Model, Node, Records, Role};
use crate::lines::Lines;
use serde_json::{Value, json};

struct Case {
    expected: Value,
    lines: Vec<String>,
}

macro_rules! case {
    ($name:literal) => {
        Case {
            expected: serde_json::from_str(include_str!(concat!(
                "../../tests/fixtures/",
                $name,
                ".expected.json"
            )))
            .unwrap(),
            lines: include_str!(concat!("../../tests/fixtures/", $name, ".jsonl"))
                .lines()
                .map(str::to_owned)
                .collect(),
        }
    };
}

fn read(lines: &[String]) -> (Records, u64, u64) {
    let mut records = Records::default();
    let mut reader = Lines::default();
    let mut each = |offset, len, line: crate::line::Line<'_>| {
        let place = LineLocation {
            file: 0,
            offset,
            len,
        };
        records.insert(place, &line);
    };
    for line in lines {
        reader.feed(format!("{line}\n").as_bytes(), &mut each);
    }
    let counts = reader.counts();
    (records, counts.skipped, counts.others.values().sum())
}

fn uuids(model: &Model<'_>, records: &[usize]) -> Vec<String> {
    records
        .iter()
        .map(|at| model.records[*at].uuid.clone())
        .collect()
}

fn tree(model: &Model<'_>, nodes: &[Node<'_>]) -> Value {
    let node = |node: &Node<'_>| json!({"parentToolUseId": node.parent_tool_use_id, "records": uuids(model, &node.records), "children": tree(model, &node.children)});
    nodes.iter().map(node).collect()
}

/// Compares what both have.
fn same(name: &str, expected: &Value, found: Value) {
    if let Some(expected) = expected.get(name) {
        assert_eq!(expected, &found, "{name}");
    }
}

fn tokens(usage: &crate::line::Usage, like: &Value) -> Value {
    let all = json!({"input": usage.input_tokens, "output": usage.output_tokens, "cache_creation": usage.cache_creation_input_tokens,
        "cache_read": usage.cache_read_input_tokens, "rule": like["rule"],
        "cache_hit_percent": usage.cache_hit_rate().map(|rate| (rate * 1000.0).round() / 10.0)});
    let wanted = like.as_object().unwrap().keys();
    wanted.map(|key| (key.clone(), all[key].clone())).collect()
}

fn check(case: &Case) {
    let (records, skipped, _) = read(&case.lines);
    let model = Model::new(&records);
    let expected = &case.expected;
    same("skipped_lines", expected, skipped.into());
    same("duplicate_lines", expected, records.duplicates().into());
    same("tree", expected, tree(&model, &model.tree.roots));
    same("models", expected, json!(model.models()));
    same("orphan_results", expected, json!(model.orphan_results));
    let pending = model.pairs.iter().filter(|pair| pair.result.is_none());
    same("pending", expected, pending.map(|pair| pair.id).collect());
    let top = model.turns.iter().filter(|turn| turn.parent.is_none());
    same(
        "top_level_turns",
        expected,
        top.map(|turn| turn.message_id).collect(),
    );
    for (name, usage) in [
        ("tokens", &model.totals.total),
        ("main_tokens", &model.totals.main),
        ("subagent_tokens", &model.totals.subagents),
    ] {
        if let Some(like) = expected.get(name) {
            assert_eq!(like, &tokens(usage, like), "{name}");
        }
    }
    for (turn, expected) in model
        .turns
        .iter()
        .zip(expected["turns"].as_array().into_iter().flatten())
    {
        let Value::Object(expected) = expected else {
            assert_eq!(expected, turn.message_id);
            continue;
        };
        let found = json!({"messageId": turn.message_id, "records": uuids(&model, &turn.records), "parentToolUseId": turn.parent,
            "role": turn.role, "blocks": expected.get("blocks")});
        for (name, value) in expected {
            assert_eq!(value, &found[name], "{name}");
        }
    }
    for (pair, expected) in model
        .pairs
        .iter()
        .zip(expected["pairs"].as_array().into_iter().flatten())
    {
        assert_eq!(expected["id"], pair.id);
        assert_eq!(
            expected["result"].is_null(),
            pair.result.is_none(),
            "{}",
            pair.id
        );
        if let Some(is_error) = expected["result"].get("isError") {
            assert_eq!(is_error, pair.is_error, "{}", pair.id);
        }
    }
}

#[test]
fn golden_cases() {
    for case in [
        case!("01-shared-message-id"),
        case!("02-pending"),
        case!("03-result-first"),
        case!("04-nested-agents"),
        case!("05-agent-summary-only"),
        case!("06-malformed"),
        case!("07-duplicates"),
        case!("08-on-disk-form"),
        case!("09-tools"),
        case!("10-side-calls"),
        case!("11-agent-progress"),
        case!("12-inline-side-chains"),
        case!("13-stream-with-end"),
    ] {
        check(&case);
    }
}

#[test]
fn a_result_before_its_call_is_an_orphan_until_the_call_comes() {
    let case = case!("03-result-first");
    for (count, orphans) in [(1, vec!["t1"]), (2, vec![])] {
        let (records, ..) = read(&case.lines[..count]);
        assert_eq!(Model::new(&records).orphan_results, orphans);
    }
}

#[test]
fn the_form_on_disk_has_other_lines_too() {
    let case = case!("08-on-disk-form");
    let (records, _, others) = read(&case.lines);
    assert_eq!(case.expected["known_other_lines"], others);
    let model = Model::new(&records);
    assert!(
        model
            .turns
            .iter()
            .all(|turn| case.expected["sessionId"] == turn.session_id)
    );
    assert_eq!(model.turns[0].role, Role::User);
}

fn call(uuid: &str, parent: Option<&str>, id: &str) -> String {
    json!({"type": "assistant", "uuid": uuid, "session_id": "s", "parent_tool_use_id": parent,
        "message": {"id": format!("m-{uuid}"), "content": [{"type": "tool_use", "id": id, "name": "Task", "input": {}}]}})
    .to_string()
}

#[test]
fn circles_and_missing_calls_are_orphans() {
    let lines = [
        call("u1", Some("b"), "a"),
        call("u2", Some("a"), "b"),
        call("u3", Some("missing"), "c"),
        call("u4", Some("c"), "d"),
        call("u5", Some("self"), "self"),
    ];
    let (records, ..) = read(&lines);
    let model = Model::new(&records);
    assert_eq!(model.tree.roots, []);
    assert_eq!(model.tree.orphans, ["missing", "b", "self"]);
}

#[test]
fn a_deep_tree_needs_no_stack() {
    let count = 50_000;
    let lines: Vec<String> = (0..count)
        .map(|n| {
            let parent = (n > 0).then(|| format!("t{}", n - 1));
            call(&format!("u{n}"), parent.as_deref(), &format!("t{n}"))
        })
        .collect();
    let (records, ..) = read(&lines);
    let model = Model::new(&records);
    assert_eq!(model.tree.roots.len(), 1);
    assert!(model.tree.orphans.is_empty());
    let mut depth = 0;
    let (mut nodes, mut all) = (&model.tree.roots, 0);
    while let Some(node) = nodes.first() {
        (depth, all) = (depth + 1, all + nodes.len());
        nodes = &nodes
            .iter()
            .max_by_key(|node| node.children.len())
            .unwrap_or(node)
            .children;
    }
    assert_eq!((depth, all), (51, count - 1));
}
