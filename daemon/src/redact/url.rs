use super::placeholder::is_placeholder;
use super::redactor::{Rule, Verdict};
use std::ops::Range;

/// The password in `scheme://user:password@host`; the user stays.
pub(super) const RULE: Rule = Rule {
    anchors: &["://"],
    judge,
};

fn judge(text: &str, anchor: Range<usize>) -> Verdict {
    let bytes = text.as_bytes();
    let has_scheme = bytes[..anchor.start]
        .last()
        .is_some_and(u8::is_ascii_alphanumeric);
    if !has_scheme {
        return Verdict::Innocent;
    }
    let mut colon = None;
    let mut at = None;
    for (offset, &byte) in bytes[anchor.end..].iter().enumerate() {
        match byte {
            b':' => colon = colon.or(Some(anchor.end + offset)),
            b'@' => at = Some(anchor.end + offset), // a password may hold @ itself
            b'/' | b'?' | b'#' | b'"' | b'\'' | b'<' | b'>' | b'`' | b'\\' => break,
            _ if byte <= b' ' => break,
            _ => {}
        }
    }
    let (Some(colon), Some(at)) = (colon, at.filter(|at| colon < Some(*at))) else {
        return Verdict::Innocent; // the colon, if any, comes before a port
    };
    let password = colon + 1..at;
    if password.is_empty() || is_placeholder(&bytes[password.clone()]) {
        return Verdict::Innocent;
    }
    Verdict::Secret(password)
}
