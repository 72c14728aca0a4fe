//! Removes terminal queries from output for another terminal.

use super::modes::Modes;
use super::query::Query;
use ccd_text::escape::{Splitter, is_picture_only};

/// Removes queries from a stream, so that the terminal of a viewer does not answer them as well.
/// A sequence that is split by the end of a chunk is held back until it is complete or too long to be a query, at most
/// about 2 KiB; a terminal would show nothing of it before that either.
#[derive(Debug, Default)]
pub struct QueryStripper {
    splitter: Splitter,
    held: Vec<u8>,
}

impl QueryStripper {
    /// Returns a stripper for a stream that starts outside any sequence.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the bytes held back before and `bytes`, without queries and without what is held back now.
    pub fn strip(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut pending = std::mem::take(&mut self.held);
        let held_len = pending.len();
        pending.extend_from_slice(bytes);
        let mut kept = Vec::with_capacity(pending.len());
        let (mut written, mut rest) = (0, bytes);
        while let Some(sequence) = self.splitter.next(&mut rest, |body| !is_picture_only(body)) {
            let mut is_query = false;
            // The modes change the answer, not the query.
            Query::find(&sequence, &Modes::default(), |_| is_query = true);
            if is_query {
                let end = held_len + bytes.len() - rest.len();
                let start = end.saturating_sub(sequence.len_bytes as usize).max(written);
                kept.extend_from_slice(&pending[written..start]);
                written = end;
            }
        }
        let open_len = if self.splitter.open_is_truncated() {
            0
        } else {
            self.splitter.open_len_bytes()
        };
        let hold_from = pending.len().saturating_sub(open_len as usize).max(written);
        kept.extend_from_slice(&pending[written..hold_from]);
        pending.drain(..hold_from);
        self.held = pending;
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn strip(chunks: &[&[u8]]) -> Vec<u8> {
        let mut stripper = QueryStripper::new();
        chunks
            .iter()
            .flat_map(|chunk| stripper.strip(chunk))
            .collect()
    }

    #[test]
    fn queries_go_and_all_else_stays() {
        let output = b"a\x1b[6nb\x1b[31mc\x1b]11;?\x07d\x1b]0;t\x07\x1b[c\x1b[>c\x1b[?25he\x1bP+q544e\x1b\\f\x1b]4;1;?;2;?\x07g";
        let expected = b"ab\x1b[31mcd\x1b]0;t\x07\x1b[?25hefg";
        assert_eq!(strip(&[output]), expected);
        let single: Vec<&[u8]> = output.chunks(1).collect();
        assert_eq!(strip(&single), expected);
    }

    #[test]
    fn a_string_too_long_for_a_query_is_not_held_back() {
        let mut stripper = QueryStripper::new();
        let long = [&b"\x1b]52;c;"[..], &[b'A'; 5000]].concat();
        assert_eq!(stripper.strip(&long), long);
        assert_eq!(stripper.strip(b"AA\x07x\x1b[c"), b"AA\x07x");
    }

    proptest! {
        #[test]
        fn output_without_queries_passes_unchanged(text in "([a-z]|\u{1b}\\[[0-9;]{0,4}[mHJK]|\u{1b}\\]0;[a-z]*\u{7}|\u{e9}){0,40}", cut in any::<prop::sample::Index>()) {
            let bytes = text.as_bytes();
            let at = cut.index(bytes.len() + 1);
            prop_assert_eq!(strip(&[&bytes[..at], &bytes[at..]]), bytes);
        }
    }
}
