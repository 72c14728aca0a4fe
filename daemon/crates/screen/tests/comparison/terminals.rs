//! The same output drawn by ccd and by avt.

use super::grid::{self, Cell, Grid};
use ccd_protocol::session::{CellRun, Color};
use ccd_screen::Screen;
use unicode_width::UnicodeWidthChar;

/// Returns what ccd shows.
pub(super) fn ours(rows: u16, cols: u16, output: &str) -> Grid {
    let mut screen = Screen::new(rows, cols);
    screen.feed(output.as_bytes());
    let cursor = screen.cursor();
    let runs = screen.snapshot().cells(&(0..rows));
    Grid {
        cursor: (cursor.row.into(), cursor.col.into()),
        rows: runs.iter().map(|row| cells(row, cols)).collect(),
    }
}

fn cells(runs: &[CellRun], cols: u16) -> Vec<Option<Cell>> {
    let mut cells = vec![Some(Cell::blank()); cols.into()];
    for run in runs {
        let style = Cell::new("", &run.style);
        let run_cells = &mut cells[run.col.into()..(run.col + run.width).into()];
        let mut texts = halves(&run.text).into_iter();
        for cell in &mut *run_cells {
            *cell = texts.next().map(|text| Cell {
                text,
                ..style.clone()
            });
        }
        // If the widths do not add up, it is unknown which character is where.
        if texts.next().is_some() || run_cells.contains(&None) {
            run_cells.fill(None);
        }
    }
    cells
}

/// Returns the text of each column: a character with its combining characters, nothing in the second column of a wide
/// one.
pub(super) fn halves(text: &str) -> Vec<String> {
    let mut columns: Vec<String> = Vec::new();
    for character in text.chars() {
        match (character.width().unwrap_or(0), columns.len()) {
            (0, len) if len > 0 => {
                if let Some(last) = columns.iter_mut().rfind(|text| !text.is_empty()) {
                    last.push(character);
                }
            }
            (2, _) => columns.extend([character.into(), String::new()]),
            _ => columns.push(character.into()),
        }
    }
    columns
}

/// Returns what avt shows. It gives combining characters columns of their own and does not know the styles of
/// underlines: it gets neither.
pub(super) fn avt(rows: u16, cols: u16, output: &str) -> Grid {
    let mut terminal = avt::Terminal::new(cols.into(), rows.into()).unwrap();
    let has_column = |character: &char| character.width() != Some(0);
    let mut output: String = output.chars().filter(has_column).collect();
    for style in 0..=5 {
        let plain = if style == 0 { "\x1b[24m" } else { "\x1b[4m" };
        output = output.replace(&format!("\x1b[4:{style}m"), plain);
    }
    terminal.feed(&*output);
    let cursor = terminal.cursor();
    let lines = terminal.screen().visible_lines();
    let row = |line: &avt::Line| {
        line.cells()
            .iter()
            .map(|cell| Some(avt_cell(cell)))
            .collect()
    };
    Grid {
        cursor: (cursor.row, cursor.col.min(usize::from(cols) - 1)),
        rows: lines.map(row).collect(),
    }
}

fn avt_cell(cell: &avt::Cell) -> Cell {
    let pen = cell.pen();
    let flags = [
        (grid::BOLD, pen.is_bold()),
        (grid::DIM, pen.is_faint()),
        (grid::ITALIC, pen.is_italic()),
        (grid::UNDERLINE, pen.is_underline()),
        (grid::BLINK, pen.is_blink()),
        (grid::INVERSE, pen.is_inverse()),
        (grid::STRIKETHROUGH, pen.is_strikethrough()),
    ];
    let color = |color: Option<avt::Color>| {
        color.map(|color| match color {
            avt::Color::Indexed(index) => Color::Indexed(index),
            avt::Color::RGB(color) => Color::Rgb(color.r, color.g, color.b),
        })
    };
    Cell {
        text: match cell.width() {
            0 => String::new(),
            _ => cell.char().into(),
        },
        fg: color(pen.foreground()),
        bg: color(pen.background()),
        flags: flags
            .iter()
            .filter(|(_, on)| *on)
            .map(|(flag, _)| flag)
            .sum(),
        ..Cell::default()
    }
}
