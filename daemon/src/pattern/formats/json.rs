//! JSON in a text: what really parses, and has content.

use serde_json::Value;
use std::ops::Range;

/// Most documents that are told.
const MAX_DOCUMENTS: usize = 100;

/// How many times the text's length may be read in search of documents: brackets that lead nowhere cost.
const MAX_READS: usize = 8;

/// An object or array.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Document {
    pub(crate) span: Range<usize>,
    pub(crate) value: Value,
}

/// Returns the documents of a text in their order, and whether some brackets were not looked at.
pub(super) fn documents(text: &str) -> (Vec<Document>, bool) {
    let bytes = text.as_bytes();
    let whole = text.len() - text.trim_start().len()..text.trim_end().len();
    let mut budget = MAX_READS * text.len() + 1024;
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = memchr::memchr2(b'{', b'[', &bytes[at..]).map(|next| at + next) {
        at = start + 1;
        if !may_begin(&bytes[start..]) {
            continue;
        }
        if budget == 0 || found.len() == MAX_DOCUMENTS {
            return (found, true);
        }
        let (value, read) = parse(&text[start..]);
        budget = budget.saturating_sub(read);
        if let Some(value) = value {
            let span = start..start + read;
            at = span.end;
            if has_content(&value, span == whole) {
                found.push(Document { span, value });
            }
        }
    }
    (found, false)
}

/// A cheap look at what follows the bracket.
fn may_begin(bytes: &[u8]) -> bool {
    let next = bytes[1..].iter().find(|byte| !byte.is_ascii_whitespace());
    match (bytes[0], next) {
        (b'{', Some(b'"' | b'}')) => true,
        (b'[', Some(byte)) => matches!(
            byte,
            b'"' | b'{' | b'[' | b']' | b'-' | b't' | b'f' | b'n' | b'0'..=b'9'
        ),
        _ => false,
    }
}

/// Parses what a text begins with; returns how many bytes were read for it too.
fn parse(text: &str) -> (Option<Value>, usize) {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    match stream.next() {
        Some(Ok(value)) => (Some(value), stream.byte_offset()),
        Some(Err(error)) => {
            let before = match error.line() {
                0 | 1 => 0,
                line => memchr::memchr_iter(b'\n', text.as_bytes())
                    .nth(line - 2)
                    .map_or(0, |newline| newline + 1),
            };
            (None, (before + error.column()).clamp(1, text.len()))
        }
        None => (None, 1),
    }
}

/// `[12]` and `[x]` are brackets around a word; `{}` is an answer only when it is all there is.
fn has_content(value: &Value, is_whole: bool) -> bool {
    match value {
        Value::Object(members) => is_whole || !members.is_empty(),
        Value::Array(items) => match items.as_slice() {
            [] => is_whole,
            [one @ (Value::Object(_) | Value::Array(_))] => has_content(one, is_whole),
            [Value::String(_)] => is_whole,
            [_] => false,
            _ => true,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::time::Instant;

    fn values(text: &str) -> Vec<Value> {
        let (found, _) = documents(text);
        found.into_iter().map(|document| document.value).collect()
    }

    #[test]
    fn documents_are_taken_out_of_the_text_around_them() {
        let text = "reply: {\"a\": {\"b\": [1, 2, {\"c\": \"}\"}]}} done\n[1,2] {\"d\": 1.5}";
        let (found, is_cut) = documents(text);
        assert!(!is_cut);
        assert_eq!(
            &text[found[0].span.clone()],
            "{\"a\": {\"b\": [1, 2, {\"c\": \"}\"}]}}"
        );
        assert_eq!(
            values(text),
            [
                json!({"a": {"b": [1, 2, {"c": "}"}]}}),
                json!([1, 2]),
                json!({"d": 1.5})
            ]
        );
        assert_eq!(values("{broken {\"ok\": true}"), [json!({"ok": true})]);
        assert_eq!(values(" {} \n"), [json!({})]);
        assert_eq!(values("[[1, 2]]"), [json!([[1, 2]])]);
        assert_eq!(values("[\"a\"]"), [json!(["a"])]);
    }

    #[test]
    fn brackets_are_no_json() {
        for text in [
            "",
            "[",
            "{",
            "{}}}",
            "{\"key\": invalid}",
            "(default)[x]",
            "see [1] and [2]",
            "[1]+  Done  sleep 1",
            "[GCC 12.2.0] on linux",
            "[12]",
            "array []",
            "f() { return 1; }",
            "{a: 1}",
            "${HOME}",
            "[y/N]",
            "{'a': 1}",
            "[\"x\"] is a list",
            "[true]",
            "%{http_code}",
        ] {
            assert_eq!(values(text), [] as [Value; 0], "{text:?}");
        }
    }

    #[test]
    fn brackets_without_end_cost_linear_time() {
        for piece in [
            "[",
            "{\"a\":",
            "[\"",
            "[1,",
            "{\"a\":[",
            "[\"a\",{\"b\":1},",
            "[ ",
            "{\"",
            "[[],",
        ] {
            let text = piece.repeat((1 << 17) / piece.len());
            let start = Instant::now();
            documents(&text);
            // Quadratic time would be hours.
            assert!(start.elapsed().as_secs() < 60, "{piece:?}");
        }
    }
}
