//! Secrets in a line of JSON.

use super::bytes::{Source, redact_chunks};
use super::text::redact;
use super::values::{Values, redact_values};
use serde::de::IgnoredAny;
use serde_json::Value;
use std::borrow::Cow;
use std::ops::Range;

/// Returns a line without secrets, which stays JSON if it is. Without a secret it is the same; bytes that are not UTF-8 are
/// replaced.
pub fn redact_line(bytes: &[u8]) -> String {
    let line = String::from_utf8_lossy(bytes);
    let is_json = |text: &str| serde_json::from_str::<IgnoredAny>(text).is_ok();
    if !is_json(&line) {
        return redact(&line).text.into_owned();
    }
    let line = without_escaped_secrets(&line);
    let redacted = redact(&line);
    if redacted.removed == 0 || is_json(&redacted.text) {
        return redacted.text.into_owned();
    }
    // The mask has replaced a quote or a bracket too.
    let mut value: Value = serde_json::from_str(&line).unwrap_or_default();
    redact_values(Values::Document(&mut value));
    value.to_string()
}

/// Redacts the texts of a JSON document that have escapes: a secret after a line end follows the `n` of `\n` there, as if it
/// were part of a longer word.
fn without_escaped_secrets(line: &str) -> Cow<'_, str> {
    let (mut clean, mut copied) = (String::new(), 0);
    for literal in literals(line).filter(|literal| line[literal.clone()].contains('\\')) {
        let Some(text) = decoded(&line[literal.clone()]) else {
            continue;
        };
        if let Some(redacted) = without_secrets(&text) {
            clean.push_str(&line[copied..literal.start]);
            clean.push_str(&Value::from(redacted).to_string());
            copied = literal.end;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(line);
    }
    clean.push_str(&line[copied..]);
    Cow::Owned(clean)
}

/// Returns a text with masks if it has secrets, also between colours that a program printed.
fn without_secrets(text: &str) -> Option<String> {
    let redacted = redact(text);
    let masked = (redacted.removed > 0).then(|| redacted.text.into_owned());
    if !text.contains('\u{1b}') {
        return masked;
    }
    let shown = redact_chunks([masked.as_deref().unwrap_or(text)], Source::Output);
    match shown.count() {
        0 => masked,
        _ => Some(String::from_utf8_lossy(&shown.concat()).into_owned()),
    }
}

/// Returns where the texts of a JSON document are, with their quotes.
fn literals(line: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = line.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + memchr::memchr(b'"', &bytes[at..])?;
        let mut end = start + 1;
        loop {
            end += memchr::memchr2(b'"', b'\\', &bytes[end..])?;
            match bytes[end] {
                b'"' => break,
                _ => end = (end + 2).min(bytes.len()),
            }
        }
        at = end + 1;
        Some(start..at)
    })
}

/// Returns the text of a literal. Halves of characters, which JSON can have, become replacement characters.
fn decoded(literal: &str) -> Option<String> {
    let text = serde_json::from_str(literal).ok();
    text.or_else(|| {
        let mut whole = literal.to_owned();
        for at in literal.match_indices("\\u").map(|(at, _)| at) {
            let is_half = literal[at + 2..].starts_with(['d', 'D']);
            if is_half && literal.is_char_boundary(at + 6) {
                whole.replace_range(at..at + 6, "\\ufffd");
            }
        }
        serde_json::from_str(&whole).ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_line_without_secrets_is_unchanged_and_one_with_secrets_stays_json() {
        let plain = br#"{ "type":"x", "n": 1.0, "u": "\u00e4" }"#;
        assert_eq!(redact_line(plain).as_bytes(), plain);
        let key = format!("sk-ant-api03-{}", "aB3dE5gH7j".repeat(9));
        let secret = format!(r#"{{"type":"x","text":"the key is {key}","p":"password={key}"}}"#);
        let redacted = redact_line(secret.as_bytes());
        assert!(!redacted.contains(&key), "{redacted}");
        let value: Value = serde_json::from_str(&redacted).unwrap();
        assert_eq!(value["type"], "x");
    }

    #[test]
    fn secrets_are_found_beside_escapes() {
        let key = format!("AKIA{}", "IOSFODNN7EXAMPLE");
        for before in ["\n", "\r\n", "1\t", "\u{1b}[31m", "\u{0}", "a\\\n", "\"\n"] {
            let text = format!("keys:{before}{key}\nend \"{before}{key}\"");
            let line = serde_json::json!({"a\n": [text, {"b": "plain \n"}], "n": 1.50}).to_string();
            let redacted = redact_line(line.as_bytes());
            assert!(!redacted.contains(&key), "{redacted}");
            let value: Value = serde_json::from_str(&redacted).unwrap();
            let masked = format!("keys:{before}***\nend \"{before}***\"");
            assert_eq!(value["a\n"][0], masked);
            assert_eq!(value["a\n"][1]["b"], "plain \n");
        }
        let half = format!(r#"{{"a":"\ud83d\n{key}"}}"#);
        assert!(!redact_line(half.as_bytes()).contains(&key));
    }

    proptest! {
        #[test]
        fn every_text_of_a_document_is_redacted(texts in prop::collection::vec(r#"([\n\t"\\a ]{0,3}(password=Ab1xYz9Q|AKIAIOSFODNN7EXAMPLE|ghp_0123456789abcdefghijABCDEFGHIJ012345)?){0,3}"#, 0..4)) {
            let line = serde_json::to_string(&texts).unwrap();
            let redacted: Vec<String> = serde_json::from_str(&redact_line(line.as_bytes())).unwrap();
            for (text, shown) in texts.iter().zip(redacted) {
                if text.contains('\n') {
                    prop_assert_eq!(redact(&shown).removed, 0, "{} {}", text, shown);
                }
            }
        }
    }
}
