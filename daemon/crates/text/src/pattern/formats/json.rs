//! JSON in a text: documents that can be parsed and have contents.

use serde_json::Value;
use std::ops::Range;

/// Maximum number of reported documents.
const MAX_DOCUMENTS: usize = 100;

/// How many times the text's length may be read while searching for documents: unmatched brackets are expensive.
const MAX_READS: usize = 8;

/// Maximum depth of a reported document. A reply must stay below the 128 levels that clients parse.
const MAX_DEPTH: usize = 120;

/// An object or array.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Document {
    pub span: Range<usize>,
    pub value: Value,
}

/// Returns the documents of a text in order, and whether some were left out: too many, too deep, or after too many
/// unmatched brackets.
pub(super) fn documents(text: &str) -> (Vec<Document>, bool) {
    let bytes = text.as_bytes();
    let whole = text.len() - text.trim_start().len()..text.trim_end().len();
    let mut budget = MAX_READS * text.len() + 1024;
    let mut found = Vec::new();
    let (mut at, mut is_cut) = (0, false);
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
        if nesting(&bytes[start..start + read], MAX_DEPTH).0 > MAX_DEPTH {
            let (_, len) = nesting(&bytes[start..], usize::MAX);
            budget = budget.saturating_sub(len);
            (at, is_cut) = (start + len, true);
            continue;
        }
        if let Some(value) = value {
            let span = start..start + read;
            if is_in_braces(&text[..start]) && !holds_objects(&value) {
                continue;
            }
            at = span.end;
            if has_content(&value, span == whole) {
                found.push(Document { span, value });
            }
        }
    }
    (found, is_cut)
}

/// Returns the depth of the brackets with which a text starts, at most one more than `enough`, and their length in
/// bytes.
fn nesting(bytes: &[u8], enough: usize) -> (usize, usize) {
    let (mut depth, mut deepest) = (0usize, 0);
    let (mut is_string, mut is_escaped) = (false, false);
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_string => is_escaped = true,
            b'"' => is_string = !is_string,
            b'{' | b'[' if !is_string => depth += 1,
            b'}' | b']' if !is_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
        if depth == 0 || deepest > enough {
            return (deepest, at + 1);
        }
    }
    (deepest, bytes.len())
}

/// Returns whether a brace is open in the last line of a text: what follows belongs to something that is not JSON, such
/// as `{b: [1, 2]}`. Only the end of a long line is checked.
fn is_in_braces(before: &str) -> bool {
    const LOOKED_AT_BYTES: usize = 200;
    let from = before.floor_char_boundary(before.len().saturating_sub(LOOKED_AT_BYTES));
    let line = before[from..].rsplit('\n').next().unwrap_or_default();
    line.matches('{').count() > line.matches('}').count()
}

/// Returns whether it contains an object, whose quoted names make it JSON in any context.
fn holds_objects(value: &Value) -> bool {
    match value {
        Value::Object(_) => true,
        Value::Array(items) => items.iter().any(holds_objects),
        _ => false,
    }
}

/// Checks cheaply what follows the bracket.
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

/// Parses the start of a text; returns how many bytes were read for it too.
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

/// `[12]` and `[x]` are brackets around a word; `{}` is a result only if there is nothing else.
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

    fn values(text: &str) -> Vec<Value> {
        let (found, _) = documents(text);
        found.into_iter().map(|document| document.value).collect()
    }

    #[test]
    fn documents_are_taken_out_of_the_text_around_them() {
        let text = "reply: {\"a\": {\"b\": [1, 2, {\"c\": \"}\"}]}} done\n[1,2] {\"d\": 1.5}";
        let (found, is_cut) = documents(text);
        assert!(!is_cut);
        let first = r#"{"a": {"b": [1, 2, {"c": "}"}]}}"#;
        assert_eq!(&text[found[0].span.clone()], first);
        let nested = json!({"a": {"b": [1, 2, {"c": "}"}]}});
        assert_eq!(values(text), [nested, json!([1, 2]), json!({"d": 1.5})]);
        assert_eq!(values("{broken {\"ok\": true}"), [json!({"ok": true})]);
        assert_eq!(values(" {} \n"), [json!({})]);
        assert_eq!(values("[[1, 2]]"), [json!([[1, 2]])]);
        assert_eq!(values("[\"a\"]"), [json!(["a"])]);
    }

    #[test]
    fn what_is_too_deep_is_left_out_as_a_whole_and_said() {
        let object = |depth: usize| format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
        for depth in [100, 120, 121, 127, 300] {
            let is_told = depth <= 120;
            let text = format!("x {} y [1, 2]", object(depth));
            let (found, is_cut) = documents(&text);
            assert_eq!(found.len(), 1 + usize::from(is_told), "{depth}");
            assert_eq!(is_cut, !is_told, "{depth}");
            assert_eq!(found.last().unwrap().value, json!([1, 2]));
        }
        let array = format!("{}1,2{}", "[".repeat(300), "]".repeat(300));
        assert_eq!(documents(&array), (Vec::new(), true));
    }
}
