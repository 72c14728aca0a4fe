//! Output and inputs as they are put into reports.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ccd_protocol::investigate::{Finding, FindingKind};
use ccd_text::expect::clean_lossy;
use ccd_text::redact::redact;

const MAX_CHARS: usize = 500;

const MAX_SHOWN_CHARS: usize = 40;

/// Returns the start of an output, without secrets.
pub(super) fn sample(text: &str) -> String {
    redact(text).text.trim().chars().take(MAX_CHARS).collect()
}

/// Does the same for bytes, also without escape sequences.
pub(super) fn sample_bytes(raw: &[u8]) -> String {
    let raw = &raw[..raw.len().min(MAX_CHARS * 16)];
    sample(&clean_lossy(raw, encoding_rs::UTF_8))
}

pub(super) fn shown(input: &[u8]) -> String {
    let text = String::from_utf8_lossy(input);
    let start: String = text.chars().take(MAX_SHOWN_CHARS).collect();
    if start.len() < text.len() {
        format!("{start:?}… ({} bytes)", input.len())
    } else {
        format!("{start:?}")
    }
}

pub(super) fn finding(kind: FindingKind, input: Option<&[u8]>, message: String) -> Finding {
    let text = input.map(|input| std::str::from_utf8(input));
    let (input, input_b64) = match (text, input) {
        (Some(Ok(text)), _) => (Some(text.to_owned()), None),
        (Some(Err(_)), Some(bytes)) => (None, Some(STANDARD.encode(bytes))),
        _ => (None, None),
    };
    Finding {
        kind,
        command: None,
        state: None,
        input,
        input_b64,
        signal: None,
        exit_status: None,
        message,
        tape: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_short_and_has_no_secret() {
        assert_eq!(sample(&"é".repeat(900)).chars().count(), 500);
        let secret = sample("password: hunter2hunter2\n");
        assert!(!secret.contains("hunter2"), "{secret}");
        assert_eq!(sample_bytes(b"\x1b[1mbold\x1b[0m\r\n"), "bold");
    }

    #[test]
    fn an_input_is_text_or_base64() {
        let text = finding(FindingKind::Crash, Some(b"%n"), String::new());
        assert_eq!((text.input.as_deref(), text.input_b64), (Some("%n"), None));
        let bytes = finding(FindingKind::Crash, Some(b"\xff"), String::new());
        assert_eq!(
            (bytes.input, bytes.input_b64.as_deref()),
            (None, Some("/w=="))
        );
        assert_eq!(shown(b"a\n"), "\"a\\n\"");
        assert!(shown(&[b'x'; 50]).ends_with("… (50 bytes)"));
    }
}
