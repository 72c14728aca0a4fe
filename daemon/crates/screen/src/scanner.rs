//! Scans all output of a session for modes, and for events that need a reaction.

use super::modes::Modes;
use super::query::Query;
use ccd_text::escape::{Kind, Sequence, Splitter, is_picture_only};

/// Maximum length of a title and of the parameters of a mark; the rest is cut off.
pub(super) const MAX_TEXT_BYTES: usize = 1024;

/// A part of the output that does not only concern the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Offset of the sequence's first byte, from the session's start.
    pub start: u64,
    pub end: u64,
    pub kind: EventKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    Query(Query),
    Mark(Mark),
    /// The new window title, without control characters, at most 1 KiB.
    Title(String),
}

/// A prompt mark of a shell (OSC 133).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// `A` before the prompt, `B` after it, `C` before a command's output, `D` after it; other letters occur.
    pub kind: char,
    /// What follows the letter and its semicolon, at most 1 KiB.
    pub params: String,
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

    /// Appends the events in `bytes`, whose first byte has the offset `base_offset`, to `events`.
    /// Chunks must be consecutive, and may be split anywhere. An event belongs to the chunk in which its sequence ends,
    /// and may start before it. One sequence may contain several queries.
    pub fn feed(&mut self, bytes: &[u8], base_offset: u64, events: &mut Vec<Event>) {
        let mut rest = bytes;
        while let Some(sequence) = self.splitter.next(&mut rest, |body| !is_picture_only(body)) {
            let end = base_offset + (bytes.len() - rest.len()) as u64;
            let start = end.saturating_sub(sequence.len_bytes);
            let mut push = |kind| events.push(Event { start, end, kind });
            Query::find(&sequence, &self.modes, |query| {
                push(EventKind::Query(query))
            });
            if let Some(mark) = mark(&sequence) {
                push(EventKind::Mark(mark));
            } else if let Some(title) = title(&sequence) {
                push(EventKind::Title(title));
            }
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

fn mark(sequence: &Sequence<'_>) -> Option<Mark> {
    let Kind::Osc { .. } = sequence.kind else {
        return None;
    };
    let (params, kind) = match sequence.body.strip_prefix(b"133;")? {
        [kind] => (&[][..], *kind),
        [kind, b';', params @ ..] => (params, *kind),
        _ => return None,
    };
    kind.is_ascii_uppercase().then(|| Mark {
        kind: char::from(kind),
        params: printable(params),
    })
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

    fn scan(chunks: &[&[u8]]) -> (Vec<Event>, Modes) {
        let (mut scanner, mut events, mut offset) = (Scanner::new(), Vec::new(), 1000);
        for chunk in chunks {
            scanner.feed(chunk, offset, &mut events);
            offset += chunk.len() as u64;
        }
        (events, *scanner.modes())
    }

    fn kinds(output: &[u8]) -> Vec<EventKind> {
        scan(&[output])
            .0
            .into_iter()
            .map(|event| event.kind)
            .collect()
    }

    #[test]
    fn offsets_are_those_of_the_whole_output() {
        let (events, _) = scan(&[b"text\x1b[", b"6n\x1b]133;D;0\x07$ "]);
        let spans: Vec<_> = events
            .iter()
            .map(|event| (event.start, event.end))
            .collect();
        assert_eq!(spans, [(1004, 1008), (1008, 1018)]);
    }

    #[test]
    fn marks_carry_their_parameters() {
        let found = kinds(b"\x1b]133;A\x07\x1b]133;C;n0nce\x1b\\\x1b]133;D;130;n0nce\x07\x1b]133;D\x07\x1b]133\x07\x1b]133;Axx\x07");
        let mark = |kind, params: &str| {
            EventKind::Mark(Mark {
                kind,
                params: params.to_owned(),
            })
        };
        assert_eq!(
            found,
            [
                mark('A', ""),
                mark('C', "n0nce"),
                mark('D', "130;n0nce"),
                mark('D', "")
            ]
        );
    }

    #[test]
    fn titles_are_bounded_text() {
        assert_eq!(
            kinds("\x1b]2;n\u{e4}me\n\x07".as_bytes()),
            [EventKind::Title("n\u{e4}me".to_owned())]
        );
        let long = ["\x1b]0;", &"\u{20ac}".repeat(5000), "\x07"].concat();
        assert_eq!(
            kinds(long.as_bytes()),
            [EventKind::Title("\u{20ac}".repeat(MAX_TEXT_BYTES / 3))]
        );
        assert_eq!(kinds(b"\x1b]1;icon\x07\x1b]20;x\x07"), []);
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
            for event in &whole.0 {
                prop_assert!(event.start < event.end && event.end <= 1000 + output.len() as u64);
                prop_assert_eq!(output[(event.start - 1000) as usize], 0x1b);
            }
        }
    }
}
