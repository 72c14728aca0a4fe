//! Determines what a program with pipes reads of typed input: its terminal belongs to the daemon's process, and acts on
//! some bytes.
//! `^V` makes the terminal take the next byte as it is, and `^D` makes it pass on a line that has not ended. The
//! program reads neither, so a tape contains only what the program reads.

use crate::canonical::{END_OF_INPUT, PIECE_LEN, QUOTE, type_byte};

const ERASE: u8 = 0x7f;
const KILL: u8 = 0x15;

/// The line that the terminal has not passed on yet.
#[derive(Debug, Default)]
pub struct PipedLine {
    len: usize,
    is_quoted: bool,
}

impl PipedLine {
    /// Returns how much of `typed` the terminal can take before it must pass on its line: see [`Self::hand_over`].
    pub fn room_for(&self, typed: &[u8]) -> usize {
        let mut line = Self { ..*self };
        for (at, &byte) in typed.iter().enumerate() {
            if line.is_full() && !matches!(byte, END_OF_INPUT | b'\r' | b'\n') {
                return at;
            }
            line.take_byte(byte);
        }
        typed.len()
    }

    /// Returns the keys that make the terminal pass on its line when there is no more room.
    pub fn hand_over(&mut self) -> &'static [u8] {
        self.len = 0;
        &[END_OF_INPUT]
    }

    /// Processes typed bytes; returns what the program reads of them, with the end of the input as `^D`.
    pub fn take(&mut self, typed: &[u8]) -> Vec<u8> {
        typed
            .iter()
            .filter_map(|&byte| self.take_byte(byte))
            .collect()
    }

    /// Returns what to type so that the program reads an input of a tape. A `^D` at its end is the end of the input.
    pub fn keys_of(&self, input: &[u8]) -> Vec<u8> {
        let (text, ends) = match input.strip_suffix(&[END_OF_INPUT]) {
            Some(text) => (text, true),
            None => (input, false),
        };
        let mut keys = Vec::with_capacity(input.len() + 2);
        for &byte in text {
            type_byte(&mut keys, byte);
        }
        if ends {
            let is_begun = text.last().map_or(self.len > 0, |byte| *byte != b'\n');
            keys.extend(is_begun.then_some(END_OF_INPUT));
            keys.push(END_OF_INPUT);
        }
        keys
    }

    /// Returns the keys that make the terminal pass on the line that has begun after `typed`; none if there is none.
    pub fn hand_over_after(&self, typed: &[u8]) -> &'static [u8] {
        let mut line = Self { ..*self };
        line.take(typed);
        match line.len {
            0 => &[],
            _ => line.hand_over(),
        }
    }

    fn is_full(&self) -> bool {
        self.len >= PIECE_LEN && !self.is_quoted
    }

    fn take_byte(&mut self, byte: u8) -> Option<u8> {
        if std::mem::take(&mut self.is_quoted) {
            self.len += 1;
            return Some(byte);
        }
        match byte {
            QUOTE => {
                self.is_quoted = true;
                return None;
            }
            END_OF_INPUT if self.len > 0 => {
                self.len = 0;
                return None;
            }
            // The terminal passes on Enter as a line end.
            b'\r' | b'\n' => {
                self.len = 0;
                return Some(b'\n');
            }
            KILL => self.len = 0,
            ERASE => self.len = self.len.saturating_sub(1),
            _ if acts(byte) => {}
            _ => self.len += 1,
        }
        Some(byte)
    }
}

/// The bytes on which a terminal with its usual settings acts, except the newline.
fn acts(byte: u8) -> bool {
    matches!(
        byte,
        0x03 | END_OF_INPUT | b'\r' | 0x0f | 0x11
            ..=KILL | QUOTE | 0x17 | 0x19 | 0x1a | 0x1c | ERASE
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(typed: &[&[u8]]) -> Vec<u8> {
        let mut line = PipedLine::default();
        typed.iter().flat_map(|typed| line.take(typed)).collect()
    }

    #[test]
    fn what_is_for_the_terminal_is_nothing_that_the_program_reads() {
        #[rustfmt::skip]
        let rows = [
            (&[&b"a\x16\r\nb\x16"[..], b"\x16\n"][..], &b"a\r\nb\x16\n"[..]),
            (&[b"a\x04b\x04\x04"], b"ab\x04"),
            (&[b"a\n", b"\x04"], b"a\n\x04"),
            (&[b"a\x15", b"\x04"], b"a\x15\x04"),
            (&[b"\x16\x04", b"\x04", b"\x04"], b"\x04\x04"),
            (&[b"a\r"], b"a\n"),
        ];
        for (typed, expected) in rows {
            assert_eq!(read(typed), expected, "{typed:?}");
        }
    }

    #[test]
    fn a_long_line_is_handed_over_in_pieces_that_a_terminal_keeps() {
        let long = [vec![b'x'; 3 * PIECE_LEN], b"\x16\x04\n".to_vec()].concat();
        let mut line = PipedLine::default();
        let (mut rest, mut pieces) = (&long[..], Vec::new());
        while !rest.is_empty() {
            let (now, later) = rest.split_at(line.room_for(rest));
            line.take(now);
            pieces.push(now.len());
            rest = later;
            if !rest.is_empty() {
                assert_eq!(line.hand_over(), [END_OF_INPUT]);
            }
        }
        assert_eq!(pieces, [PIECE_LEN, PIECE_LEN, PIECE_LEN, 3]);
        // Passing on a full line does not interfere.
        let typed = [vec![b'x'; PIECE_LEN], vec![END_OF_INPUT, b'y']].concat();
        assert_eq!(PipedLine::default().room_for(&typed), typed.len());
    }

    #[test]
    fn only_a_line_that_has_begun_is_handed_over() {
        let mut line = PipedLine::default();
        assert_eq!(line.hand_over_after(b"a\n"), b"");
        assert_eq!(line.hand_over_after(b"a\nb"), [END_OF_INPUT]);
        assert_eq!(line.hand_over_after(b"a\x04"), b"");
        line.take(b"a");
        assert_eq!(line.hand_over_after(b""), [END_OF_INPUT]);
    }

    proptest! {
        #[test]
        fn the_keys_of_an_input_are_read_as_it(
            input in proptest::collection::vec(any::<u8>(), 0..100),
            ends in any::<bool>(),
        ) {
            // Such a last byte is the end of the input.
            let last = ends.then_some(END_OF_INPUT).or(Some(b'x'));
            let input: Vec<u8> = input.into_iter().chain(last).collect();
            let mut line = PipedLine::default();
            prop_assert_eq!(line.take(b"a"), b"a");
            let keys = line.keys_of(&input);
            prop_assert_eq!(line.take(&keys), input);
        }
    }
}
