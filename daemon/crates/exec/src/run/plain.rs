//! Texts without secrets, on their way to the database and to clients.

use ccd_text::redact::{Values, redact, redact_values};
use serde::de::IgnoredAny;
use serde_json::Value;

/// Returns a text of people.
pub(crate) fn text(text: &str) -> String {
    redact(text).text.into_owned()
}

/// Returns a line of the stream, which stays JSON if it is. Without a secret it is the same.
pub(crate) fn line(bytes: &[u8]) -> String {
    let line = String::from_utf8_lossy(bytes);
    let redacted = redact(&line);
    if redacted.removed == 0 {
        return line.into_owned();
    }
    let was_json = serde_json::from_str::<IgnoredAny>(&line).is_ok();
    if !was_json || serde_json::from_str::<IgnoredAny>(&redacted.text).is_ok() {
        return redacted.text.into_owned();
    }
    // The mask has replaced a quote or a bracket too.
    value(serde_json::from_str(&line).unwrap_or_default()).to_string()
}

/// Returns a value whose texts have no secrets.
pub(crate) fn value(mut value: Value) -> Value {
    redact_values(Values::Document(&mut value));
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_without_secrets_is_unchanged_and_one_with_secrets_stays_json() {
        let plain = br#"{ "type":"x", "n": 1.0, "u": "\u00e4" }"#;
        assert_eq!(line(plain).as_bytes(), plain);
        let key = format!("sk-ant-api03-{}", "aB3dE5gH7j".repeat(9));
        let secret = format!(r#"{{"type":"x","text":"the key is {key}","p":"password={key}"}}"#);
        let redacted = line(secret.as_bytes());
        assert!(!redacted.contains(&key), "{redacted}");
        let value: Value = serde_json::from_str(&redacted).unwrap();
        assert_eq!(value["type"], "x");
    }
}
