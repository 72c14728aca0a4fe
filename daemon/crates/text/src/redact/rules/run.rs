//! Secrets that are all bytes of some kind after an anchor: bearer tokens, webhooks, signatures of URLs.

use super::scan::run_len;
use crate::redact::engine::{Judge, Rule, Shown};
use std::ops::Range;

/// `Bearer TOKEN` anywhere: in headers, commands and messages.
pub(super) const BEARER: Rule = Rule {
    anchors: &["bearer "],
    judge: Judge::One(bearer),
};

/// The signature of a presigned URL of Azure or AWS.
pub(super) const SIGNATURE: Rule = Rule {
    anchors: &["sig=", "X-Amz-Signature="],
    judge: Judge::One(signature),
};

/// The path of a Slack or Discord webhook, which is enough to post there.
pub(super) const WEBHOOK: Rule = Rule {
    anchors: &[
        "hooks.slack.com/services/",
        "hooks.slack.com/workflows/",
        "hooks.slack.com/triggers/",
        "discord.com/api/webhooks/",
        "discordapp.com/api/webhooks/",
    ],
    judge: Judge::One(webhook),
};

/// The alphabet is that of RFC 6750. A token contains a digit, unlike "the bearer authentication" and "bearer
/// token-based".
fn bearer(shown: Shown<'_>, anchor: Range<usize>) -> Option<Range<usize>> {
    const MIN_BYTES: usize = 8;
    let before = shown.before(anchor.start);
    if before.is_some_and(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    run(shown, anchor.end, b"-._~+/=", MIN_BYTES).filter(|token| has_digit(shown, token))
}

/// 256 bits have 43 characters in Base64.
fn signature(shown: Shown<'_>, anchor: Range<usize>) -> Option<Range<usize>> {
    const MIN_BYTES: usize = 24;
    // Before the value is read, since it may contain the next anchor.
    let before = shown.text.as_bytes()[..anchor.start].last()?;
    let is_parameter = matches!(before, b'?' | b'&' | b';');
    is_parameter.then(|| run(shown, anchor.end, b"%+/=_-", MIN_BYTES))?
}

/// Shorter paths are examples.
fn webhook(shown: Shown<'_>, anchor: Range<usize>) -> Option<Range<usize>> {
    const MIN_BYTES: usize = 16;
    run(shown, anchor.end, b"/_-", MIN_BYTES).filter(|path| has_digit(shown, path))
}

/// Returns the letters, digits and `others` from `start` on, if there are at least `least`.
fn run(shown: Shown<'_>, start: usize, others: &[u8], least: usize) -> Option<Range<usize>> {
    let rest = &shown.text.as_bytes()[start..];
    let len = run_len(rest, |byte| {
        byte.is_ascii_alphanumeric() || others.contains(&byte)
    });
    (len >= least).then(|| start..start + len)
}

fn has_digit(shown: Shown<'_>, place: &Range<usize>) -> bool {
    shown.text[place.clone()].contains(|c: char| c.is_ascii_digit())
}
