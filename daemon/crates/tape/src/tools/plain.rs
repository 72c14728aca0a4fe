//! Renders output as readable text: the lines as they are after all cursor movements in them.

use super::cut_text::CutText;
use ccd_text::escape::{Csi, Kind, Piece, Sequence, Splitter};

/// Maximum length of the text; the rest is omitted.
const MAX_TEXT_BYTES: usize = 64 << 20;

/// Maximum length of a line; then a new line starts.
const MAX_LINE_CHARS: usize = 64 << 10;

/// Columns between tab stops.
const TAB: usize = 8;

/// Returns `output` as text, its lines without trailing blanks. Text that was overwritten or erased is not included,
/// nor what a program drew on the alternate screen. A line that was only wrapped at the terminal's width is one line.
/// `cols` is the terminal's width; `None` if there was no terminal.
pub fn shown(output: &[u8], cols: Option<u16>) -> String {
    let mut plain = Plain::new(cols);
    plain.print(output);
    plain.text()
}

/// A terminal with lines but no screen.
#[derive(Default)]
pub(super) struct Plain {
    splitter: Splitter,
    cut: CutText,
    done: String,
    line: Vec<char>,
    /// Where the row of the cursor starts in the line: a long line has several rows.
    row_start: usize,
    /// In its row.
    col: usize,
    cols: Option<usize>,
    is_alternate: bool,
}

impl Plain {
    pub(super) fn new(cols: Option<u16>) -> Self {
        Self {
            cols: cols.map(|cols| usize::from(cols.max(1))),
            ..Self::default()
        }
    }

    /// Adds what a program printed; it may end within a character or a control sequence.
    pub(super) fn print(&mut self, output: &[u8]) {
        let mut splitter = std::mem::take(&mut self.splitter);
        splitter.pieces(output, |piece| match piece {
            Piece::Text(text) => {
                let whole = self.cut.add(text);
                self.say(&String::from_utf8_lossy(&whole));
            }
            Piece::Sequence(sequence) => self.obey(&sequence),
        });
        self.splitter = splitter;
    }

    /// Adds text that the program did not print.
    pub(super) fn say(&mut self, text: &str) {
        text.chars().for_each(|c| self.character(c));
    }

    /// Ends the line, unless it is empty.
    pub(super) fn fresh_line(&mut self) {
        if !self.line.is_empty() {
            self.end_line();
        }
        self.col = 0;
    }

    /// Returns all lines, with the last one as it is.
    pub(super) fn text(mut self) -> String {
        let last: String = self.line.iter().collect();
        self.done.push_str(last.trim_end_matches(' '));
        self.done
    }

    fn end_line(&mut self) {
        if self.done.len() < MAX_TEXT_BYTES {
            let end = self.line.iter().rposition(|c| *c != ' ');
            let line = &self.line[..end.map_or(0, |last| last + 1)];
            self.done.extend(line);
            self.done.push('\n');
        }
        self.line.clear();
        self.row_start = 0;
    }

    fn at(&self) -> usize {
        self.row_start + self.col
    }

    fn row_end(&self) -> usize {
        let end = self.cols.map_or(usize::MAX, |cols| self.row_start + cols);
        end.min(self.line.len())
    }

    fn blank(&mut self, from: usize, to: usize) {
        let to = to.min(self.line.len());
        if from < to {
            self.line[from..to].fill(' ');
        }
    }

    fn move_to(&mut self, col: usize) {
        self.col = col.min(self.cols.map_or(MAX_LINE_CHARS, |cols| cols - 1));
    }

    /// Moves up within a line of several rows.
    fn up(&mut self, rows: usize) {
        let rows = rows.saturating_mul(self.cols.unwrap_or(0));
        self.row_start = self.row_start.saturating_sub(rows);
    }

    fn erase_line(&mut self, how: u16) {
        let (start, at, end) = (self.row_start, self.at(), self.row_end());
        match how {
            0 if end == self.line.len() => self.line.truncate(at),
            0 => self.blank(at, end),
            1 => self.blank(start, at + 1),
            _ => self.blank(start, end),
        }
    }

    fn erase_screen(&mut self, how: u16) {
        match how {
            0 => self.line.truncate(self.at()),
            1 => self.blank(0, self.at() + 1),
            _ => self.fresh_line(),
        }
    }

    fn character(&mut self, c: char) {
        if self.is_alternate {
            return;
        }
        if c.is_control() {
            return self.control(c);
        }
        if self.cols.is_some_and(|cols| self.col >= cols) {
            (self.row_start, self.col) = (self.at(), 0);
        }
        if self.at() >= MAX_LINE_CHARS {
            self.end_line();
            self.col = 0;
        }
        let at = self.at();
        if at >= self.line.len() {
            self.line.resize(at + 1, ' ');
        }
        self.line[at] = c;
        self.col += 1;
    }

    fn control(&mut self, control: char) {
        match control {
            // A line feed always starts a new line at its first column, even if the terminal was set not to: stair
            // steps are hard to read.
            '\n' | '\x0b' | '\x0c' => {
                self.end_line();
                self.col = 0;
            }
            '\r' => self.col = 0,
            '\x08' => self.col = self.col.saturating_sub(1),
            '\t' => self.move_to((self.col / TAB + 1) * TAB),
            _ => {}
        }
    }

    fn obey(&mut self, sequence: &Sequence<'_>) {
        let Some(csi) = Csi::parse(sequence.body).filter(|_| sequence.kind == Kind::Csi) else {
            return;
        };
        let mut values = csi.numbers();
        if let (b'?', 0, b'h' | b'l') = csi.shape() {
            if values.any(|mode| matches!(mode, 47 | 1047 | 1049)) {
                self.is_alternate = csi.action == b'h';
            }
            return;
        }
        if csi.prefix != 0 || csi.intermediate != 0 || self.is_alternate {
            return;
        }
        let first = values.next().unwrap_or(0);
        let count = usize::from(first.max(1));
        let at = self.at();
        match csi.action {
            b'K' => self.erase_line(first),
            b'J' => self.erase_screen(first),
            b'C' => self.move_to(self.col + count),
            b'D' => self.col = self.col.saturating_sub(count),
            b'G' => self.move_to(count - 1),
            b'A' => self.up(count),
            b'H' | b'f' => {
                self.fresh_line();
                let col = values.next().unwrap_or(1).max(1);
                self.move_to(usize::from(col) - 1);
            }
            b'P' if at < self.line.len() => {
                let end = (at + count).min(self.line.len());
                self.line.drain(at..end);
            }
            b'@' if at < self.line.len() => {
                let blanks = count.min(MAX_LINE_CHARS.saturating_sub(self.line.len()));
                self.line.splice(at..at, std::iter::repeat_n(' ', blanks));
            }
            b'X' => self.blank(at, at + count),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(output: &str) -> String {
        shown(output.as_bytes(), Some(10))
    }

    #[test]
    fn a_line_shows_what_was_left_in_it() {
        assert_eq!(text("\x1b[1mab\x1b[0m\r\nc"), "ab\nc");
        assert_eq!(text("10%\r20%\r\x1b[Kdone  \r\n"), "done\n");
        assert_eq!(text("abx\x08 \x08c"), "abc");
        assert_eq!(text("abcd\x1b[3D\x1b[Px\x1b[@y"), "axyd");
        assert_eq!(text("a\tb\x1b[2Gx"), "ax      b");
        assert_eq!(text("abc\x1b[1Kd"), "   d");
        assert_eq!(text("abc\r\x1b[2Kd\x1b]0;title\x07\x1b(B"), "d");
        assert_eq!(text("héllo\u{1b}[D\u{1b}[X"), "héll");
    }

    #[test]
    fn a_line_that_the_terminal_broke_is_whole() {
        assert_eq!(text("0123456789abc\r\nd"), "0123456789abc\nd");
        // As line editors do it: a blank to get to the next row, and back.
        assert_eq!(text("0123456789 \rabc"), "0123456789abc");
        assert_eq!(text("0123456789abc\x1b[A\rxy\r\n"), "xy23456789abc\n");
        assert_eq!(text("0123456789\r\n"), "0123456789\n");
    }

    #[test]
    fn a_screen_is_left_out_and_one_that_is_cleared_is_a_new_line() {
        assert_eq!(text("a\r\n\x1b[?1049h\x1b[Hmenu\r\n\x1b[?1049lb"), "a\nb");
        assert_eq!(text("a\x1b[H\x1b[2Jb"), "a\nb");
    }

    #[test]
    fn without_a_terminal_lines_end_as_in_files() {
        assert_eq!(shown(b"a\nb\n", None), "a\nb\n");
        assert_eq!(shown(&[b'x'; 200], None).len(), 200);
        let far = "\x1b[65535C".repeat(100) + "x";
        assert!(shown(far.as_bytes(), None).len() <= MAX_LINE_CHARS + 2);
    }

    proptest! {
        #[test]
        fn no_output_makes_it_fail(
            output in proptest::collection::vec(prop_oneof![
                "[a-z]{1,12}", "\x1b\\[[0-9]{0,5}[ABCDGHJKPX@]", "\x1b\\[\\?(47|1049)[hl]", "[\r\n\x08\t]", "\\PC"
            ], 0..40),
            cols in proptest::option::of(0u16..20),
        ) {
            let output = output.concat();
            let text = shown(output.as_bytes(), cols);
            prop_assert!(!text.contains('\x1b') && !text.contains(" \n"));
        }
    }
}
