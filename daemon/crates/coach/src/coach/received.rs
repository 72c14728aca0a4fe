//! A payload as it was received: read leniently, and without its secrets.

use crate::payload::{Payload, PayloadError, json};
use crate::record::clip;

/// Returns a payload without its secrets, and what is kept of it.
pub(super) fn read(bytes: &[u8]) -> Result<(Payload, String), PayloadError> {
    let clipped = clip(json(bytes)?);
    Ok((Payload::from_json(&clipped.payload)?, clipped.kept))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_an_emoji_is_replaced_and_what_is_not_json_refused() {
        let (payload, _) =
            read(br#"{"hook_event_name":"UserPromptSubmit","prompt":"a\ud83d"}"#).unwrap();
        assert_eq!(payload.prompt.as_deref(), Some("a\u{fffd}"));
        assert!(read(b"{\"a\": ").is_err());
        assert!(
            read(format!("{{\"a\":{}{}}}", "[".repeat(500), "]".repeat(500)).as_bytes()).is_err()
        );
    }
}
