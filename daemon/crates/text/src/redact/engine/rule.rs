//! What the search must know about a kind of secret.

use super::shown::Shown;
use std::ops::Range;

pub(in crate::redact) struct Rule {
    /// Literals, compared without ASCII case. Every secret of this kind contains or follows one of them.
    pub(in crate::redact) anchors: &'static [&'static str],
    /// A judge that answers [`Verdict::Innocent`] must have read a bounded number of bytes, or bytes that no later
    /// anchor makes it read again. Otherwise a hostile text costs quadratic time.
    pub(in crate::redact) judge: Judge,
}

/// Judges the surroundings of an anchor, given its byte range in the text.
pub(in crate::redact) type Judge = fn(Shown<'_>, Range<usize>) -> Verdict;

/// What a rule concludes about one anchor.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::redact) enum Verdict {
    /// These bytes are a secret. They start at or after the start of the anchor.
    Secret(Range<usize>),
    /// Both ranges are secrets; the second comes after the first.
    Secrets(Range<usize>, Range<usize>),
    Innocent,
}

impl From<Option<Range<usize>>> for Verdict {
    fn from(secret: Option<Range<usize>>) -> Self {
        secret.map_or(Self::Innocent, Self::Secret)
    }
}
