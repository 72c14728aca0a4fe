//! A copy of a screen as data, which is quick to make and can be evaluated later.

use super::modes::Modes;
use super::palette::Palette;
use super::terminal::{Attributes, Cell};
use alacritty_terminal::grid::{Dimensions, Grid};
use alacritty_terminal::index::Line;
use ccd_protocol::session::{CellRun, CellStyle, Cursor, CursorShape};
use std::ops::Range;

/// A copy of a screen that no longer changes.
#[derive(Clone)]
pub struct ScreenSnapshot {
    pub(super) grid: Grid<Cell>,
    pub(super) modes: Modes,
    pub(super) palette: Palette,
    /// At most 1 KiB, without control characters.
    pub title: String,
}

/// The contents of one cell, with the next cell if the character is wide.
#[derive(Clone, Copy)]
pub(super) struct Glyph<'a> {
    pub(super) col: u16,
    /// 1, or 2 for a wide character; never extends beyond the last column.
    pub(super) width: u16,
    pub(super) cell: &'a Cell,
}

impl Glyph<'_> {
    pub(super) fn cols(&self) -> Range<u16> {
        self.col..self.col + self.width
    }

    pub(super) fn has(&self, attribute: Attributes) -> bool {
        self.cell.style.attributes.contains(attribute)
    }

    /// Returns the character and its combining characters.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        self.cell.push_text(&mut text);
        text
    }
}

impl ScreenSnapshot {
    pub fn size(&self) -> (u16, u16) {
        (self.grid.screen_lines() as u16, self.grid.columns() as u16)
    }

    pub fn alternate(&self) -> bool {
        self.modes.alternate_screen
    }

    pub fn reverse(&self) -> bool {
        self.modes.reverse_video
    }

    pub fn mouse(&self) -> bool {
        self.modes.mouse != Default::default()
    }

    /// Returns the position of the next character, always inside the screen.
    pub fn cursor(&self) -> Cursor {
        cursor(&self.grid, &self.modes)
    }

    /// Returns the text of each of these rows, without trailing blanks.
    pub fn lines(&self, rows: &Range<u16>) -> Vec<String> {
        let rows = rows.start..rows.end.min(self.size().0);
        let line = |row| {
            let mut line = row_text(&self.grid, i32::from(row));
            line.truncate(line.trim_end_matches(' ').len());
            line
        };
        rows.map(line).collect()
    }

    /// Returns each of these rows as runs of cells with the same style; trailing blank cells of the default style are
    /// omitted.
    pub fn cells(&self, rows: &Range<u16>) -> Vec<Vec<CellRun>> {
        rows.clone().map(|row| self.runs(row)).collect()
    }

    /// Returns the ends of the rows and columns that are not empty among these rows; a visible cursor is not empty.
    pub(super) fn used(&self, rows: &Range<u16>) -> (u16, u16) {
        let cursor = self.cursor();
        let end = |row: u16| {
            let text = self.runs(row).last().map_or(0, |run| run.col + run.width);
            let has_cursor = cursor.visible && cursor.row == row;
            text.max(if has_cursor { cursor.col + 1 } else { 0 })
        };
        let ends = rows.clone().map(|row| (row, end(row)));
        ends.filter(|(_, end)| *end > 0)
            .fold((0, 0), |used, (row, end)| (row + 1, used.1.max(end)))
    }

    fn runs(&self, row: u16) -> Vec<CellRun> {
        let mut runs: Vec<CellRun> = Vec::new();
        let mut last: Option<&Cell> = None;
        for glyph in self.glyphs(row) {
            let cell = glyph.cell;
            match (runs.last_mut(), last) {
                (Some(run), Some(last)) if last.has_style_of(cell) => run.width += glyph.width,
                _ => runs.push(CellRun {
                    col: glyph.col,
                    width: glyph.width,
                    text: String::new(),
                    style: cell.protocol_style(),
                }),
            }
            if let Some(run) = runs.last_mut() {
                cell.push_text(&mut run.text);
            }
            last = Some(cell);
        }
        trim_end(&mut runs);
        runs
    }

    /// Returns the cells of a row, without the second halves of wide characters.
    pub(super) fn glyphs(&self, row: u16) -> impl Iterator<Item = Glyph<'_>> {
        let cols = self.size().1;
        let is_there = row < self.size().0;
        let cells = is_there.then(|| &self.grid[Line(row.into())][..]);
        let cells = (0..cols).zip(cells.into_iter().flatten());
        cells
            .filter(|(_, cell)| !cell.is_second_half())
            .map(move |(col, cell)| Glyph {
                col,
                width: if cell.is_wide() { 2.min(cols - col) } else { 1 },
                cell,
            })
    }
}

/// Returns the text of a row; rows above the screen have negative numbers.
pub(super) fn row_text(grid: &Grid<Cell>, row: i32) -> String {
    let cells = &grid[Line(row)][..];
    let mut text = String::with_capacity(cells.len());
    push_cells(&mut text, cells);
    text
}

/// Pushes the characters of some cells; what was left blank because a wide character did not fit is nothing.
pub(super) fn push_cells(text: &mut String, cells: &[Cell]) {
    let written = |cell: &&Cell| !cell.is_second_half() && !cell.is_gap();
    let cells = cells.iter().filter(written);
    cells.for_each(|cell| cell.push_text(text));
}

/// Returns the position of the next character, always inside the screen.
pub(super) fn cursor(grid: &Grid<Cell>, modes: &Modes) -> Cursor {
    let point = grid.cursor.point;
    let (shape, blink) = match modes.cursor_style {
        0 => (CursorShape::Block, modes.cursor_blink),
        style @ 1..=2 => (CursorShape::Block, style == 1),
        style @ 3..=4 => (CursorShape::Underline, style == 3),
        style => (CursorShape::Bar, style == 5),
    };
    Cursor {
        row: point.line.0 as u16,
        col: point.column.0 as u16,
        visible: modes.cursor_visible,
        shape,
        blink,
    }
}

fn trim_end(runs: &mut Vec<CellRun>) {
    let is_plain = |run: &&mut CellRun| run.style == CellStyle::default();
    let Some(last) = runs.last_mut().filter(is_plain) else {
        return;
    };
    let kept = last.text.trim_end_matches(' ').len();
    last.width -= (last.text.len() - kept) as u16;
    last.text.truncate(kept);
    if last.text.is_empty() {
        runs.pop();
    }
}
