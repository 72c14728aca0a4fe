//! Where the cursor goes.

use super::cell::Cell;
use super::page::Terminal;
use crate::charsets::Charsets;
use alacritty_terminal::grid::Cursor;
use alacritty_terminal::index::{Column, Line};
use std::ops::Range;

impl Terminal {
    pub(crate) fn region(&self) -> Range<usize> {
        let rows = self.rows();
        let region = self.modes.scroll_region.unwrap_or((0, u16::MAX));
        let (top, end) = (usize::from(region.0), rows.min(usize::from(region.1) + 1));
        if top + 1 < end { top..end } else { 0..rows }
    }

    /// Moves the cursor to a row and a column, which in origin mode count from the region.
    pub(super) fn go_to(&mut self, row: usize, col: usize) {
        let rows = if self.modes.origin {
            self.region()
        } else {
            0..self.rows()
        };
        self.set_place((rows.start + row).min(rows.end - 1), col);
    }

    pub(super) fn go_to_row(&mut self, row: usize) {
        self.go_to(row, self.col());
    }

    pub(super) fn go_to_col(&mut self, col: usize) {
        self.set_place(self.row(), col);
    }

    /// Moves the cursor up, at most to the top of the region if it is below that.
    pub(super) fn move_up(&mut self, rows: usize) {
        let (row, top) = (self.row(), self.region().start);
        let least = if row >= top { top } else { 0 };
        self.set_place(row.saturating_sub(rows).max(least), self.col());
    }

    /// Moves the cursor down, at most to the bottom of the region if it is above that.
    pub(super) fn move_down(&mut self, rows: usize) {
        let (row, bottom) = (self.row(), self.region().end - 1);
        let last = self.rows() - 1;
        let most = if row <= bottom { bottom } else { last };
        self.set_place((row + rows).min(most), self.col());
    }

    pub(super) fn move_left(&mut self, cols: usize) {
        self.go_to_col(self.col().saturating_sub(cols));
    }

    pub(super) fn move_right(&mut self, cols: usize) {
        self.go_to_col(self.col() + cols);
    }

    pub(super) fn carriage_return(&mut self) {
        self.go_to_col(0);
    }

    /// Moves to the next row; at the bottom of the region, its text moves up.
    pub(super) fn index(&mut self) {
        self.no_longer_wrap();
        let (row, region) = (self.row(), self.region());
        if row + 1 == region.end {
            self.scroll_up(region, 1);
        } else if row + 1 < self.rows() {
            self.cursor().point.line += 1;
        }
    }

    /// Moves to the row before; at the top of the region, its text moves down.
    pub(super) fn reverse_index(&mut self) {
        self.no_longer_wrap();
        let (row, region) = (self.row(), self.region());
        if row == region.start {
            self.scroll_down(region, 1);
        } else if row > 0 {
            self.cursor().point.line -= 1;
        }
    }

    pub(super) fn tab_forward(&mut self, count: usize) {
        let last = self.cols() - 1;
        let mut col = self.col();
        if col == last {
            return;
        }
        for _ in 0..count.min(last) {
            let mut after = col + 1..=last;
            col = after.find(|col| self.tabs[*col]).unwrap_or(last);
        }
        self.go_to_col(col);
    }

    pub(super) fn tab_back(&mut self, count: usize) {
        let mut col = self.col();
        for _ in 0..count.min(self.cols()) {
            col = (0..col).rev().find(|col| self.tabs[*col]).unwrap_or(0);
        }
        self.go_to_col(col);
    }

    pub(super) fn set_tab(&mut self) {
        let col = self.col();
        self.tabs[col] = true;
    }

    /// Obeys TBC: 0 removes the stop of this column, 3 all stops.
    pub(super) fn clear_tabs(&mut self, which: u16) {
        let col = self.col();
        match which {
            0 => self.tabs[col] = false,
            3 => self.tabs.fill(false),
            _ => {}
        }
    }

    /// Saves the cursor as DECSC does, except what is in [`Modes::saved`](crate::modes::Modes).
    pub(super) fn save_cursor(&mut self) {
        let grid = &mut self.page.grid;
        grid.saved_cursor = grid.cursor.clone();
        self.page.saved_charsets = self.charsets;
    }

    pub(super) fn restore_cursor(&mut self) {
        let grid = &mut self.page.grid;
        grid.cursor = grid.saved_cursor.clone();
        self.charsets = self.page.saved_charsets;
    }

    pub(super) fn forget_saved_cursor(&mut self) {
        self.page.grid.saved_cursor = Cursor::<Cell>::default();
        self.page.saved_charsets = Charsets::default();
    }

    /// Stays in the last column with the next character, as after all but text, tabs, styles and erasing (DEC STD 070,
    /// except that erasing does there).
    pub(super) fn no_longer_wrap(&mut self) {
        self.cursor().input_needs_wrap = false;
    }

    pub(super) fn row(&self) -> usize {
        self.page.grid.cursor.point.line.0 as usize
    }

    fn col(&self) -> usize {
        self.page.grid.cursor.point.column.0
    }

    fn set_place(&mut self, row: usize, col: usize) {
        let last = self.cols() - 1;
        let cursor = self.cursor();
        cursor.point.line = Line(row as i32);
        cursor.point.column = Column(col.min(last));
        cursor.input_needs_wrap = false;
    }
}
