//! A copy of a screen as data, which is quick to make and can be evaluated later.

use super::modes::Modes;
use super::palette::Palette;
use ccd_protocol::session::{CellRun, CellStyle, Color, Cursor, CursorShape};
use std::ops::Range;

/// A copy of a screen that no longer changes.
#[derive(Clone)]
pub struct Still {
    pub(super) screen: vt100::Screen,
    pub(super) modes: Modes,
    pub(super) palette: Palette,
    /// At most 1 KiB, without control characters.
    pub title: String,
}

/// The contents of one cell, with the next cell if the character is wide.
pub(super) struct Glyph<'a> {
    pub(super) col: u16,
    /// 1, or 2 for a wide character; never extends beyond the last column.
    pub(super) width: u16,
    /// A character and its combining characters; empty for a blank cell.
    pub(super) text: &'a str,
    pub(super) style: CellStyle,
}

impl Still {
    /// Returns the size as rows and columns.
    pub fn size(&self) -> (u16, u16) {
        let (rows, cols) = self.screen.size();
        (rows.get(), cols.get())
    }

    /// Returns whether the program uses the alternate screen.
    pub fn alternate(&self) -> bool {
        self.screen.alternate_screen()
    }

    /// Returns whether default colours are swapped.
    pub fn reverse(&self) -> bool {
        self.modes.reverse_video
    }

    /// Returns whether the program requests mouse events.
    pub fn mouse(&self) -> bool {
        self.modes.mouse != Default::default()
    }

    /// Returns the position of the next character, always inside the screen.
    pub fn cursor(&self) -> Cursor {
        cursor(&self.screen, &self.modes)
    }

    /// Returns the text of each of these rows, without trailing blanks.
    pub fn lines(&self, rows: &Range<u16>) -> Vec<String> {
        let cols = self.size().1;
        let texts = self.screen.rows(0, cols);
        texts
            .skip(usize::from(rows.start))
            .take(rows.len())
            .map(|line| line.trim_end_matches(' ').to_owned())
            .collect()
    }

    /// Returns each of these rows as runs of cells with the same style; trailing blank cells of the default style are
    /// omitted.
    pub fn cells(&self, rows: &Range<u16>) -> Vec<Vec<CellRun>> {
        rows.clone().map(|row| self.runs(row)).collect()
    }

    fn runs(&self, row: u16) -> Vec<CellRun> {
        let mut runs: Vec<CellRun> = Vec::new();
        for glyph in self.glyphs(row) {
            let text = if glyph.text.is_empty() {
                " "
            } else {
                glyph.text
            };
            match runs.last_mut() {
                Some(run) if run.style == glyph.style => {
                    run.width += glyph.width;
                    run.text.push_str(text);
                }
                _ => runs.push(CellRun {
                    col: glyph.col,
                    width: glyph.width,
                    text: text.to_owned(),
                    style: glyph.style,
                }),
            }
        }
        trim_end(&mut runs);
        runs
    }

    /// Returns the cells of a row, without the second halves of wide characters.
    pub(super) fn glyphs(&self, row: u16) -> impl Iterator<Item = Glyph<'_>> {
        let cols = self.size().1;
        let cells = (0..cols).filter_map(move |col| Some((col, self.screen.cell(row, col)?)));
        cells
            .filter(|(_, cell)| !cell.is_wide_continuation())
            .map(move |(col, cell)| Glyph {
                col,
                width: if cell.is_wide() { 2.min(cols - col) } else { 1 },
                text: cell.contents(),
                style: style(cell),
            })
    }
}

/// Returns the position of the next character, always inside the screen: in the model, a cursor that waits to wrap is
/// after the last column.
pub(super) fn cursor(screen: &vt100::Screen, modes: &Modes) -> Cursor {
    let (row, col) = screen.cursor_position();
    let (shape, blink) = match modes.cursor_style {
        0 => (CursorShape::Block, modes.cursor_blink),
        style @ 1..=2 => (CursorShape::Block, style == 1),
        style @ 3..=4 => (CursorShape::Underline, style == 3),
        style => (CursorShape::Bar, style == 5),
    };
    Cursor {
        row,
        col: col.min(screen.size().1.get() - 1),
        visible: modes.cursor_visible,
        shape,
        blink,
    }
}

fn trim_end(runs: &mut Vec<CellRun>) {
    let Some(last) = runs
        .last_mut()
        .filter(|run| run.style == CellStyle::default())
    else {
        return;
    };
    let kept = last.text.trim_end_matches(' ').len();
    last.width -= (last.text.len() - kept) as u16;
    last.text.truncate(kept);
    if last.text.is_empty() {
        runs.pop();
    }
}

pub(super) fn style(cell: &vt100::Cell) -> CellStyle {
    CellStyle {
        fg: color(cell.fgcolor()),
        bg: color(cell.bgcolor()),
        bold: cell.bold(),
        dim: cell.dim(),
        italic: cell.italic(),
        underline: cell.underline(),
        inverse: cell.inverse(),
    }
}

fn color(color: vt100::Color) -> Option<Color> {
    match color {
        vt100::Color::Default => None,
        vt100::Color::Idx(index) => Some(Color::Indexed(index)),
        vt100::Color::Rgb(red, green, blue) => Some(Color::Rgb(red, green, blue)),
    }
}
