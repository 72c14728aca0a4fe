//! The line-drawing character set, used by menus and boxes of older programs.

const SHIFT_OUT: u8 = 0x0e;
const SHIFT_IN: u8 = 0x0f;

/// DEC Special Graphics, for the bytes 0x5f to 0x7e.
const DRAWING: [char; 32] = [
    ' ', '◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└', '┼', '⎺', '⎻', '─',
    '⎼', '⎽', '├', '┤', '┴', '┬', '│', '≤', '≥', 'π', '≠', '£', '·',
];

/// Which of the sets G0 and G1 are line drawing, and which of the two is in use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Charsets {
    drawing: [bool; 2],
    shifted: bool,
}

impl Charsets {
    /// Applies an escape sequence (without its ESC) that designates or resets a set; others are ignored.
    pub(super) fn apply(&mut self, body: &[u8]) {
        match body {
            [b'(', set] => self.drawing[0] = *set == b'0',
            [b')', set] => self.drawing[1] = *set == b'0',
            b"c" => *self = Self::default(),
            _ => {}
        }
    }

    /// Returns whether text must be converted by [`Self::drawn`].
    pub(super) fn in_use(&self) -> bool {
        self.drawing != [false, false]
    }

    /// Returns `text` in plain UTF-8, and remembers the set to which it shifts.
    pub(super) fn drawn(&mut self, text: &[u8]) -> Vec<u8> {
        let mut plain = Vec::with_capacity(text.len());
        for &byte in text {
            match byte {
                SHIFT_OUT => self.shifted = true,
                SHIFT_IN => self.shifted = false,
                0x5f..=0x7e if self.drawing[usize::from(self.shifted)] => {
                    let character = DRAWING[usize::from(byte - 0x5f)];
                    plain.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                }
                _ => plain.push(byte),
            }
        }
        plain
    }

    /// Returns the sequences that set another terminal, whatever its state, to these sets.
    pub(super) fn restored(&self) -> &'static str {
        match (self.drawing, self.shifted) {
            ([false, false], _) => "\x1b(B\x1b)B\x0f",
            ([true, false], false) => "\x1b(0\x1b)B\x0f",
            ([true, false], true) => "\x1b(0\x1b)B\x0e",
            ([false, true], false) => "\x1b(B\x1b)0\x0f",
            ([false, true], true) => "\x1b(B\x1b)0\x0e",
            ([true, true], false) => "\x1b(0\x1b)0\x0f",
            ([true, true], true) => "\x1b(0\x1b)0\x0e",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_set_in_use_draws() {
        let mut charsets = Charsets::default();
        assert!(!charsets.in_use());
        charsets.apply(b")0");
        assert_eq!(charsets.drawn(b"lqk\x0elqk\x0fx"), "lqk┌─┐x".as_bytes());
        charsets.apply(b"(0");
        assert_eq!(charsets.drawn("xAé~".as_bytes()), "│Aé·".as_bytes());
        charsets.apply(b"(B");
        charsets.apply(b")B");
        assert!(!charsets.in_use());
    }
}
