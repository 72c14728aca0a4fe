//! Removes secrets from a payload, and shortens it.

use ccd_text::redact::{Values, redact_values};
use serde_json::{Map, Value};

/// Most bytes of one text that are examined and kept: more than Claude Code passes on of a tool's output.
const MAX_TEXT_BYTES: usize = 32 << 10;

/// A secret that begins within the limit is found as long as it ends at most this many bytes after it.
const SLACK_BYTES: usize = 4 << 10;

const MAX_KEPT_BYTES: usize = 64 << 10;

/// Most bytes of one text, and most entries of one list, in a payload that would be too large otherwise.
const SHORT_TEXT_BYTES: usize = 1 << 10;
const SHORT_LIST_LEN: usize = 32;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Clipped {
    /// Each of its texts is at most 32 KiB long.
    pub(crate) payload: Value,
    /// At most 64 KiB of JSON, for `hook_events`.
    pub(crate) kept: String,
}

/// Removes the secrets of `payload`, and shortens its texts.
pub(crate) fn clip(mut payload: Value) -> Clipped {
    each_text(&mut payload, &mut |text| {
        cut(text, MAX_TEXT_BYTES + SLACK_BYTES);
    });
    redact_values(Values::Document(&mut payload));
    each_text(&mut payload, &mut |text| cut(text, MAX_TEXT_BYTES));
    let kept = shortened(&payload);
    Clipped { payload, kept }
}

fn shortened(payload: &Value) -> String {
    let whole = payload.to_string();
    if whole.len() <= MAX_KEPT_BYTES {
        return whole;
    }
    let mut short = payload.clone();
    each_text(&mut short, &mut |text| cut(text, SHORT_TEXT_BYTES));
    each_list(&mut short);
    let text = short.to_string();
    if text.len() <= MAX_KEPT_BYTES {
        return text;
    }
    // Only plain members of the payload itself, as long as there is room.
    let (mut room, mut plain) = (MAX_KEPT_BYTES - 64, Map::new());
    for (name, value) in short.as_object().into_iter().flatten() {
        let len = name.len() + value.to_string().len() + 8;
        if !value.is_object() && !value.is_array() && len <= room {
            room -= len;
            plain.insert(name.clone(), value.clone());
        }
    }
    plain.insert("ccd_shortened".into(), true.into());
    Value::Object(plain).to_string()
}

fn each_text(value: &mut Value, change: &mut impl FnMut(&mut String)) {
    match value {
        Value::String(text) => change(text),
        Value::Array(values) => values.iter_mut().for_each(|one| each_text(one, change)),
        Value::Object(members) => members.values_mut().for_each(|one| each_text(one, change)),
        _ => {}
    }
}

fn each_list(value: &mut Value) {
    match value {
        Value::Array(values) => {
            values.truncate(SHORT_LIST_LEN);
            values.iter_mut().for_each(each_list);
        }
        Value::Object(members) => members.values_mut().for_each(each_list),
        _ => {}
    }
}

/// Shortens `text` to at most `max` bytes; an ellipsis shows that something is missing.
fn cut(text: &mut String, max: usize) {
    if text.len() > max {
        text.truncate(text.floor_char_boundary(max - '…'.len_utf8()));
        text.push('…');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn secrets_are_removed_by_their_form_and_by_their_name() {
        let clipped = clip(json!({
            "prompt": "use ghp_0123456789abcdefghijABCDEFGHIJ012345 for it",
            "tool_input": {"env": {"DB_PASSWORD": "hunter2hunter2"}},
        }));
        assert!(!clipped.kept.contains("ghp_0123"), "{}", clipped.kept);
        assert!(!clipped.kept.contains("hunter2"), "{}", clipped.kept);
        assert_eq!(clipped.payload.to_string(), clipped.kept);
    }

    #[test]
    fn a_secret_at_the_border_of_a_long_text_is_removed() {
        for before in MAX_TEXT_BYTES - 45..MAX_TEXT_BYTES + 2 {
            let text = format!(
                "{} ghp_0123456789abcdefghijABCDEFGHIJ012345",
                "x".repeat(before)
            );
            let clipped = clip(json!({"prompt": text}));
            let prompt = clipped.payload["prompt"].as_str().unwrap();
            assert!(!prompt.contains("ghp_"), "{before}");
            assert!(prompt.len() <= MAX_TEXT_BYTES);
        }
    }

    #[test]
    fn what_is_kept_is_bounded_whatever_the_payload_is_like() {
        let texts: Vec<String> = (0..20_000).map(|n| format!("line {n}")).collect();
        let members: Map<String, Value> =
            (0..20_000).map(|n| (format!("m{n}"), n.into())).collect();
        for payload in [
            json!({"session_id": "s", "a": "é".repeat(5 << 20)}),
            json!({"session_id": "s", "a": texts}),
            json!({"session_id": "s", "a": {"b": members}}),
            json!({"session_id": "s", "a": (0..90).map(|_| "x".repeat(10_000)).collect::<Vec<_>>()}),
            Value::Object(
                members
                    .into_iter()
                    .chain([("session_id".to_owned(), "s".into())])
                    .collect(),
            ),
        ] {
            let clipped = clip(payload);
            assert!(
                clipped.kept.len() <= MAX_KEPT_BYTES,
                "{}",
                clipped.kept.len()
            );
            let kept: Value = serde_json::from_str(&clipped.kept).unwrap();
            assert!(kept.is_object());
        }
    }
}
