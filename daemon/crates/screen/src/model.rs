//! The current screen, computed from the output of the program.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use super::palette::Palette;
use super::repaint;
use super::scanner::title;
use super::slice;
use super::snapshot::{self, ScreenSnapshot};
use super::terminal::{Cell, Page, Terminal, is_wrapped};
use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::index::{Column, Line};
use ccd_protocol::session::Cursor;
use ccd_text::escape::{Kind, Piece, Sequence, Splitter};
use encoding_rs::{Decoder, Encoding, UTF_8};

/// The text of a row, and whether it goes on in the next one.
pub(super) type RowText = (String, bool);

/// A screen model. It needs 24 bytes per cell, twice that while the alternate screen is shown.
/// Unlike xterm, it does not support left and right margins, double-size lines and changes of the number of columns.
pub struct Screen {
    /// For output that is not UTF-8.
    decoder: Option<Decoder>,
    /// The last byte may start a character that the decoder has not completed.
    may_lack_bytes: bool,
    splitter: Splitter,
    picture: ScreenState,
}

/// The parts of a [`Screen`] that a complete sequence or text changes.
struct ScreenState {
    terminal: Terminal,
    palette: Palette,
    title: String,
    /// How often the model failed on some output and was replaced by a blank screen.
    faults: u64,
}

impl Screen {
    /// Returns a blank screen; sizes of 0 count as 1.
    pub fn new(rows: u16, cols: u16) -> Self {
        Self::with_rows_above(rows, cols, 0)
    }

    /// Returns a blank screen that keeps so many of the rows that leave it at its top.
    pub(super) fn with_rows_above(rows: u16, cols: u16, rows_above: usize) -> Self {
        let picture = ScreenState {
            terminal: Terminal::new(rows, cols, rows_above),
            palette: Palette::default(),
            title: String::new(),
            faults: 0,
        };
        Self {
            decoder: None,
            may_lack_bytes: false,
            splitter: Splitter::new(),
            picture,
        }
    }

    /// Returns a blank screen like that of [`Self::with_rows_above`]; it also keeps the rows of a screen that is
    /// cleared, or drawn again from a row further up.
    pub(super) fn keeping_all_text(rows: u16, cols: u16, rows_above: usize) -> Self {
        let mut screen = Self::with_rows_above(rows, cols, rows_above);
        screen.picture.terminal.keeps_all_text = true;
        screen
    }

    /// Reads output in another encoding from now on. Encodings in which control sequences differ from ASCII (UTF-16,
    /// ISO-2022-JP) are treated as UTF-8.
    pub fn reading(self, encoding: &'static Encoding) -> Self {
        let is_other = encoding != UTF_8 && encoding.is_ascii_compatible();
        Self {
            decoder: is_other.then(|| encoding.new_decoder_without_bom_handling()),
            ..self
        }
    }

    /// Processes the next chunk of output, which may be split anywhere.
    pub fn feed(&mut self, bytes: &[u8]) {
        let Some(decoder) = &mut self.decoder else {
            return self.feed_utf8(bytes);
        };
        let most = decoder.max_utf8_buffer_length(bytes.len()).unwrap_or(0);
        let mut text = String::with_capacity(most);
        let _ = decoder.decode_to_string(bytes, &mut text, false);
        if let Some(last) = bytes.last() {
            self.may_lack_bytes = !last.is_ascii();
        }
        self.feed_utf8(text.as_bytes());
    }

    /// Processes output for about as long as `budget`; returns how many bytes are processed, at least one if there are
    /// any. The time in excess is that of 2 KiB of text, or of one sequence that changes the whole screen.
    pub fn feed_for(&mut self, bytes: &[u8], budget: Duration) -> usize {
        let start = Instant::now();
        let mut done = 0;
        while done < bytes.len() {
            let rest = &bytes[done..];
            let len = slice::len(rest, self.cell_count());
            self.feed(&rest[..len]);
            done += len;
            if start.elapsed() >= budget {
                break;
            }
        }
        done
    }

    fn feed_utf8(&mut self, bytes: &[u8]) {
        let (splitter, picture) = (&mut self.splitter, &mut self.picture);
        picture.guarded(|picture| {
            splitter.pieces(bytes, |piece| match piece {
                Piece::Text(text) => picture.terminal.text(text),
                Piece::Sequence(sequence) => picture.sequence(&sequence),
            });
        });
    }

    /// Changes the size; sizes of 0 count as 1.
    pub fn resize(&mut self, rows: u16, cols: u16) {
        self.picture
            .guarded(|picture| picture.terminal.resize(rows, cols));
    }

    /// Returns the size as rows and columns.
    pub fn size(&self) -> (u16, u16) {
        self.picture.terminal.size()
    }

    pub fn cell_count(&self) -> usize {
        let (rows, cols) = self.size();
        usize::from(rows) * usize::from(cols)
    }

    pub fn cursor(&self) -> Cursor {
        let terminal = &self.picture.terminal;
        snapshot::cursor(&terminal.page.grid, &terminal.modes)
    }

    /// Returns the text from the start of the cursor's line, which may have wrapped, to the cursor; blank cells are
    /// blanks.
    pub fn before_cursor(&self) -> String {
        let terminal = &self.picture.terminal;
        let (row, col) = terminal.place();
        let row = i32::from(row);
        let mut first = row;
        while first > 0 && is_wrapped(&terminal.page.grid, first - 1) {
            first -= 1;
        }
        let mut text = String::new();
        for row_of_line in first..=row {
            let cells = &terminal.page.grid[Line(row_of_line)];
            let end = if row_of_line == row {
                col.into()
            } else {
                cells.len()
            };
            snapshot::push_cells(&mut text, &cells[..Column(end)]);
        }
        text
    }

    /// Returns a copy of the screen, which can be read while this one changes.
    pub fn snapshot(&self) -> ScreenSnapshot {
        ScreenSnapshot {
            grid: self.picture.terminal.page.grid.clone(),
            modes: self.picture.terminal.modes,
            palette: self.picture.palette.clone(),
            title: self.picture.title.clone(),
        }
    }

    /// Returns the number of bytes at the end of the output that have no effect yet: an incomplete sequence or
    /// character.
    pub fn open_bytes(&self) -> u64 {
        if self.may_lack_bytes {
            return 1;
        }
        match self.splitter.open_len_bytes() {
            0 => self.picture.terminal.open_bytes(),
            open => open,
        }
    }

    pub(super) fn row(&self, row: u16) -> &[Cell] {
        &self.picture.terminal.page.grid[Line(row.into())][..]
    }

    /// Takes the rows that have left the main screen at its top, the oldest first.
    pub(super) fn take_rows_above(&mut self) -> Vec<RowText> {
        let terminal = &mut self.picture.terminal;
        let page = terminal.main.as_mut().unwrap_or(&mut terminal.page);
        let rows_above = page.grid.history_size() as i32;
        let rows = (-rows_above..0).map(|row| row_of(page, row)).collect();
        page.grid.clear_history();
        rows
    }

    pub(super) fn all_rows(&self) -> Vec<RowText> {
        let page = &self.picture.terminal.page;
        (0..self.size().0)
            .map(|row| row_of(page, row.into()))
            .collect()
    }

    pub(super) fn is_alternate(&self) -> bool {
        self.picture.terminal.main.is_some()
    }

    /// Returns the row of the cursor, and how many characters of its text are before the cursor.
    pub(super) fn cursor_in_text(&self) -> (usize, usize) {
        let (row, col) = self.picture.terminal.place();
        let mut text = String::new();
        snapshot::push_cells(&mut text, &self.row(row)[..col.into()]);
        (row.into(), text.chars().count())
    }

    /// Returns output that makes a terminal of this size, whatever it shows, show this screen at once.
    pub fn repaint_again(&self) -> Vec<u8> {
        let keyboard = self.picture.terminal.modes.keyboard;
        repaint::again(&self.saved(), &keyboard)
    }

    /// Returns output that makes any terminal of this size show this screen, including title and modes.
    /// While the alternate screen is shown, it draws the main screen first, so that it appears when the program leaves.
    pub fn repaint(&self) -> Vec<u8> {
        repaint::output(&self.picture.terminal, &self.picture.title)
    }

    /// Returns output that makes another [`Screen`] of this size show this screen, including changed colours.
    pub fn saved(&self) -> Vec<u8> {
        let mut output = self.repaint();
        output.extend_from_slice(self.picture.palette.restored().as_bytes());
        output
    }
}

impl ScreenState {
    fn sequence(&mut self, sequence: &Sequence<'_>) {
        self.terminal.sequence(sequence);
        if sequence.kind == Kind::Csi {
            return;
        }
        self.palette.apply(sequence);
        if let Some(title) = title(sequence) {
            self.title = title;
        }
    }

    /// Runs `change`; if the model panics, it is replaced by a blank screen.
    fn guarded(&mut self, change: impl FnOnce(&mut Self)) {
        if catch_unwind(AssertUnwindSafe(|| change(self))).is_err() {
            self.terminal = self.terminal.blank();
            self.faults += 1;
        }
    }
}

/// Returns a row of a page, without blanks at the end of a line; rows above the screen have negative numbers.
fn row_of(page: &Page, row: i32) -> RowText {
    let is_wrapped = is_wrapped(&page.grid, row);
    let cells = &page.grid[Line(row)][..];
    let last = cells.iter().rposition(|cell| !cell.is_blank());
    let len = if is_wrapped {
        cells.len()
    } else {
        last.map_or(0, |last| last + 1)
    };
    let mut text = String::with_capacity(len);
    snapshot::push_cells(&mut text, &cells[..len]);
    (text, is_wrapped)
}

#[cfg(test)]
#[path = "model_tests.rs"]
mod tests;
