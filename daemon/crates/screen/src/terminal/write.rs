//! Text and control characters.

use super::cell::Cell;
use super::page::Terminal;
use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::cell::Flags;
use std::ops::Range;
use unicode_width::UnicodeWidthChar;

const BACKSPACE: u8 = 0x08;
const TAB: u8 = 0x09;
const LINE_FEED: u8 = 0x0a;
const FORM_FEED: u8 = 0x0c;
const CARRIAGE_RETURN: u8 = 0x0d;
const SHIFT_OUT: u8 = 0x0e;
const SHIFT_IN: u8 = 0x0f;

/// What is shown for bytes that are no character.
const BROKEN: char = char::REPLACEMENT_CHARACTER;

impl Terminal {
    /// Shows text, which may end inside a character, and obeys its control characters.
    pub(crate) fn text(&mut self, text: &[u8]) {
        let mut rest = text;
        while let Some(first) = rest.first() {
            let kind = ByteKind::from(*first);
            let len = rest.iter().position(|byte| ByteKind::from(*byte) != kind);
            let (run, after) = rest.split_at(len.unwrap_or(rest.len()));
            rest = after;
            match kind {
                ByteKind::Multibyte => self.multibyte(run),
                ByteKind::Printable => {
                    self.end_character();
                    self.ascii(run);
                }
                ByteKind::Control => {
                    self.end_character();
                    run.iter().for_each(|byte| self.control(*byte));
                }
            }
        }
    }

    /// Shows that a character has not been completed, before anything else arrives.
    pub(crate) fn end_character(&mut self) {
        if !self.open.is_empty() {
            self.open.clear();
            self.character(BROKEN);
        }
    }

    fn control(&mut self, byte: u8) {
        self.last = None;
        match byte {
            BACKSPACE => self.move_left(1),
            TAB => self.tab_forward(1),
            LINE_FEED..=FORM_FEED => {
                self.index();
                if self.modes.newline {
                    self.carriage_return();
                }
            }
            CARRIAGE_RETURN => self.carriage_return(),
            SHIFT_OUT => self.charsets.shift(true),
            SHIFT_IN => self.charsets.shift(false),
            _ => {}
        }
    }

    fn multibyte(&mut self, bytes: &[u8]) {
        let joined;
        let mut bytes = bytes;
        if !self.open.is_empty() {
            joined = [&std::mem::take(&mut self.open), bytes].concat();
            bytes = &joined;
        }
        let mut len = 0;
        for chunk in bytes.utf8_chunks() {
            chunk
                .valid()
                .chars()
                .for_each(|character| self.character(character));
            let broken = chunk.invalid();
            len += chunk.valid().len() + broken.len();
            if broken.is_empty() {
                continue;
            }
            // Only the first bytes of a character may still become one.
            let is_cut = str::from_utf8(broken).is_err_and(|error| error.error_len().is_none());
            if is_cut && len == bytes.len() {
                self.open = broken.to_vec();
            } else {
                self.character(BROKEN);
            }
        }
    }

    /// Shows printable ASCII characters, a row at a time.
    fn ascii(&mut self, mut text: &[u8]) {
        if self.modes.insert || self.charsets.draws() {
            let charsets = self.charsets;
            let drawn = text.iter().map(|byte| charsets.drawn(*byte));
            return drawn.for_each(|character| self.character(character));
        }
        while let [.., last] = text {
            self.last = Some(char::from(*last));
            self.wrap_if_due();
            let point = self.cursor().point;
            let cols = self.cols();
            let len = text.len().min(cols - point.column.0);
            let (now, mut after) = text.split_at(len);
            self.put(point.line, point.column.0, now);
            if let (false, [.., last]) = (self.modes.autowrap, after) {
                // All that does not fit is written over the last cell.
                self.put(point.line, cols - 1, &[*last]);
                after = &[];
            }
            self.advance_to(point.column.0 + len);
            text = after;
        }
    }

    /// Writes characters of one column into cells of one row.
    fn put(&mut self, line: Line, col: usize, text: &[u8]) {
        let end = col + text.len();
        self.take_cells(line, col..end);
        let grid = &mut self.page.grid;
        let Cell { style, extra, .. } = grid.cursor.template.clone();
        let cells = &mut grid[line][Column(col)..Column(end)];
        for (cell, byte) in cells.iter_mut().zip(text) {
            *cell = Cell {
                character: char::from(*byte),
                style,
                flags: Flags::empty(),
                extra: extra.clone(),
            };
        }
    }

    pub(super) fn character(&mut self, character: char) {
        // Control characters, also 8-bit ones, have none.
        let Some(width) = character.width() else {
            return;
        };
        if width == 0 {
            return self.combine(character);
        }
        self.last = Some(character);
        let cols = self.cols();
        if width > cols {
            return;
        }
        self.wrap_if_due();
        if self.cursor().point.column.0 + width > cols {
            if !self.modes.autowrap {
                return;
            }
            // What the last column shows stays there.
            let gap = self.page.grid.cursor_cell();
            if gap.is_untouched() {
                gap.flags.insert(Flags::LEADING_WIDE_CHAR_SPACER);
            }
            self.wrap();
        }
        let point = self.cursor().point;
        let end = point.column.0 + width;
        if self.modes.insert {
            self.shift_right(width);
        }
        self.take_cells(point.line, point.column.0..end);
        let grid = &mut self.page.grid;
        let mut cell = grid.cursor.template.clone();
        if width == 2 {
            let mut half = cell.clone();
            half.flags.insert(Flags::WIDE_CHAR_SPACER);
            grid[point.line][point.column + 1] = half;
            cell.flags.insert(Flags::WIDE_CHAR);
        }
        cell.character = character;
        grid[point] = cell;
        self.advance_to(end);
    }

    /// Adds a character without a width to the one before the cursor.
    fn combine(&mut self, character: char) {
        let cursor = self.cursor();
        let after = cursor.point.column.0 + usize::from(cursor.input_needs_wrap);
        let line = cursor.point.line;
        let Some(before) = after.checked_sub(1) else {
            return;
        };
        let row = &mut self.page.grid[line];
        let is_half = row[Column(before)].is_second_half() && before > 0;
        row[Column(before - usize::from(is_half))].combine(character);
    }

    /// Moves the cursor to column `col` of its row; after the last column, it waits there to wrap.
    fn advance_to(&mut self, col: usize) {
        let last = self.cols() - 1;
        let cursor = self.cursor();
        cursor.point.column = Column(col.min(last));
        cursor.input_needs_wrap = col > last;
    }

    fn wrap_if_due(&mut self) {
        if self.cursor().input_needs_wrap && self.modes.autowrap {
            self.wrap();
        }
    }

    fn wrap(&mut self) {
        self.page.grid.cursor_cell().flags.insert(Flags::WRAPLINE);
        self.index();
        self.carriage_return();
    }

    /// Prepares cells to be overwritten: wide characters that only half belong to them go.
    fn take_cells(&mut self, line: Line, cols: Range<usize>) {
        self.part(line, cols.start);
        self.part(line, cols.end);
        if cols.start <= 1 && line > Line(0) {
            // The wide character that did not fit in the row above is no longer here.
            let last = self.page.grid.last_column();
            let above = &mut self.page.grid[line - 1usize];
            if above[last].is_gap() {
                above[last].flags.remove(Flags::LEADING_WIDE_CHAR_SPACER);
            }
        }
    }

    /// Erases the wide character, if any, that an edge before column `col` would halve.
    pub(super) fn part(&mut self, line: Line, col: usize) {
        let grid = &mut self.page.grid;
        let row = &grid[line];
        if col == 0 || col >= row.len() || !row[Column(col)].is_second_half() {
            return;
        }
        let blank = Cell::blank(grid.cursor.template.style.bg);
        grid[line][Column(col - 1)..Column(col + 1)].fill(blank);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ByteKind {
    Control,
    Printable,
    Multibyte,
}

impl From<u8> for ByteKind {
    #[inline]
    fn from(byte: u8) -> Self {
        match byte {
            0..0x20 | 0x7f => Self::Control,
            0x20..0x7f => Self::Printable,
            0x80.. => Self::Multibyte,
        }
    }
}
