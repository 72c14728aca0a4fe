//! What the search must know about a kind of secret.

use super::shown::Shown;
use std::ops::Range;

pub(in crate::redact) struct Rule {
    /// Literals, compared without ASCII case. Every secret of this kind contains or follows one of them.
    pub(in crate::redact) anchors: &'static [&'static str],
    /// A judge that finds no secret must have read a bounded number of bytes, or bytes that no later anchor makes it
    /// read again. Otherwise a hostile text costs quadratic time.
    pub(in crate::redact) judge: Judge,
}

/// Judges the surroundings of an anchor, given its byte range in the text: finds the secrets there, which start at or
/// after the start of the anchor.
#[derive(Clone, Copy)]
pub(in crate::redact) enum Judge {
    One(fn(Shown<'_>, Range<usize>) -> Option<Range<usize>>),
    /// The second secret, if there is one, comes after the first.
    Two(fn(Shown<'_>, Range<usize>) -> TwoSecrets),
}

pub(in crate::redact) type TwoSecrets = [Option<Range<usize>>; 2];
