//! Bearer tokens.

use crate::redact::engine::{Rule, Shown, Verdict};
use std::ops::Range;

/// `Bearer TOKEN` anywhere: in headers, commands and messages.
pub(super) const RULE: Rule = Rule {
    anchors: &["bearer "],
    judge,
};

const MIN_TOKEN_BYTES: usize = 8;

/// A token contains a digit, unlike "the bearer authentication" and "bearer token-based".
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
    let is_secret = len >= MIN_TOKEN_BYTES && has_digit;
    is_secret.then_some(token).into()
}

/// The alphabet of bearer tokens in RFC 6750.
fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte)
}
