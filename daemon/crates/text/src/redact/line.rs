//! Secrets in a line of JSON.

use super::text::redact;
use super::values::{Values, redact_values};
use serde::de::IgnoredAny;
use serde_json::Value;

/// Returns a line without secrets, which stays JSON if it is. Without a secret it is the same; bytes that are not UTF-8 are
/// replaced.
pub fn redact_line(bytes: &[u8]) -> String {
    let line = String::from_utf8_lossy(bytes);
    let redacted = redact(&line);
    if redacted.removed == 0 {
        return line.into_owned();
    }
    let is_json = |text: &str| serde_json::from_str::<IgnoredAny>(text).is_ok();
    if !is_json(&line) || is_json(&redacted.text) {
        return redacted.text.into_owned();
    }
    // The mask has replaced a quote or a bracket too.
    let mut value: Value = serde_json::from_str(&line).unwrap_or_default();
    redact_values(Values::Document(&mut value));
    value.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
