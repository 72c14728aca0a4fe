//! Output that sets another terminal to the state of a session's.

use super::charsets::Charsets;
use super::keyboard::Keyboard;
use super::modes::{Modes, SavedModes};
use super::pen::Pen;
use super::terminal::{Cell, Page, Terminal, is_wrapped};
use alacritty_terminal::grid::{Cursor, Dimensions, Grid};
use alacritty_terminal::index::{Column, Line};
use std::fmt::Write as _;

/// Blank cells in a row that are skipped rather than written.
const MIN_SKIPPED: usize = 5;

/// Resets what would spoil the drawing: margins, origin and insert mode, line drawing, links, protection.
const CANVAS: &str = "\x1b[r\x1b[?6l\x1b[?7h\x1b[4l\x1b(B\x1b)B\x0f\x1b]8;;\x1b\\\x1b[0\"q\x1b[m";

/// Returns the output: the main screen under the alternate one, the screen, modes, title.
pub(super) fn output(terminal: &Terminal, title: &str) -> Vec<u8> {
    let mut out = String::from(CANVAS);
    let modes = &terminal.modes;
    if let Some(main) = &terminal.main {
        push_page(&mut out, main, modes.saved[0]);
        // With 1049, the other terminal saves the cursor, as this one has done.
        push_page_cursor(&mut out, main, main.saved_charsets, modes.saved[0], 0);
        let is_saved = main.grid.cursor == main.grid.saved_cursor;
        out.push_str(if is_saved {
            "\x1b[?1049h"
        } else {
            "\x1b[?1047h"
        });
        out.push_str(CANVAS);
    } else {
        push_alternate_saved(&mut out, terminal);
    }
    let shown = usize::from(terminal.main.is_some());
    push_page(&mut out, &terminal.page, modes.saved[shown]);
    push_tabs(&mut out, terminal);
    push_modes(&mut out, modes);
    let region = terminal.region();
    if region.len() < terminal.page.grid.screen_lines() {
        let _ = write!(out, "\x1b[{};{}r", region.start + 1, region.end);
    }
    let set = SavedModes {
        origin: modes.origin,
        autowrap: modes.autowrap,
    };
    push_page_cursor(
        &mut out,
        &terminal.page,
        terminal.charsets,
        set,
        region.start,
    );
    if !title.is_empty() {
        let _ = write!(out, "\x1b]2;{title}\x07");
    }
    out.into_bytes()
}

/// Returns `output` for a terminal that may show anything, perhaps on its alternate screen: with synchronized output
/// where supported, and with the program's `keyboard`.
pub(super) fn again(output: &[u8], keyboard: &Keyboard) -> Vec<u8> {
    let mut out = Vec::from(b"\x1b[?2026h\x1b[?1049l\x1b[?47l");
    out.extend_from_slice(output);
    if keyboard.reads_csi_u() {
        out.extend_from_slice(format!("\x1b[={};1u", keyboard.flags()).as_bytes());
    }
    if keyboard.reads_modified_other_keys() {
        out.extend_from_slice(b"\x1b[>4;2m");
    }
    out.extend_from_slice(b"\x1b[?2026l");
    out
}

/// Pushes the cursor that is saved on the alternate screen while the main one is shown.
fn push_alternate_saved(out: &mut String, terminal: &Terminal) {
    let (cursor, charsets) = &terminal.alternate_saved;
    let modes = terminal.modes.saved[1];
    let fresh = (
        &Cursor::default(),
        Charsets::default(),
        SavedModes::default(),
    );
    if (cursor, *charsets, modes) != fresh {
        out.push_str("\x1b[?1047h");
        push_cursor(out, cursor, &Cell::default(), *charsets, modes, 0);
        out.push_str("\x1b7\x1b[?1047l");
        out.push_str(CANVAS);
    }
}

/// Pushes the cells of a page, after the cursor that it has saved.
fn push_page(out: &mut String, page: &Page, saved: SavedModes) {
    let cursor = &page.grid.saved_cursor;
    out.push_str("\x1b[2J");
    push_cursor(out, cursor, &Cell::default(), page.saved_charsets, saved, 0);
    out.push_str("\x1b7");
    out.push_str(CANVAS);
    if cursor.input_needs_wrap {
        // The cell that made it wait.
        out.push_str("\x1b[2J");
    }
    let mut pen = Pen::default();
    let mut is_continued = false;
    for row in 0..page.grid.screen_lines() as i32 {
        is_continued = push_row(out, &page.grid, row, &mut pen, is_continued);
    }
    pen.push(out, &Cell::default());
}

/// Pushes a row; `is_continued` is whether the row before wraps into it. Returns whether it wraps itself.
fn push_row(
    out: &mut String,
    grid: &Grid<Cell>,
    row: i32,
    pen: &mut Pen,
    is_continued: bool,
) -> bool {
    let cells = &grid[Line(row)][..];
    let last_row = grid.screen_lines() as i32 - 1;
    let wraps = row < last_row && is_wrapped(grid, row);
    let used = cells.iter().rposition(|cell| !cell.is_untouched());
    let used = used.map_or(0, |last| last + 1);
    // The blank after a prompt is part of it, for a program that reads this output.
    let is_here = grid.cursor.point.line == Line(row);
    let end = match grid.cursor.point.column.0 {
        // Where the next row continues this one, the last column is written: that makes the terminal wrap.
        _ if wraps => cells.len(),
        before_cursor if is_here => used.max(before_cursor),
        _ => used,
    };
    let mut col = 0;
    let mut place = is_continued.then_some(0);
    while col < end {
        let cell = &cells[col];
        let is_last = wraps && col + 1 == cells.len();
        let must_write = is_last || is_continued && col == 0;
        if !must_write && is_skipped(&cells[col..end], place == Some(col)) {
            place = None;
            col += 1;
            continue;
        }
        if place != Some(col) {
            let _ = write!(out, "\x1b[{};{}H", row + 1, col + 1);
        }
        // A wide character that does not fit here wraps by itself.
        if is_last && cell.is_gap() && grid[Line(row + 1)][Column(0)].is_wide() {
            break;
        }
        pen.push(out, cell);
        cell.push_text(out);
        col += if cell.is_wide() { 2 } else { 1 };
        // Terminals disagree on the width of emoji that are joined or have a variant.
        let is_sure = !cell.combining().contains(['\u{200d}', '\u{fe0f}']);
        place = is_sure.then_some(col);
    }
    wraps
}

/// Returns whether the first of some cells need not be written, because the screen was cleared before.
fn is_skipped(cells: &[Cell], is_there: bool) -> bool {
    let blanks = cells.iter().take_while(|cell| cell.is_untouched());
    if is_there {
        blanks.take(MIN_SKIPPED).count() == MIN_SKIPPED
    } else {
        cells[0].is_untouched()
    }
}

fn push_tabs(out: &mut String, terminal: &Terminal) {
    if let Some(stops) = terminal.changed_tabs() {
        out.push_str("\x1b[3g");
        for col in stops {
            let _ = write!(out, "\x1b[{}G\x1bH", col + 1);
        }
    }
}

fn push_modes(out: &mut String, modes: &Modes) {
    let last = |set: bool| if set { 'h' } else { 'l' };
    for (number, set) in [
        (1, modes.application_cursor),
        (5, modes.reverse_video),
        (12, modes.cursor_blink),
        (25, modes.cursor_visible),
        (1004, modes.focus_events),
        (2004, modes.bracketed_paste),
    ] {
        let _ = write!(out, "\x1b[?{number}{}", last(set));
    }
    if modes.column_mode_allowed {
        out.push_str("\x1b[?40h");
    }
    let keypad = if modes.application_keypad { '=' } else { '>' };
    let _ = write!(out, "\x1b{keypad}\x1b[4{}", last(modes.insert));
    let _ = write!(out, "\x1b[20{}", last(modes.newline));
    out.push_str("\x1b[?9;1000;1002;1003;1005;1006;1015;1016l");
    for number in [modes.mouse as u16, modes.mouse_encoding as u16] {
        if number > 0 {
            let _ = write!(out, "\x1b[?{number}h");
        }
    }
    let _ = write!(out, "\x1b[{} q", modes.cursor_style);
}

/// Pushes the cursor of a page, where it waits to wrap by writing its last cell again.
fn push_page_cursor(
    out: &mut String,
    page: &Page,
    charsets: Charsets,
    modes: SavedModes,
    top: usize,
) {
    let mut cursor = page.grid.cursor.clone();
    let row = &page.grid[cursor.point.line];
    if cursor.input_needs_wrap && row[cursor.point.column].is_second_half() {
        cursor.point.column -= 1;
    }
    push_cursor(
        out,
        &cursor,
        &row[cursor.point.column],
        charsets,
        modes,
        top,
    );
}

/// Pushes the modes that are saved with a cursor, then its place, pen and character sets. In origin mode, its row counts
/// from `top`. If it waits to wrap, `last` is written.
fn push_cursor(
    out: &mut String,
    cursor: &Cursor<Cell>,
    last: &Cell,
    charsets: Charsets,
    modes: SavedModes,
    top: usize,
) {
    let mut row = cursor.point.line.0 as usize;
    if modes.origin {
        out.push_str("\x1b[?6h");
        row = row.saturating_sub(top);
    }
    let _ = write!(out, "\x1b[{};{}H", row + 1, cursor.point.column.0 + 1);
    let mut pen = Pen::default();
    if cursor.input_needs_wrap {
        pen.push(out, last);
        last.push_text(out);
    }
    if !modes.autowrap {
        out.push_str("\x1b[?7l");
    }
    pen.push(out, &cursor.template);
    out.push_str(&charsets.restored());
}
