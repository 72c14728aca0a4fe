use super::*;
use proptest::prelude::*;
use serde_json::{Value as Json, json};

const COMMAND: &str = "/opt/ccctl hook";
const EVENTS: [&str; 3] = ["UserPromptSubmit", "PreToolUse", "Stop"];

fn added(text: &str) -> String {
    install(text, &EVENTS, COMMAND).unwrap()
}

fn of(text: &str) -> Vec<String> {
    let found = installed(&parse(text).unwrap()).into_iter();
    found.map(|found| found.event).collect()
}

/// The JSON of a text with comments.
fn json(text: &str) -> Json {
    fn of(text: &str, value: &Value) -> Json {
        match &value.kind {
            Kind::Object(members) => {
                let members = members.iter();
                let members = members.map(|member| (member.key.clone(), of(text, &member.value)));
                Json::Object(members.collect())
            }
            Kind::Array(items) => items.iter().map(|item| of(text, item)).collect(),
            _ => serde_json::from_str(&text[value.span.clone()]).unwrap(),
        }
    }
    of(text, &parse(text).unwrap())
}

/// Settings as people have them; whatever is added to them can be removed without a trace.
const SETTINGS: [&str; 14] = [
    "{\"model\":\"x\"}",
    "{\"model\": \"x\"}\n",
    "{\n  \"model\": \"x\",\n  \"new\": {\"a\": [1]}\n}\n",
    "{\r\n\t\"model\": \"x\"\r\n}\r\n",
    "// mine\n{\n    \"model\": \"x\" // good\n    /* more */\n}",
    "\u{feff}{\n  \"model\": \"x\"\n}",
    "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"matcher\": \"\",\n        \"hooks\": [\n          { \"type\": \"command\", \"command\": \"say done\" }\n        ]\n      }\n    ]\n  },\n  \"model\": \"x\"\n}\n",
    "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"a\"}]}]}}",
    "{\n  \"hooks\": {\n    \"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": []}, 7, null, \"x\", [[]]]\n  }\n}",
    "{\n  \"hooks\": {\n    \"Other\": 1 // odd\n  }\n}",
    "{\"hooks\": {\"Notification\": [ {\"hooks\": \"text\"} ]}, \"a\\\"//b\": \"/* no */\"}",
    "{ \"a\": { \"hooks\": { \"Stop\": 1 } } }",
    "{\n\n  \"a\": 1,\n\n  \"hooks\": {\n    // before\n    \"Stop\": [ // in\n      // only this\n      1 ]\n  }\n}",
    "{\"a\":1,\"a\":2,\n\"b\":3}",
];

#[test]
fn what_was_added_is_removed_to_the_byte() {
    for text in SETTINGS {
        let with = added(text);
        assert_eq!(of(&with).len(), 3, "{with}");
        assert_eq!(added(&with), with, "twice");
        assert_eq!(uninstall(&with).unwrap(), text, "from {with}");
        assert_eq!(uninstall(text).unwrap(), text);
        // Event by event, in another order.
        let mut step_by_step = text.to_owned();
        for event in EVENTS.iter().rev() {
            step_by_step = install(&step_by_step, &[event], COMMAND).unwrap();
        }
        assert_eq!(uninstall(&step_by_step).unwrap(), text);
    }
}

#[test]
fn a_new_file_is_written_as_claude_code_would() {
    let expected = "{
  \"hooks\": {
    \"Stop\": [
      {
        \"hooks\": [
          {
            \"type\": \"command\",
            \"command\": \"/opt/ccctl hook\",
            \"timeout\": 5
          }
        ]
      }
    ]
  }
}
";
    for text in ["", "\n", "\u{feff}", "{}\n"] {
        let with = install(text, &["Stop"], COMMAND).unwrap();
        assert_eq!(with, expected);
        assert_eq!(uninstall(&with).unwrap(), "{}\n");
    }
    assert_eq!(uninstall("").unwrap(), "");
}

#[test]
fn containers_that_were_empty_are_left_out_afterwards() {
    for text in ["{\"hooks\":{}}", "{\"hooks\": {\"Stop\": []}}", "{\n}"] {
        let without = uninstall(&added(text)).unwrap();
        assert_eq!(json(&without), json!({}), "{without}");
    }
}

#[test]
fn a_moved_program_replaces_its_old_path() {
    let old = added(
        "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}]}}",
    );
    let new = install(&old, &EVENTS, "'/a \"b\"/ccctl' hook").unwrap();
    assert_eq!(of(&new), of(&old));
    assert!(!new.contains("/opt"));
    assert_eq!(
        installed(&parse(&new).unwrap())[0].command,
        "'/a \"b\"/ccctl' hook"
    );
}

#[test]
fn only_our_hooks_are_ours() {
    let text = r#"{"hooks": {"Stop": [
        {"hooks": [{"type": "command", "command": "a"}, {"type": "command", "command": "/x/ccctl hook"}]},
        {"hooks": [{"type": "command", "command": "ccctl hook --timeout-ms 9"}]},
        {"hooks": [{"type": "http", "command": "ccctl hook"}, {"command": 5}, "ccctl hook"]}
    ], "Odd": {"hooks": []}}}"#;
    assert_eq!(of(text), ["Stop", "Stop"]);
    let expected = r#"{"hooks": {"Stop": [
        {"hooks": [{"type": "command", "command": "a"}]},
        {"hooks": [{"type": "http", "command": "ccctl hook"}, {"command": 5}, "ccctl hook"]}
    ], "Odd": {"hooks": []}}}"#;
    assert_eq!(uninstall(text).unwrap(), expected);
}

#[test]
fn other_shapes_are_refused_with_their_place() {
    let refused = |text: &str| install(text, &["Stop"], COMMAND).unwrap_err().to_string();
    assert_eq!(
        refused("[]"),
        "line 1, column 1: the settings must be an object, but is a list"
    );
    assert!(refused("{\n \"hooks\": 5}").starts_with("line 2, column 11: hooks must be an object"));
    assert!(
        refused("{\"hooks\": {\"Stop\": {}}}")
            .contains("hooks.Stop must be a list, but is an object")
    );
    assert!(refused("{\"a\": 1,}").contains("column 9"));
    assert!(refused("{\"a\"").contains("':' expected"));
    assert!(uninstall("{").is_err());
}

const KEYS: [&str; 6] = ["hooks", "Stop", "PreToolUse", "type", "command", "x"];

/// Any JSON, in any layout, with comments.
fn any_text() -> impl Strategy<Value = String> {
    let space =
        || prop::sample::select(&["", " ", "\n", "\r\n\t", " /* c */ ", "// d\n", "\n  "][..]);
    let word = prop::sample::select(
        &[
            "1",
            "true",
            "null",
            "\"a\"",
            "\"// \\\" {\"",
            "\"ccctl hook\"",
        ][..],
    );
    let leaf = word.prop_map(str::to_owned);
    let value = leaf.prop_recursive(4, 24, 4, move |inner| {
        let around = (space(), inner.clone(), space());
        let item = around.prop_map(|(a, value, b)| format!("{a}{value}{b}"));
        let key = (space(), prop::sample::select(&KEYS[..]), space());
        let key = key.prop_map(|(a, key, b)| format!("{a}\"{key}\"{b}"));
        let member = (key, space(), inner, space());
        let member = member.prop_map(|(key, a, value, b)| format!("{key}:{a}{value}{b}"));
        let inside = |(parts, space): (Vec<String>, &str)| match &parts[..] {
            [] => space.to_owned(),
            parts => parts.join(","),
        };
        let items = (prop::collection::vec(item, 0..4), space());
        let members = (prop::collection::vec(member, 0..4), space());
        prop_oneof![
            items.prop_map(move |items| format!("[{}]", inside(items))),
            members.prop_map(move |members| format!("{{{}}}", inside(members))),
        ]
    });
    (space(), value, space()).prop_map(|(a, value, b)| format!("{a}{value}{b}"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn whatever_can_be_installed_can_be_removed(text in any_text()) {
        let Ok(with) = install(&text, &EVENTS, COMMAND) else {
            return Ok(());
        };
        prop_assert_eq!(install(&with, &EVENTS, COMMAND).unwrap(), with.clone());
        let without = uninstall(&with).unwrap();
        let plain: String = text.split_whitespace().collect();
        let plain = plain.replace("/*c*/", "");
        // Containers that were empty may be left out, and a comment may keep one that is empty now.
        if plain.contains("[]") || plain.contains("{}") || plain.contains("//d") {
            let (mut before, mut after) = (json(&text), json(&without));
            for json in [&mut before, &mut after] {
                json.as_object_mut().unwrap().remove("hooks");
            }
            prop_assert_eq!(before, after);
        } else {
            prop_assert_eq!(without, text);
        }
    }
}
