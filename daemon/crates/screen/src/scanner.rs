//! Scans all output of a session for modes and queries.

use super::modes::Modes;
use super::query::Query;
use ccd_text::escape::{Kind, Sequence, Splitter, is_picture_only};

/// Maximum length of a title; the rest is cut off.
pub(super) const MAX_TEXT_BYTES: usize = 1024;

/// A query in the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedQuery {
    pub query: Query,
    /// Offset just after its sequence, from the session's start.
    pub end: u64,
}

/// Reads the output once, in chunks of any size, and only keeps an incomplete sequence: about 2 KiB at most.
#[derive(Debug, Default)]
pub struct Scanner {
    splitter: Splitter,
    modes: Modes,
}

impl Scanner {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn resume(modes: Modes) -> Self {
        Self {
            splitter: Splitter::new(),
            modes,
        }
    }

    pub fn modes(&self) -> &Modes {
        &self.modes
    }

    /// Appends the queries in `bytes`, whose first byte has the offset `base_offset`, to `asked`.
    /// Chunks must be consecutive, and may be split anywhere. A query belongs to the chunk in which its sequence ends.
    /// One sequence may contain several queries.
    pub fn feed(&mut self, bytes: &[u8], base_offset: u64, asked: &mut Vec<AskedQuery>) {
        let mut rest = bytes;
        while let Some(sequence) = self.splitter.next(&mut rest, |body| !is_picture_only(body)) {
            let end = base_offset + (bytes.len() - rest.len()) as u64;
            Query::find(&sequence, &self.modes, |query| {
                asked.push(AskedQuery { query, end });
            });
            self.modes.apply(&sequence);
        }
    }
}

pub(super) fn title(sequence: &Sequence<'_>) -> Option<String> {
    match (sequence.kind, sequence.body) {
        (Kind::Osc { .. }, [b'0' | b'2', b';', title @ ..]) => Some(printable(title)),
        _ => None,
    }
}

/// Returns the text of `bytes` without control characters, cut to [`MAX_TEXT_BYTES`] between two characters.
fn printable(bytes: &[u8]) -> String {
    let mut text = String::from_utf8_lossy(bytes).into_owned();
    text.retain(|character| !character.is_control());
    text.truncate(text.floor_char_boundary(MAX_TEXT_BYTES));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn scan(chunks: &[&[u8]]) -> (Vec<AskedQuery>, Modes) {
        let (mut scanner, mut asked, mut offset) = (Scanner::new(), Vec::new(), 1000);
        for chunk in chunks {
            scanner.feed(chunk, offset, &mut asked);
            offset += chunk.len() as u64;
        }
        (asked, *scanner.modes())
    }

    fn titles(output: &[u8]) -> Vec<String> {
        let (mut splitter, mut rest, mut titles) = (Splitter::new(), output, Vec::new());
        while let Some(sequence) = splitter.next(&mut rest, |_| true) {
            titles.extend(title(&sequence));
        }
        titles
    }

    #[test]
    fn offsets_are_those_of_the_whole_output() {
        let (asked, _) = scan(&[b"text\x1b[", b"6n\x1b]4;1;?\x07$ "]);
        let ends: Vec<_> = asked.iter().map(|asked| asked.end).collect();
        assert_eq!(ends, [1008, 1016]);
    }

    #[test]
    fn titles_are_bounded_text() {
        assert_eq!(titles("\x1b]2;n\u{e4}me\n\x07".as_bytes()), ["n\u{e4}me"]);
        let long = ["\x1b]0;", &"\u{20ac}".repeat(5000), "\x07"].concat();
        assert_eq!(
            titles(long.as_bytes()),
            ["\u{20ac}".repeat(MAX_TEXT_BYTES / 3)]
        );
        assert!(titles(b"\x1b]1;icon\x07\x1b]20;x\x07").is_empty());
    }

    /// Bytes that are likely to form sequences of every kind.
    fn output() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            4 => prop::sample::select(vec![
                "\x1b", "[", "]", "P", "\\", "\x07", "\x18", "?", ">", "$", "6n", "c", "p", "h", "l", "q", "1049",
                "2004", ";", "133;A", "0;t", "4;1;?", "11;?", "+q544e", "\x1b[", "\x1b]", "\x1bP", "u", "m", "r",
            ]).prop_map(|text| text.as_bytes().to_vec()),
            1 => prop::collection::vec(any::<u8>(), 0..4),
        ];
        prop::collection::vec(piece, 0..80).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn chunks_make_no_difference(output in output(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8)) {
            let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(output.len() + 1)).collect();
            at.extend([0, output.len()]);
            at.sort_unstable();
            let chunks: Vec<&[u8]> = at.windows(2).map(|pair| &output[pair[0]..pair[1]]).collect();
            let single: Vec<&[u8]> = output.chunks(1).collect();
            let whole = scan(&[&output]);
            prop_assert_eq!(&scan(&chunks), &whole);
            prop_assert_eq!(&scan(&single), &whole);
            for asked in &whole.0 {
                prop_assert!(1000 < asked.end && asked.end <= 1000 + output.len() as u64);
            }
        }
    }
}
