//! Everything that a terminal shows: the lines that left the screen at its top, and the screen.

use super::model::{RowText, Screen};
use std::collections::VecDeque;

/// Rows that leave the screen are taken from the model after this much output.
pub(super) const PIECE_BYTES: usize = 4096;

/// Maximum number of rows above the screen; older ones are forgotten.
pub(super) const MAX_ROWS: usize = 1 << 17;

/// A terminal that remembers the rows above its screen.
pub struct ScrollingScreen {
    screen: Screen,
    above: VecDeque<RowText>,
    /// The number of the first of these rows.
    first: usize,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RowPosition {
    row: usize,
    /// How many characters of its row are before it.
    chars: usize,
}

impl RowPosition {
    /// Returns how many rows further down another position is, and how many characters further to the right if that is
    /// in the same row, otherwise how many are before it.
    pub fn to(self, other: Self) -> (isize, isize) {
        let rows = other.row as isize - self.row as isize;
        let before = if rows == 0 { self.chars as isize } else { 0 };
        (rows, other.chars as isize - before)
    }
}

impl ScrollingScreen {
    pub fn new(rows: u16, cols: u16) -> Self {
        Self {
            screen: Screen::with_rows_above(rows, cols, MAX_ROWS),
            above: VecDeque::new(),
            first: 0,
        }
    }

    pub fn feed(&mut self, output: &[u8]) {
        for piece in output.chunks(PIECE_BYTES) {
            self.screen.feed(piece);
            self.above.extend(self.screen.take_rows_above());
        }
        let extra = self.above.len().saturating_sub(MAX_ROWS);
        self.above.drain(..extra);
        self.first += extra;
    }

    pub fn place(&self) -> RowPosition {
        let (row, chars) = self.screen.cursor_in_text();
        RowPosition {
            row: self.first + self.above.len() + row,
            chars,
        }
    }

    /// Forgets the rows above the screen; [`Self::since`] takes no position in them.
    pub fn forget(&mut self) {
        self.first += self.above.len();
        self.above.clear();
    }

    pub fn is_alternate(&self) -> bool {
        self.screen.is_alternate()
    }

    /// Returns what is shown after a position, without trailing blanks; a line that was only wrapped is one line. If the
    /// screen was cleared since, or the program has the alternate screen, that is the whole screen.
    pub fn since(&self, place: RowPosition) -> String {
        let top = self.first + self.above.len();
        let is_cleared = top + self.screen.cursor_in_text().0 < place.row;
        let place = if is_cleared || self.screen.is_alternate() || place.row < self.first {
            RowPosition { row: top, chars: 0 }
        } else {
            place
        };
        let all = self.above.iter().cloned().chain(self.screen.all_rows());
        let mut text = String::new();
        for (at, row) in all.skip(place.row - self.first).enumerate() {
            push_row(&mut text, &row, if at == 0 { place.chars } else { 0 });
        }
        text.truncate(text.trim_end_matches(['\n', ' ']).len());
        text
    }
}

/// Adds a row from a character on; if the line ends with it, without trailing blanks and with a line feed.
pub(super) fn push_row(text: &mut String, (row, is_wrapped): &RowText, from_char: usize) {
    text.extend(row.chars().skip(from_char));
    if !is_wrapped {
        text.truncate(text.trim_end_matches(' ').len());
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn scrolled(output: &str) -> ScrollingScreen {
        let mut screen = ScrollingScreen::new(3, 10);
        screen.feed(output.as_bytes());
        screen
    }

    #[test]
    fn lines_that_left_the_screen_are_still_shown() {
        let screen = scrolled("1\r\n2\r\n3\r\n4\r\n5");
        assert_eq!(screen.since(RowPosition::default()), "1\n2\n3\n4\n5");
    }

    #[test]
    fn a_wrapped_line_is_one_line_on_the_screen_and_above_it() {
        let mut screen = scrolled("0123456789abc\r\n");
        assert_eq!(screen.since(RowPosition::default()), "0123456789abc");
        screen.feed(b"\r\n\r\nx");
        assert_eq!(screen.since(RowPosition::default()), "0123456789abc\n\n\nx");
    }

    #[test]
    fn what_is_shown_after_a_position_is_what_a_line_editor_left_there() {
        let mut screen = scrolled("a\r\nb\r\nc\r\n$ ");
        let place = screen.place();
        screen.feed(b"sl\x08\x08ls\r\x1b[K\x1b[1m$\x1b[0m ls -a\r\nfile\r\n$ ");
        assert_eq!(screen.since(place), "ls -a\nfile\n$");
        let place = screen.place();
        screen.feed(b"one\r\ntwo\r\n\x1b[2A\r$ ONE\x1b[2B\r$ ");
        assert_eq!(screen.since(place), "ONE\ntwo\n$");
    }

    #[test]
    fn of_a_cleared_screen_and_of_the_alternate_one_all_is_shown() {
        let mut screen = scrolled("a\r\nb\r\n$ ");
        let place = screen.place();
        screen.feed(b"clear\r\n\x1b[H\x1b[2J$ ");
        assert_eq!(screen.since(place), "$");
        let place = screen.place();
        screen.feed(b"\x1b[?1049h\x1b[Hmenu\r\n\r\n:");
        assert_eq!(screen.since(place), "menu\n\n:");
        screen.feed(b"\x1b[?1049l");
        assert_eq!(screen.since(place), "");
    }

    #[test]
    fn wide_and_combined_characters_before_a_position_are_left_out() {
        let mut screen = scrolled("\u{6f22}e\u{301}> ");
        let place = screen.place();
        screen.feed(b"x");
        assert_eq!(screen.since(place), "x");
    }

    proptest! {
        #[test]
        fn cuts_change_nothing(
            output in proptest::collection::vec(prop_oneof![
                "[a-z]{1,12}", "\x1b\\[[0-9]{0,2}[ABCDGHJK]", "\x1b\\[\\?1049[hl]", "(\r\n){1,4}", "\\PC"
            ], 0..40),
            cut in any::<prop::sample::Index>(),
        ) {
            let output = output.concat();
            let (before, after) = output.as_bytes().split_at(cut.index(output.len() + 1));
            let (mut once, mut twice) = (ScrollingScreen::new(3, 10), ScrollingScreen::new(3, 10));
            once.feed(output.as_bytes());
            twice.feed(before);
            twice.feed(after);
            prop_assert_eq!(once.since(RowPosition::default()), twice.since(RowPosition::default()));
            twice.forget();
            twice.feed(after);
            let place = twice.place();
            twice.feed(before);
            twice.since(place);
        }
    }
}
