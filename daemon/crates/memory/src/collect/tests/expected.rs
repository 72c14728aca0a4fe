//! Compares a memory with the `expected.json` of a fixture, by the rules of its README.

use serde_json::Value;

/// Panics with the path of the first difference. `text` is the file.
pub(super) fn compare(expected: &Value, memory: &Value, text: &str, name: &str) {
    for (field, expected) in expected.as_object().unwrap() {
        match field.as_str() {
            "about" => (),
            "markdown" => markdown(expected, memory, text),
            _ => value(field, expected, &memory[field.as_str()], name),
        }
    }
}

fn strings(value: &Value) -> Vec<String> {
    let one = |value: &Value| match &value["join"] {
        Value::Array(parts) => parts.iter().map(|part| part.as_str().unwrap()).collect(),
        _ => value.as_str().unwrap().to_owned(),
    };
    value.as_array().unwrap().iter().map(one).collect()
}

fn contains(text: &str, part: &str) -> bool {
    text.to_lowercase().contains(&part.to_lowercase())
}

fn value(at: &str, expected: &Value, found: &Value, name: &str) {
    match expected {
        Value::Object(rules) if is_list(rules) => list(at, rules, found),
        Value::Object(fields) => {
            for (field, expected) in fields {
                rule(at, field, expected, found, name);
            }
        }
        Value::Array(items) if at.ends_with("nextTasks") => {
            let ids: Vec<&Value> = found
                .as_array()
                .unwrap()
                .iter()
                .map(|task| &task["id"])
                .collect();
            assert_eq!(ids, items.iter().collect::<Vec<_>>(), "{at}");
        }
        Value::Array(items) => {
            let found = found.as_array().unwrap_or_else(|| panic!("{at}: {found}"));
            assert_eq!(found.len(), items.len(), "{at}: {found:?}");
            items
                .iter()
                .zip(found)
                .for_each(|(expected, found)| value(at, expected, found, name));
        }
        Value::String(text) if text == "@DIRNAME@" => assert_eq!(found, name, "{at}"),
        _ => assert_eq!(found, expected, "{at}"),
    }
}

fn rule(at: &str, field: &str, expected: &Value, found: &Value, name: &str) {
    let at_field = format!("{at}.{field}");
    let text = || found.as_str().unwrap_or_else(|| panic!("{at}: {found}"));
    if let Some(field) = field.strip_suffix("_any") {
        let found = if field == "contains" {
            found
        } else {
            &found[field]
        };
        let any = strings(expected);
        match field {
            "contains" => assert!(
                any.iter().any(|part| contains(text(), part)),
                "{at}: {found}"
            ),
            _ => assert!(
                any.iter()
                    .any(|one| found == &one.replace("@DIRNAME@", name)),
                "{at_field}: {found}"
            ),
        }
        return;
    }
    if let Some(field) = field
        .strip_suffix("_contains")
        .filter(|field| *field != "must")
    {
        assert!(
            contains(found[field].as_str().unwrap(), expected.as_str().unwrap()),
            "{at_field}: {found}"
        );
        return;
    }
    match field {
        "note" | "rules" => (),
        "contains" => strings(expected)
            .iter()
            .for_each(|part| assert!(contains(text(), part), "{at}: {found}")),
        "not_null" => assert!(!found.is_null(), "{at}"),
        "failures_max" => assert!(
            found["failures"].as_array().unwrap().len() as u64 <= expected.as_u64().unwrap()
        ),
        "failures_more" => {
            let left_out = found["failed"].as_u64().unwrap()
                - found["failures"].as_array().unwrap().len() as u64;
            assert_eq!(left_out, expected.as_u64().unwrap(), "{at}");
        }
        "next_titles_contain" => {
            let titles = found["nextTasks"].as_array().unwrap();
            for (title, part) in titles.iter().zip(strings(expected)) {
                assert!(
                    contains(title["title"].as_str().unwrap(), &part),
                    "{at}: {titles:?}"
                );
            }
            assert_eq!(titles.len(), expected.as_array().unwrap().len());
        }
        _ => value(&at_field, expected, &found[field], name),
    }
}

fn is_list(rules: &serde_json::Map<String, Value>) -> bool {
    ["max", "min", "count", "must_include", "must_not_include"]
        .iter()
        .any(|rule| rules.contains_key(*rule))
}

/// Title, description and action of an entry; of a file, its path and reason.
fn said(entry: &Value) -> String {
    let fields = [
        "title",
        "description",
        "requiredAction",
        "path",
        "reason",
        "action",
        "reference",
    ];
    fields
        .iter()
        .filter_map(|field| entry[*field].as_str())
        .collect::<Vec<_>>()
        .join("\n")
}

fn list(at: &str, rules: &serde_json::Map<String, Value>, found: &Value) {
    let entries = found.as_array().unwrap();
    for (rule, expected) in rules {
        match rule.as_str() {
            "max" => assert!(entries.len() as u64 <= expected.as_u64().unwrap(), "{at}"),
            "min" => assert!(entries.len() as u64 >= expected.as_u64().unwrap(), "{at}"),
            "count" => assert_eq!(
                entries.len() as u64,
                expected.as_u64().unwrap(),
                "{at}: {entries:?}"
            ),
            "first_priority" => assert_eq!(&entries[0]["priority"], expected, "{at}"),
            "must_include" => {
                for wanted in expected.as_array().unwrap() {
                    assert!(
                        entries.iter().any(|entry| is_wanted(entry, wanted)),
                        "{at}: {wanted} in {entries:#?}"
                    );
                }
            }
            "must_not_include" => {
                for part in strings(expected) {
                    let other = entries.iter().find(|entry| said(entry).contains(&part));
                    assert!(other.is_none(), "{at}: {other:?}");
                }
            }
            "may_include" | "all_with_priority_before_cut" => (),
            rule => panic!("{at}: unknown rule {rule}"),
        }
    }
}

fn is_wanted(entry: &Value, wanted: &Value) -> bool {
    wanted
        .as_object()
        .unwrap()
        .iter()
        .all(|(field, expected)| match field.as_str() {
            "from" => true,
            "contains_any" => strings(expected)
                .iter()
                .any(|part| contains(&said(entry), part)),
            field => &entry[field] == expected,
        })
}

fn markdown(rules: &Value, memory: &Value, text: &str) {
    for (rule, expected) in rules.as_object().unwrap() {
        match rule.as_str() {
            "max_bytes" => assert!(text.len() as u64 <= expected.as_u64().unwrap()),
            "must_contain" => strings(expected)
                .iter()
                .for_each(|part| assert!(text.contains(part), "{part}: {text}")),
            "must_contain_any" => assert!(
                strings(expected).iter().any(|part| text.contains(part)),
                "{text}"
            ),
            "must_not_contain" => strings(expected)
                .iter()
                .for_each(|part| assert!(!text.contains(part), "{text}")),
            "must_contain_in_blockers" => {
                let blockers: String = memory["blockers"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(said)
                    .collect();
                strings(expected)
                    .iter()
                    .for_each(|part| assert!(blockers.contains(part), "{part}: {blockers}"));
            }
            "note" => (),
            rule => panic!("unknown rule {rule}"),
        }
    }
}
