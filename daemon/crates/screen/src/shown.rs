//! Everything that a terminal has shown, as text: also what is no longer on its screen.

use super::model::Screen;
use super::scrolling::{MAX_ROWS, PIECE_BYTES, push_row};
use super::terminal::Cell;
use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// Maximum length of the text; the rest is omitted, and the last line says so.
const MAX_TEXT_BYTES: usize = 64 << 20;

/// Maximum number of cells in the rows above the screen, which are taken from the model before there are more; but four
/// screens of it.
const MAX_CELLS_ABOVE: usize = 1 << 20;

/// The least output that moves a whole screen to the rows above it is longer.
const BYTES_FOR_A_SCREEN: usize = 3;

/// How long output is processed, in all, as processor time, so that the same output is cut at the same place on a busy
/// machine; the rest is omitted, and the last line says so. Only programs that do little but clear large screens make so
/// much work.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// Rows that a program can reach to change its text, if the size of its terminal is not known.
const ROWS: u16 = 24;

/// Longer lines are wrapped, and then joined again.
const MAX_COLS: u16 = 1000;

/// Columns if there was no terminal. Each line costs as much as a row of this width.
const PIPE_COLS: u16 = 240;

/// A line feed always starts a new line at its first column, even if the terminal was set not to: stair steps are hard to
/// read.
const LINE_FEEDS_RETURN: &[u8] = b"\x1b[20h";

const LEAVE_ALTERNATE: &[u8] = b"\x1b[?1049l";

/// Returns `output` as text, its lines without trailing blanks. Text that was overwritten or erased is not included,
/// except that of a whole screen which was cleared or drawn again, nor what a program drew on the alternate screen. A line
/// that was only wrapped at the terminal's width is one line. `cols` is the terminal's width; `None` if there was no terminal.
pub fn shown(output: &[u8], cols: Option<u16>) -> String {
    let mut shown = ShownText::new(cols.map(|cols| (ROWS, cols)));
    shown.feed(output);
    shown.text()
}

/// Returns the start of what [`shown`] returns, of about `max_bytes`; if that is not all, a line more, which says so. Costs
/// no more than that text does.
pub fn shown_start<'a>(
    chunks: impl IntoIterator<Item = &'a [u8]>,
    cols: Option<u16>,
    max_bytes: usize,
) -> String {
    let mut shown = ShownText::new(cols.map(|cols| (ROWS, cols)));
    shown.max_bytes = max_bytes;
    for chunk in chunks {
        shown.feed(chunk);
    }
    shown.text()
}

/// A terminal that keeps all text.
pub struct ShownText {
    screen: Screen,
    /// The lines above the screen.
    done: String,
    max_bytes: usize,
    /// Output was left out.
    is_cut: bool,
    /// How much output moves few enough rows above the screen.
    piece_bytes: usize,
    spent: Duration,
}

impl ShownText {
    /// `size` is rows and columns of the terminal; `None` if there was no terminal.
    pub fn new(size: Option<(u16, u16)>) -> Self {
        let (rows, cols) = size.unwrap_or((ROWS, PIPE_COLS));
        let (rows, cols) = (rows.max(1), cols.clamp(1, MAX_COLS));
        let height = usize::from(rows);
        let rows_above = MAX_ROWS.min((MAX_CELLS_ABOVE / usize::from(cols)).max(4 * height));
        // A line feed moves one row.
        let safe = (rows_above - height) * BYTES_FOR_A_SCREEN / (height + BYTES_FOR_A_SCREEN);
        let mut screen = Screen::keeping_all_text(rows, cols, rows_above);
        screen.feed(LINE_FEEDS_RETURN);
        Self {
            screen,
            done: String::new(),
            max_bytes: MAX_TEXT_BYTES,
            is_cut: false,
            piece_bytes: PIECE_BYTES.min(safe),
            spent: Duration::ZERO,
        }
    }

    /// Adds output, which may be split anywhere.
    pub fn feed(&mut self, output: &[u8]) {
        for piece in output.chunks(self.piece_bytes) {
            if self.done.len() >= self.max_bytes || self.spent >= TIME_LIMIT {
                self.is_cut = true;
                return;
            }
            let start = thread_time();
            self.screen.feed(piece);
            for row in self.screen.take_rows_above() {
                push_row(&mut self.done, &row, 0);
            }
            self.spent += thread_time().saturating_sub(start);
        }
    }

    /// Ends the line, unless it is empty.
    pub fn fresh_line(&mut self) {
        let row = self.screen.cursor().row;
        let is_empty = self.screen.row(row).iter().all(Cell::is_untouched);
        self.feed(if is_empty { b"\r" } else { b"\r\n" });
    }

    /// Returns all lines, with the last one as it is.
    pub fn text(mut self) -> String {
        if self.screen.is_alternate() {
            self.feed(LEAVE_ALTERNATE);
        }
        let mut rows = self.screen.all_rows();
        let last = rows
            .iter()
            .rposition(|(row, _)| !row.trim_end_matches(' ').is_empty());
        let cursor_row = self.screen.cursor_in_text().0;
        rows.truncate(1 + last.unwrap_or(0).max(cursor_row));
        for row in &rows {
            push_row(&mut self.done, row, 0);
        }
        let text = self.done.strip_suffix('\n').unwrap_or(&self.done);
        self.done.truncate(text.trim_end_matches(' ').len());
        if self.is_cut || self.done.len() > self.max_bytes {
            let end = self.done.floor_char_boundary(self.max_bytes);
            self.done.truncate(end);
            self.done.push_str(&self.why_cut());
        }
        self.done
    }

    /// Returns the last line of a text that is not complete.
    fn why_cut(&self) -> String {
        if self.spent >= TIME_LIMIT {
            let seconds = TIME_LIMIT.as_secs();
            format!("\n… the rest is left out: drawing it takes more than {seconds} s")
        } else {
            let kib = self.max_bytes.div_ceil(1024);
            format!("\n… the rest is left out: only {kib} KiB are shown")
        }
    }
}

/// Returns the processor time that this thread has used.
fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_line_shows_what_was_left_in_it() {
        for (output, text) in [
            ("\x1b[1mab\x1b[0m\r\nc", "ab\nc"),
            ("10%\r20%\r\x1b[Kdone  \r\n", "done\n"),
            ("abx\x08 \x08c", "abc"),
            ("abcd\x1b[3D\x1b[Px\x1b[@y", "axyd"),
            ("a\tb\x1b[2Gx", "ax      b"),
            ("abc\x1b[1Kd", "   d"),
            ("abc\r\x1b[2Kd\x1b]0;title\x07\x1b(B", "d"),
            ("héllo\u{1b}[D\u{1b}[X", "héll"),
            ("one\ntwo\r\n\x1b[2AONE", "ONE\ntwo"),
            // A line that the terminal has wrapped is whole.
            ("0123456789abc\r\nd", "0123456789abc\nd"),
            // As line editors do it: a blank to get to the next row, and back.
            ("0123456789 \rabc", "0123456789abc"),
            ("0123456789abc\x1b[A\rxy", "xy23456789abc"),
            ("0123456789\r\n", "0123456789\n"),
            // The alternate screen is left out, and one that is cleared or drawn again is kept.
            ("a\r\n\x1b[?1049h\x1b[Hmenu\r\n\x1b[?1049lb", "a\nb"),
            ("a\r\nb\x1b[?1049hmenu", "a\nb"),
            ("a\x1b[H\x1b[2Jb", "a\nb"),
            ("a\r\nb\r\n\x1b[2;1Hc", "a\nb\nc"),
            ("\x1b[H\x1b[Ja\r\n\x1b[H\x1b[Jb\x1bcc", "a\nb\nc"),
        ] {
            assert_eq!(shown(output.as_bytes(), Some(10)), text, "{output:?}");
        }
    }

    #[test]
    fn without_a_terminal_lines_end_as_in_files() {
        assert_eq!(shown(b"a\nb\n", None), "a\nb\n");
        assert_eq!(shown(&[b'x'; 5000], None).len(), 5000);
        let lines = "line\n".repeat(5000);
        assert_eq!(shown(lines.as_bytes(), None), lines);
        let screens = shown(&b"\x1b#8\x1bc".repeat(100), None);
        assert_eq!(screens.lines().count(), 100 * usize::from(ROWS));
    }

    #[test]
    fn a_text_that_is_cut_says_so() {
        let lines = "0123456\r\n".repeat(10_000);
        let start = |max_bytes| shown_start(lines.as_bytes().chunks(999), Some(80), max_bytes);
        let (text, end) = start(1 << 10)
            .rsplit_once('\n')
            .map(|(text, end)| (text.to_owned(), end.to_owned()))
            .unwrap();
        assert_eq!(text, "0123456\n".repeat(128));
        assert_eq!(end, "… the rest is left out: only 1 KiB are shown");
        assert_eq!(start(80_000), shown(lines.as_bytes(), Some(80)));
        let mut late = ShownText::new(None);
        late.spent = TIME_LIMIT;
        late.feed(b"x");
        assert_eq!(
            late.text(),
            "\n… the rest is left out: drawing it takes more than 60 s"
        );
    }

    proptest! {
        #[test]
        fn cuts_change_nothing(
            output in proptest::collection::vec(prop_oneof![
                "[a-z]{1,12}", "\x1b\\[[0-9]{0,5}[ABCDGHJKPX@]", "\x1b\\[\\?(47|1049)[hl]", "[\r\n\x08\t]", "\\PC"
            ], 0..40),
            cols in proptest::option::of(0u16..20),
            cut in any::<prop::sample::Index>(),
        ) {
            let output = output.concat();
            let whole = shown(output.as_bytes(), cols);
            prop_assert!(!whole.contains('\x1b') && !whole.contains(" \n"));
            let (before, after) = output.as_bytes().split_at(cut.index(output.len() + 1));
            let mut parts = ShownText::new(cols.map(|cols| (ROWS, cols)));
            parts.feed(before);
            parts.feed(after);
            prop_assert_eq!(parts.text(), whole);
        }
    }
}
