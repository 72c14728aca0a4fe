//! Words of a command line.

use super::scan::is_name;
use super::value::{Ending, Quote, bare_end, joined_end};
use crate::redact::engine::Shown;
use std::ops::Range;

#[derive(Debug, Clone)]
pub(super) struct Word {
    /// Without its quotes, unless the word goes on after them: `'it'\''s'`.
    pub(super) content: Range<usize>,
    /// The end of the word, including its quote.
    pub(super) end: usize,
    pub(super) quote: Option<Quote>,
}

impl Word {
    /// Returns the word that starts at `start`; `None` if there is none.
    pub(super) fn at(bytes: &[u8], start: usize) -> Option<Self> {
        let quote = Quote::at(bytes, start);
        let content = match quote {
            Some(quote) => {
                let inner = start + quote.len();
                inner..quote.content_end(bytes, inner)
            }
            None => start..bare_end(bytes, start, Ending::Operator),
        };
        let closing = quote.filter(|quote| quote.is_at(bytes, content.end));
        let closed = content.end + closing.map_or(0, Quote::len);
        let end = closing.map_or(closed, |_| joined_end(bytes, closed));
        (end > start).then_some(Self {
            content: if end > closed { start..end } else { content },
            end,
            quote,
        })
    }
}

/// Returns whether a word starts at `at`, perhaps after the directories of a path.
pub(super) fn begins_word(shown: Shown<'_>, at: usize) -> bool {
    begins_token(shown, at) && shown.before(at) != Some(b'.')
}

/// The same for a token, which may follow a dot: `task-…` contains no key, and each run of letters is read once.
pub(super) fn begins_token(shown: Shown<'_>, at: usize) -> bool {
    !shown.before(at).is_some_and(is_name)
}
