use crate::redact::engine::Shown;
use crate::redact::engine::{Rule, Verdict};
use std::ops::Range;

/// `Bearer TOKEN` wherever it stands: in headers, commands and messages.
pub(super) const RULE: Rule = Rule {
    anchors: &["bearer "],
    judge,
};

const MIN_TOKEN_BYTES: usize = 8;

/// A token has a digit; "the bearer authentication" and "bearer token-based" have none.
fn judge(shown: Shown<'_>, anchor: Range<usize>) -> Verdict {
    let bytes = shown.text.as_bytes();
    let before = shown.before(anchor.start);
    if before.is_some_and(|byte| byte.is_ascii_alphanumeric()) {
        return Verdict::Innocent;
    }
    let len = bytes[anchor.end..]
        .iter()
        .take_while(|byte| is_token_byte(**byte))
        .count();
    let token = anchor.end..anchor.end + len;
    let has_digit = bytes[token.clone()].iter().any(u8::is_ascii_digit);
    if len >= MIN_TOKEN_BYTES && has_digit {
        Verdict::Secret(token)
    } else {
        Verdict::Innocent
    }
}

/// The alphabet that RFC 6750 gives to bearer tokens.
fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte)
}
