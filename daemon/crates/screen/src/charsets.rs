//! The line-drawing character set, used by menus and boxes of older programs.

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
    /// Applies an escape sequence (without its ESC) that designates a set; others are ignored.
    pub(super) fn apply(&mut self, body: &[u8]) {
        match body {
            [b'(', set] => self.drawing[0] = *set == b'0',
            [b')', set] => self.drawing[1] = *set == b'0',
            _ => {}
        }
    }

    /// Obeys SO (`is_out`) or SI.
    pub(super) fn shift(&mut self, is_out: bool) {
        self.shifted = is_out;
    }

    pub(super) fn draws(&self) -> bool {
        self.drawing[usize::from(self.shifted)]
    }

    pub(super) fn drawn(&self, byte: u8) -> char {
        match byte {
            0x5f..=0x7e if self.draws() => DRAWING[usize::from(byte - 0x5f)],
            _ => char::from(byte),
        }
    }

    /// Returns the sequences that set another terminal, whatever its state, to these sets.
    pub(super) fn restored(&self) -> String {
        let set = |draws: bool| if draws { '0' } else { 'B' };
        let shift = if self.shifted { '\x0e' } else { '\x0f' };
        let [first, second] = self.drawing.map(set);
        format!("\x1b({first}\x1b){second}{shift}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(charsets: Charsets, text: &str) -> String {
        text.bytes().map(|byte| charsets.drawn(byte)).collect()
    }

    #[test]
    fn only_the_set_in_use_draws() {
        let mut charsets = Charsets::default();
        assert!(!charsets.draws());
        charsets.apply(b")0");
        assert_eq!(drawn(charsets, "lqk"), "lqk");
        charsets.shift(true);
        assert_eq!(drawn(charsets, "lqkA~"), "┌─┐A·");
        charsets.apply(b")B");
        assert!(!charsets.draws());
        charsets.apply(b"(0");
        charsets.shift(false);
        assert_eq!(drawn(charsets, "x"), "│");
        assert_eq!(charsets.restored(), "\x1b(0\x1b)B\x0f");
    }
}
