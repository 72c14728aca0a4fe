//! A payload as it was received: read leniently, and without its secrets.

use crate::payload::Payload;
use crate::record::clip;
use serde_json::Value;

/// Returns a payload without its secrets, and what is kept of it.
pub(super) fn read(bytes: &[u8]) -> Option<(Payload, String)> {
    let text = String::from_utf8_lossy(bytes);
    let json: Value = match serde_json::from_str(&text) {
        Ok(json) => json,
        // A text that was cut in the middle of a character of UTF-16 is no text to serde.
        Err(_) => serde_json::from_str(&without_lone_surrogates(&text)).ok()?,
    };
    let clipped = clip(json);
    let payload = Payload::parse(clipped.payload.to_string().as_bytes()).ok()?;
    Some((payload, clipped.kept))
}

/// Replaces each `\uD800` to `\uDFFF` that is no half of a pair.
fn without_lone_surrogates(text: &str) -> String {
    let code = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u32::from_str_radix(digits, 16).ok()
    };
    let (mut clean, mut at) = (String::with_capacity(text.len()), 0);
    while let Some(next) = text[at..].find('\\').map(|found| at + found) {
        clean.push_str(&text[at..next]);
        let (taken, is_lone) = match (code(next), code(next + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => (12, false),
            (Some(0xD800..=0xDFFF), _) => (6, true),
            (Some(_), _) => (6, false),
            // The next character is part of the escape.
            (None, _) => (
                1 + text[next + 1..].chars().next().map_or(0, char::len_utf8),
                false,
            ),
        };
        match is_lone {
            true => clean.push_str("\\ufffd"),
            false => clean.push_str(&text[next..next + taken]),
        }
        at = next + taken;
    }
    clean.push_str(&text[at..]);
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_characters_are_replaced_and_whole_ones_kept() {
        for (text, clean) in [
            (r#"{"a":"\ud83d"}"#, r#"{"a":"\ufffd"}"#),
            (
                r#"{"a":"\ud83d\ude00 \udE00"}"#,
                r#"{"a":"\ud83d\ude00 \ufffd"}"#,
            ),
            (r#"{"a":"\\ud83d\n\u0041"}"#, r#"{"a":"\\ud83d\n\u0041"}"#),
            (r#"{"a":"é\"#, r#"{"a":"é\"#),
            ("\\é\\u12", "\\é\\u12"),
        ] {
            assert_eq!(without_lone_surrogates(text), clean);
        }
        let (payload, _) =
            read(br#"{"hook_event_name":"UserPromptSubmit","prompt":"a\ud83d"}"#).unwrap();
        assert_eq!(payload.prompt.as_deref(), Some("a\u{fffd}"));
        assert!(read(b"{\"a\": ").is_none());
        assert!(
            read(format!("{{\"a\":{}{}}}", "[".repeat(500), "]".repeat(500)).as_bytes()).is_none()
        );
    }
}
