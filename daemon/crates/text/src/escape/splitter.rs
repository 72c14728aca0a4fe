//! Splits terminal output into text and escape sequences, however it is split into chunks.

use memchr::memchr;

/// Maximum number of bytes of one sequence that are kept; the rest is dropped.
const MAX_BODY_BYTES: usize = 2048;

/// Maximum number of control characters kept from inside one sequence; normally there are none.
const MAX_CONTROLS: usize = 64;

const ESC: u8 = 0x1b;
const BEL: u8 = 0x07;
const CAN: u8 = 0x18;
const SUB: u8 = 0x1a;

/// The kind of an escape sequence, and how it was terminated where that varies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `ESC`, intermediates, one final byte.
    Escape,
    /// `ESC [`, parameters, intermediates, one final byte.
    Csi,
    /// `ESC ]` up to BEL (`bell`) or `ESC \`.
    Osc { bell: bool },
    /// `ESC P` up to `ESC \`.
    Dcs,
    /// SOS, PM and APC strings.
    Other,
    /// A sequence that was cancelled by CAN, SUB or (`by_escape`) the ESC of the next one, which has been read already.
    Cancelled { by_escape: bool },
}

/// One escape sequence, complete or [cancelled](Kind::Cancelled).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sequence<'a> {
    pub kind: Kind,
    /// Everything after the introducer, without the terminator of a string, but with the final byte of other sequences.
    pub body: &'a [u8],
    /// Control characters inside a sequence that is not a string; a terminal obeys them before the sequence.
    pub controls: &'a [u8],
    /// Raw length, including the introducer and the terminator, but not the ESC that cancels the sequence. The sequence
    /// may have begun in an earlier chunk.
    pub len_bytes: u64,
    /// The body is longer than [`MAX_BODY_BYTES`] and its end is missing.
    pub truncated: bool,
}

impl Sequence<'_> {
    /// Returns whether this is a CSI sequence that is kept whole and has no control characters inside.
    pub fn is_bare_csi(&self) -> bool {
        self.kind == Kind::Csi && !self.truncated && self.controls.is_empty()
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum SplitterState {
    #[default]
    Ground,
    Escape,
    Csi,
    Text(Kind),
    /// ESC inside a string: `\` ends it, anything else starts a new sequence.
    TextEscape(Kind),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Bytes outside sequences, including control characters. Control characters inside a sequence come before it, as
    /// terminals obey them; bytes that mean nothing there are left out.
    Text(&'a [u8]),
    Sequence(Sequence<'a>),
}

/// The incremental parser that everything in this module uses.
/// 8-bit C1 controls are not recognised: in UTF-8 output those bytes are parts of characters.
#[derive(Clone, Debug, Default)]
pub struct Splitter {
    state: SplitterState,
    body: Vec<u8>,
    controls: Vec<u8>,
    truncated: bool,
    open_len_bytes: u64,
}

impl Splitter {
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the raw length of the sequence that has begun but not ended; 0 in plain text.
    pub fn open_len_bytes(&self) -> u64 {
        self.open_len_bytes
    }

    /// Returns whether the open sequence is already too long to be kept whole.
    pub fn open_is_truncated(&self) -> bool {
        self.truncated
    }

    /// Returns the next sequence and moves `input` after it; `None` at the end of `input`.
    /// Complete CSI sequences whose body `wanted` rejects are skipped. A flood consists mostly of these, so this loop
    /// determines the speed; other sequences are returned without asking.
    #[inline]
    pub fn next<'a, 'b: 'a>(
        &'a mut self,
        input: &mut &'b [u8],
        wanted: impl Fn(&[u8]) -> bool,
    ) -> Option<Sequence<'a>> {
        if self.state != SplitterState::Ground {
            return self.resume(input);
        }
        let mut rest = *input;
        while let Some(at) = memchr(ESC, rest) {
            rest = &rest[at..];
            let Some(len) = whole_csi_len(rest) else {
                *input = &rest[1..];
                self.begin();
                return self.resume(input);
            };
            let body = &rest[2..len];
            rest = &rest[len..];
            if wanted(body) {
                *input = rest;
                let len_bytes = len as u64;
                return Some(Sequence {
                    kind: Kind::Csi,
                    body,
                    controls: &[],
                    len_bytes,
                    truncated: false,
                });
            }
        }
        *input = &[];
        None
    }

    /// Calls `take` with each piece of `output`, which continues the output of the last call. A sequence that has not
    /// ended is passed on when it ends.
    pub fn pieces(&mut self, output: &[u8], mut take: impl FnMut(Piece<'_>)) {
        let mut rest = output;
        let mut done = 0;
        while let Some(sequence) = self.next(&mut rest, |_| true) {
            let read = output.len() - rest.len();
            let is_next_read = sequence.kind == Kind::Cancelled { by_escape: true };
            let end = (read as u64).saturating_sub(u64::from(is_next_read));
            let start = end.saturating_sub(sequence.len_bytes) as usize;
            for text in [
                output.get(done..start).unwrap_or_default(),
                sequence.controls,
            ] {
                if !text.is_empty() {
                    take(Piece::Text(text));
                }
            }
            take(Piece::Sequence(sequence));
            done = read;
        }
        let open = (self.open_len_bytes() as usize).min(output.len() - done);
        let text = &output[done..output.len() - open];
        if !text.is_empty() {
            take(Piece::Text(text));
        }
    }

    /// Continues a sequence that has begun.
    fn resume(&mut self, input: &mut &[u8]) -> Option<Sequence<'_>> {
        while let Some((&byte, rest)) = input.split_first() {
            let ended = match self.state {
                SplitterState::Text(kind) => self.string(kind, input),
                // As in xterm, a string is dropped if its ESC starts another sequence.
                SplitterState::TextEscape(_) if byte != b'\\' => {
                    Some(Kind::Cancelled { by_escape: true })
                }
                _ => {
                    *input = rest;
                    self.open_len_bytes += 1;
                    self.byte(byte)
                }
            };
            if let Some(kind) = ended {
                return Some(self.finish(kind));
            }
        }
        None
    }

    fn finish(&mut self, kind: Kind) -> Sequence<'_> {
        let truncated = std::mem::take(&mut self.truncated);
        let mut len_bytes = std::mem::take(&mut self.open_len_bytes);
        self.state = SplitterState::Ground;
        if kind == (Kind::Cancelled { by_escape: true }) {
            len_bytes -= 1;
            self.begin();
        }
        Sequence {
            kind,
            body: &self.body,
            controls: &self.controls,
            len_bytes,
            truncated,
        }
    }

    fn begin(&mut self) {
        self.state = SplitterState::Escape;
        self.body.clear();
        self.controls.clear();
        self.truncated = false;
        self.open_len_bytes = 1;
    }

    fn keep(&mut self, bytes: &[u8]) {
        let kept = bytes.len().min(MAX_BODY_BYTES - self.body.len());
        self.body.extend_from_slice(&bytes[..kept]);
        self.truncated |= kept < bytes.len();
    }

    /// Processes one byte outside plain text and string bodies; returns the kind of the sequence that it ends.
    fn byte(&mut self, byte: u8) -> Option<Kind> {
        match (self.state, byte) {
            (SplitterState::TextEscape(kind), _) => return Some(kind),
            (_, ESC) => return Some(Kind::Cancelled { by_escape: true }),
            (_, CAN | SUB) => return Some(Kind::Cancelled { by_escape: false }),
            (SplitterState::Escape, b'[' | b']' | b'P' | b'X' | b'^' | b'_')
                if self.body.is_empty() =>
            {
                self.state = match byte {
                    b'[' => SplitterState::Csi,
                    b']' => SplitterState::Text(Kind::Osc { bell: false }),
                    b'P' => SplitterState::Text(Kind::Dcs),
                    _ => SplitterState::Text(Kind::Other),
                }
            }
            (SplitterState::Escape | SplitterState::Csi, 0x20..=0x7e) => {
                self.keep(&[byte]);
                let (kind, first_final) = if self.state == SplitterState::Csi {
                    (Kind::Csi, 0x40)
                } else {
                    (Kind::Escape, 0x30)
                };
                return (byte >= first_final).then_some(kind);
            }
            (_, 0..0x20) if self.controls.len() < MAX_CONTROLS => self.controls.push(byte),
            // DEL and 8-bit bytes inside a sequence are ignored.
            _ => {}
        }
        None
    }

    /// Processes a part of a string body; returns its kind if it ends here.
    fn string(&mut self, kind: Kind, input: &mut &[u8]) -> Option<Kind> {
        let stop = input
            .iter()
            .position(|&byte| matches!(byte, BEL | CAN | SUB | ESC));
        let (text, rest) = input.split_at(stop.unwrap_or(input.len()));
        self.keep(text);
        self.open_len_bytes += text.len() as u64;
        *input = rest;
        let (&byte, rest) = rest.split_first()?;
        *input = rest;
        self.open_len_bytes += 1;
        match (byte, kind) {
            (BEL, Kind::Osc { .. }) => return Some(Kind::Osc { bell: true }),
            (BEL, _) => self.keep(&[BEL]),
            (ESC, _) => self.state = SplitterState::TextEscape(kind),
            _ => return Some(Kind::Cancelled { by_escape: false }),
        }
        None
    }
}

/// Returns the length of the CSI sequence at the start of `input`, if it is complete and has only parameter,
/// intermediate and final bytes. Nearly all sequences of a flood are like this, and need no copy.
#[inline]
fn whole_csi_len(input: &[u8]) -> Option<usize> {
    if input.get(1) != Some(&b'[') {
        return None;
    }
    let body = &input[2..input.len().min(2 + MAX_BODY_BYTES)];
    let at = body.iter().position(|byte| !matches!(byte, 0x20..=0x3f))?;
    matches!(body[at], 0x40..=0x7e).then_some(2 + at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(chunks: &[&[u8]]) -> Vec<(Kind, Vec<u8>, u64, bool)> {
        let mut splitter = Splitter::new();
        let mut found = Vec::new();
        for chunk in chunks {
            let mut rest = *chunk;
            while let Some(found_now) = splitter.next(&mut rest, |_| true) {
                let (kind, body) = (found_now.kind, found_now.body.to_vec());
                found.push((kind, body, found_now.len_bytes, found_now.truncated));
            }
        }
        found
    }

    #[test]
    fn each_kind_of_sequence_is_found_whole() {
        let input = b"a\x1b[1;2mb\x1b(0\x1b]0;hi\x07\x1b]2;ho\x1b\\\x1bP+q544e\x1b\\\x1b_x\x1b\\z";
        assert_eq!(
            split(&[input]),
            [
                (Kind::Csi, b"1;2m".to_vec(), 6, false),
                (Kind::Escape, b"(0".to_vec(), 3, false),
                (Kind::Osc { bell: true }, b"0;hi".to_vec(), 7, false),
                (Kind::Osc { bell: false }, b"2;ho".to_vec(), 8, false),
                (Kind::Dcs, b"+q544e".to_vec(), 10, false),
                (Kind::Other, b"x".to_vec(), 5, false),
            ]
        );
    }

    #[test]
    fn a_sequence_cut_anywhere_is_the_same_sequence() {
        for input in [
            "\x1b[?25h",
            "\x1b]0;title\x1b\\",
            "\x1bP$qm\x1b\\",
            "\x1b)0",
        ] {
            let input = input.as_bytes();
            let whole = split(&[input]);
            assert_eq!(whole.len(), 1);
            for at in 0..input.len() {
                assert_eq!(split(&[&input[..at], &input[at..]]), whole, "cut at {at}");
            }
        }
    }

    #[test]
    fn a_sequence_broken_off_is_cancelled_and_the_next_one_whole() {
        let [by_control, by_escape] = [false, true].map(|by_escape| Kind::Cancelled { by_escape });
        let csi = (Kind::Csi, 4);
        #[rustfmt::skip]
        let rows = [
            ("\x1b[1\x18m\x1b]0;x\x1ay\x07", &[(by_control, 4), (by_control, 6)][..]),
            ("\x1b[1\x1b[2m", &[(by_escape, 3), csi]),
            ("\x1b]0;x\x1b[2m", &[(by_escape, 5), csi]),
            ("\x1b]0;x\x1b\x1b[2m", &[(by_escape, 5), (by_escape, 1), csi]),
        ];
        for (output, expected) in rows {
            let output = output.as_bytes();
            let single: Vec<&[u8]> = output.chunks(1).collect();
            for chunks in [&[output][..], &single] {
                let found = split(chunks).into_iter();
                let spans: Vec<_> = found.map(|(kind, _, len, _)| (kind, len)).collect();
                assert_eq!(spans, expected, "{output:?}");
            }
        }
    }

    #[test]
    fn a_long_string_is_cut_and_says_so() {
        let mut input = b"\x1b]0;".to_vec();
        input.resize(input.len() + 3 * MAX_BODY_BYTES, b'x');
        input.push(BEL);
        let (_, body, len_bytes, truncated) = split(&[&input]).remove(0);
        assert_eq!(
            (body.len(), len_bytes),
            (MAX_BODY_BYTES, input.len() as u64)
        );
        assert!(truncated);
    }

    #[test]
    fn text_comes_between_sequences_and_controls_before_their_own() {
        let mut splitter = Splitter::new();
        let mut shown = Vec::new();
        for chunk in ["a\r\n\x1b[1\x08mb\x1b]0;x\x1b", "[2mc\x1b", "[", "Kd"] {
            splitter.pieces(chunk.as_bytes(), |piece| {
                shown.push(match piece {
                    Piece::Text(text) => String::from_utf8_lossy(text).into_owned(),
                    Piece::Sequence(sequence) => format!("{:?}", sequence.kind),
                });
            });
        }
        let cancelled = "Cancelled { by_escape: true }";
        let expected = [
            "a\r\n", "\u{8}", "Csi", "b", cancelled, "Csi", "c", "Csi", "d",
        ];
        assert_eq!(shown, expected);
    }

    proptest! {
        #[test]
        fn pieces_are_the_same_wherever_the_output_is_cut(
            output in prop::collection::vec(
                prop_oneof![3 => prop::sample::select(&b"\x1b\x1b[]P\\\x07\x18;1mHa\n"[..]), 1 => any::<u8>()],
                0..60,
            ),
            size in 1usize..9,
        ) {
            let pieces = |size: usize| {
                let (mut splitter, mut text, mut kinds) = (Splitter::new(), Vec::new(), Vec::new());
                for chunk in output.chunks(size) {
                    splitter.pieces(chunk, |piece| match piece {
                        Piece::Text(piece) => text.extend_from_slice(piece),
                        Piece::Sequence(sequence) => {
                            kinds.push((text.len(), sequence.kind, sequence.body.to_vec()));
                        }
                    });
                }
                (text, kinds)
            };
            let whole = pieces(output.len().max(1));
            prop_assert!(!whole.0.contains(&ESC));
            prop_assert_eq!(pieces(size), whole);
        }
    }
}
