//! Erasing, inserting, deleting and scrolling. New cells have the pen's background, and nothing else of its style.

use super::cell::{Attributes, Cell, Style};
use super::page::Terminal;
use alacritty_terminal::index::{Column, Line};
use std::ops::Range;

impl Terminal {
    /// Obeys ED and DECSED: erases from the cursor to the end (0), from the start to the cursor (1), or all (2). The
    /// rows above the screen stay (3).
    pub(super) fn erase_screen(&mut self, which: u16, selective: bool) {
        let (row, rows) = (self.row(), self.rows());
        if which == 2 || which == 0 && self.place() == (0, 0) {
            self.keep_rows();
        }
        let others = match which {
            0 => row + 1..rows,
            1 => 0..row,
            2 => 0..rows,
            _ => return,
        };
        if which < 2 {
            self.erase_line(which, selective);
        }
        if selective {
            let cols = self.cols();
            others.for_each(|row| self.erase(row, 0..cols, true));
        } else if !others.is_empty() {
            self.page.grid.reset_region(lines(&others));
        }
    }

    /// Moves what the main screen shows to the rows above it, if they are to keep all text; returns whether they are.
    pub(super) fn keep_rows(&mut self) -> bool {
        let keeps = self.keeps_all_text && self.main.is_none();
        if keeps {
            let grid = &self.page.grid;
            let last = (0..self.rows()).rfind(|row| !grid[Line(*row as i32)].is_clear());
            self.scroll_up(0..self.rows(), last.map_or(0, |last| last + 1));
        }
        keeps
    }

    /// Obeys EL and DECSEL: erases from the cursor to the end of its row (0), from the start to the cursor (1), or the
    /// row (2).
    pub(super) fn erase_line(&mut self, which: u16, selective: bool) {
        let (row, cols) = (self.row(), self.cols());
        let col = usize::from(self.place().1);
        let erased = match which {
            0 => col..cols,
            1 => 0..cols.min(col + 1),
            2 => 0..cols,
            _ => return,
        };
        self.erase(row, erased, selective);
    }

    pub(super) fn erase_chars(&mut self, count: usize) {
        let (row, cols) = (self.row(), self.cols());
        let col = usize::from(self.place().1);
        self.erase(row, col..(col + count).min(cols), false);
    }

    /// Erases cells of a row. A cursor that waits to wrap goes on waiting, and what it has just written stays, as in
    /// most terminals but xterm: `grep --color` erases to the end of the line after a match in the last column.
    fn erase(&mut self, row: usize, cols: Range<usize>, selective: bool) {
        let line = Line(row as i32);
        if !selective && cols == (0..self.cols()) {
            // The grid knows which cells were touched.
            return self.page.grid.reset_region(line..=line);
        }
        for edge in [cols.start, cols.end] {
            let cell = self.page.grid[line][..].get(edge);
            if !selective || cell.is_some_and(|cell| !is_protected(cell)) {
                self.part(line, edge);
            }
        }
        let bg = self.cursor().template.style.bg;
        let cells = &mut self.page.grid[line][Column(cols.start)..Column(cols.end)];
        for cell in cells {
            if !selective || !is_protected(cell) {
                *cell = Cell::blank(bg);
            }
        }
    }

    /// Moves the rest of the row to the right; what leaves it is lost.
    pub(super) fn insert_chars(&mut self, count: usize) {
        self.no_longer_wrap();
        let point = self.cursor().point;
        let count = count.min(self.cols() - point.column.0);
        self.shift_right(count);
        let blank = Cell::blank(self.cursor().template.style.bg);
        self.page.grid[point.line][point.column..point.column + count].fill(blank);
    }

    /// Makes room at the cursor; what is there afterwards is to be overwritten.
    pub(super) fn shift_right(&mut self, count: usize) {
        let point = self.cursor().point;
        let cols = self.cols();
        let count = count.min(cols - point.column.0);
        self.part(point.line, point.column.0);
        self.part(point.line, cols - count);
        let row = &mut self.page.grid[point.line];
        row[point.column..Column(cols)].rotate_right(count);
    }

    /// Moves the rest of the row to the left.
    pub(super) fn delete_chars(&mut self, count: usize) {
        self.no_longer_wrap();
        let point = self.cursor().point;
        let cols = self.cols();
        let count = count.min(cols - point.column.0);
        self.part(point.line, point.column.0);
        self.part(point.line, point.column.0 + count);
        let blank = Cell::blank(self.cursor().template.style.bg);
        let row = &mut self.page.grid[point.line];
        row[point.column..Column(cols)].rotate_left(count);
        row[Column(cols - count)..Column(cols)].fill(blank);
    }

    /// Inserts blank rows at the cursor, if it is in the region.
    pub(super) fn insert_lines(&mut self, count: usize) {
        let (row, region) = (self.row(), self.region());
        if region.contains(&row) {
            self.scroll_down(row..region.end, count);
            self.carriage_return();
        }
    }

    /// Deletes rows at the cursor, if it is in the region.
    pub(super) fn delete_lines(&mut self, count: usize) {
        let (row, region) = (self.row(), self.region());
        if region.contains(&row) {
            // What is deleted is no text that leaves the screen at its top, even if the cursor is there.
            self.rotate_up(row..region.end, count);
            self.carriage_return();
        }
    }

    /// Moves the text of some rows up. What leaves the screen at its top is kept, if the terminal keeps such rows.
    pub(super) fn scroll_up(&mut self, rows: Range<usize>, count: usize) {
        let count = count.min(rows.len());
        self.page.grid.scroll_up(&lines(&rows), count);
    }

    fn rotate_up(&mut self, rows: Range<usize>, count: usize) {
        let count = count.min(rows.len());
        let grid = &mut self.page.grid;
        for row in rows.start..rows.end - count {
            let (to, from) = (Line(row as i32), Line((row + count) as i32));
            let below = std::mem::take(&mut grid[from]);
            grid[from] = std::mem::replace(&mut grid[to], below);
        }
        grid.reset_region(lines(&(rows.end - count..rows.end)));
    }

    pub(super) fn scroll_down(&mut self, rows: Range<usize>, count: usize) {
        let count = count.min(rows.len());
        self.page.grid.scroll_down(&lines(&rows), count);
    }

    /// Obeys DECALN: fills the screen, without margins, and moves the cursor to its start.
    pub(super) fn fill_with_e(&mut self) {
        let cell = Cell {
            character: 'E',
            style: Style::default(),
            ..Cell::default()
        };
        for line in (0..self.rows()).map(Line::from) {
            let cols = self.cols();
            self.page.grid[line][Column(0)..Column(cols)].fill(cell.clone());
        }
        self.modes.scroll_region = None;
        self.go_to(0, 0);
    }

    /// Obeys DECCOLM, except that the number of columns stays.
    pub(super) fn change_columns(&mut self) {
        self.modes.scroll_region = None;
        self.page.grid.reset_region(..);
        self.go_to(0, 0);
    }
}

fn is_protected(cell: &Cell) -> bool {
    cell.style.attributes.contains(Attributes::PROTECTED)
}

fn lines(rows: &Range<usize>) -> Range<Line> {
    Line(rows.start as i32)..Line(rows.end as i32)
}
