use super::*;
use proptest::prelude::*;
use serde_json::json;

const COMMAND: &str = "/opt/ccctl hook";
const EVENTS: [&str; 3] = ["UserPromptSubmit", "PreToolUse", "Stop"];

fn added(text: &str) -> String {
    install(text, &EVENTS, COMMAND).unwrap()
}

fn of(text: &str) -> Vec<String> {
    let found = installed(&parse(text).unwrap()).into_iter();
    found.map(|found| found.event).collect()
}

/// Settings as people have them.
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
fn what_was_added_is_removed() {
    for text in SETTINGS {
        let with = added(text);
        assert_eq!(of(&with).len(), 3, "{with}");
        assert_eq!(added(&with), with, "twice");
        let without = uninstall(&with).unwrap();
        assert_eq!(parse(&without).unwrap(), parse(text).unwrap(), "{without}");
        assert_eq!(words(&without), words(text));
        assert_eq!(uninstall(text).unwrap(), text);
    }
}

/// Comments count, white space does not.
fn words(text: &str) -> String {
    text.split_whitespace().collect()
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
        assert_eq!(parse(&without).unwrap(), json!({}), "{without}");
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
fn what_has_a_comment_stays() {
    let ours = r#"{"type": "command", "command": "ccctl hook"}"#;
    for group in [
        "[{ /* mine */ \"hooks\": [OURS] }]",
        "[{ \"hooks\": /* mine */ [OURS] }]",
        "/* mine */ [{ \"hooks\": [OURS] }]",
        "[{ // mine\n \"matcher\": \"x\", \"hooks\": [OURS] }]",
        "[{ \"hooks\": [OURS\n // mine\n] }]",
    ] {
        let text = format!("{{\"hooks\": {{\"Stop\": {group}}}}}").replace("OURS", ours);
        let without = uninstall(&text).unwrap();
        assert!(without.contains("mine"), "{without}");
        assert!(of(&without).is_empty(), "{without}");
    }
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
    assert_eq!(refused("[]"), "the file must be an object");
    assert_eq!(refused("{\n \"hooks\": 5}"), "hooks must be an object");
    assert_eq!(
        refused("{\"hooks\": {\"Stop\": {}}}"),
        "hooks.Stop must be a list"
    );
    assert!(refused("{\n\"a\": 1,}").ends_with("line 2 column 7"));
    for text in ["{", "{} x", "{a: 1}", "['x']", "[1 2]", &"[".repeat(9_999)] {
        assert!(parse(text).is_err() && uninstall(text).is_err(), "{text}");
    }
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
        let comments = |text: &str| ["/* c */", "// d"].map(|comment| text.matches(comment).count());
        prop_assert_eq!(comments(&with), comments(&text), "{}", with);
        prop_assert_eq!(comments(&without), comments(&text), "{}", without);
        let (mut before, mut after) = (parse(&text).unwrap(), parse(&without).unwrap());
        // Containers that were empty may be left out.
        if words(&text).replace("/*c*/", "").replace("//d", "").contains(['[', '{']) {
            for json in [&mut before, &mut after] {
                json.as_object_mut().unwrap().remove("hooks");
            }
        }
        prop_assert_eq!(before, after);
    }
}
