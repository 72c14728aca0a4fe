//! A payload as it was received: read leniently, and without its secrets.

use crate::payload::Payload;
use crate::record::clip;
use ccd_base::surrogate::mended_text;
use serde_json::Value;

/// Returns a payload without its secrets, and what is kept of it.
pub(super) fn read(bytes: &[u8]) -> Option<(Payload, String)> {
    let json: Value = serde_json::from_str(&mended_text(bytes)).ok()?;
    let clipped = clip(json);
    let payload = Payload::of(&clipped.payload).ok()?;
    Some((payload, clipped.kept))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_an_emoji_is_replaced_and_what_is_not_json_refused() {
        let (payload, _) =
            read(br#"{"hook_event_name":"UserPromptSubmit","prompt":"a\ud83d"}"#).unwrap();
        assert_eq!(payload.prompt.as_deref(), Some("a\u{fffd}"));
        assert!(read(b"{\"a\": ").is_none());
        assert!(
            read(format!("{{\"a\":{}{}}}", "[".repeat(500), "]".repeat(500)).as_bytes()).is_none()
        );
    }
}
