//! Secrets in text.

use super::engine::{Redacted, masked_part};
use super::rules::in_force;
use std::ops::Range;

/// Returns `text` with every secret replaced by [`MASK`](super::MASK); takes time linear in its length.
/// Redacting the result again changes nothing.
pub fn redact(text: &str) -> Redacted<'_> {
    in_force().redact(text)
}

/// A text and where its secrets are, for callers that show only a part of it: half a secret alone is not recognised.
pub struct Secrets<'a> {
    text: &'a str,
    places: Vec<Range<usize>>,
}

impl<'a> Secrets<'a> {
    pub fn new(text: &'a str) -> Self {
        let places = in_force().places(text);
        Self { text, places }
    }

    /// Byte ranges in ascending order; no two of them touch.
    pub fn places(&self) -> &[Range<usize>] {
        &self.places
    }

    /// Returns the part `shown` of the text with [`MASK`](super::MASK) in place of every secret, including those that
    /// are only partly in it.
    pub fn masked_part(&self, shown: Range<usize>) -> String {
        masked_part(self.text, &self.places, shown)
    }
}
