//! Passwords in statements that set one for a user: `IDENTIFIED BY '…'`, `WITH PASSWORD '…'`.

use super::assignment::blanks;
use super::placeholder::is_placeholder;
use super::value::Quote;
use crate::redact::engine::{Rule, Shown, Verdict};
use std::ops::Range;

/// A quote must follow, which distinguishes statements from prose.
pub(super) const RULE: Rule = Rule {
    anchors: &[
        "identified by ",
        "identified by password ",
        "with password ",
        "encrypted password ",
    ],
    judge,
};

/// Maximum length of a password, in bytes.
const MAX_PASSWORD_BYTES: usize = 512;

fn judge(shown: Shown<'_>, anchor: Range<usize>) -> Verdict {
    let bytes = shown.text.as_bytes();
    let start = anchor.end + blanks(bytes, anchor.end);
    let Some(quote) = Quote::at(bytes, start) else {
        return Verdict::Innocent;
    };
    let inner = start + quote.len();
    // If the text is innocent, only a bounded part of it was read.
    let head = &bytes[..bytes.len().min(inner + MAX_PASSWORD_BYTES)];
    let password = inner..quote.content_end(head, inner);
    if Quote::at(bytes, password.end) != Some(quote) || is_placeholder(&bytes[password.clone()]) {
        return Verdict::Innocent;
    }
    Verdict::Secret(password)
}
