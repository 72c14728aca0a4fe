//! Shows a screen on a terminal of another size: the part around the cursor or one that was chosen, updated as it changes.

use super::model::Screen;
use super::pen::Pen;
use super::terminal::Cell;
use std::fmt::Write as _;

/// Resets a terminal in any state, so that text appears where it is placed.
const CANVAS: &str = "\x1b[?1l\x1b[r\x1b[?6l\x1b[?7l\x1b[4l\x1b(B\x1b)B\x0f\x1b[?9;1000;1002;1003;1005;1006;1015;1016l\x1b[m\x1b[2J";

const OUTSIDE: &str = "·";

/// The part of a screen that a terminal of `rows` and `cols` shows.
#[derive(Debug)]
pub struct Viewport {
    rows: u16,
    cols: u16,
    /// First visible row and column of the screen.
    corner: (u16, u16),
    /// The corner was chosen and does not follow the cursor.
    is_fixed: bool,
    /// The rows that the terminal shows; empty before the first drawing.
    shown: Vec<String>,
    cursor: String,
}

impl Viewport {
    pub fn new((rows, cols): (u16, u16)) -> Self {
        Self {
            rows,
            cols,
            corner: (0, 0),
            is_fixed: false,
            shown: Vec::new(),
            cursor: String::new(),
        }
    }

    /// The same, with this first row and column, as far as the screen has them.
    pub fn fixed_at(self, corner: (u16, u16)) -> Self {
        Self {
            corner,
            is_fixed: true,
            ..self
        }
    }

    pub fn corner(&self) -> (u16, u16) {
        self.corner
    }

    /// Returns output that updates the terminal to show `screen`; empty if nothing has changed.
    pub fn draw(&mut self, screen: &Screen) -> Vec<u8> {
        let (rows, cols) = screen.size();
        let cursor = screen.cursor();
        let (top, left) = self.corner;
        self.corner = if self.is_fixed {
            (
                top.min(rows.saturating_sub(self.rows)),
                left.min(cols.saturating_sub(self.cols)),
            )
        } else {
            (
                first_shown(top, cursor.row, self.rows, rows),
                first_shown(left, cursor.col, self.cols, cols),
            )
        };
        let mut out = String::new();
        let is_first = self.shown.is_empty();
        if is_first {
            out.push_str(CANVAS);
            self.shown = vec![String::new(); usize::from(self.rows)];
        }
        for row in 0..self.rows {
            let line = self.line(screen, row);
            let shown = &mut self.shown[usize::from(row)];
            if *shown != line || is_first {
                let _ = write!(out, "\x1b[{};1H\x1b[m\x1b[2K{line}", row + 1);
                *shown = line;
            }
        }
        let (top, left) = self.corner;
        let cursor_row = cursor.row.checked_sub(top).filter(|row| *row < self.rows);
        let cursor_col = cursor.col.checked_sub(left).filter(|col| *col < self.cols);
        let place = match (cursor.visible, cursor_row, cursor_col) {
            (true, Some(row), Some(col)) => {
                format!("\x1b[m\x1b[{};{}H\x1b[?25h", row + 1, col + 1)
            }
            _ => "\x1b[m\x1b[?25l".to_owned(),
        };
        if !out.is_empty() || place != self.cursor {
            out.push_str(&place);
            self.cursor = place;
        }
        out.into_bytes()
    }

    fn line(&self, screen: &Screen, row: u16) -> String {
        let (rows, cols) = screen.size();
        let (top, left) = self.corner;
        let mut line = String::new();
        let mut shown_cols = 0;
        if top + row < rows {
            shown_cols = self.cols.min(cols - left);
            cells(screen, top + row, left..left + shown_cols, &mut line);
        }
        if shown_cols < self.cols {
            line.push_str("\x1b[0;2m");
            (shown_cols..self.cols).for_each(|_| line.push_str(OUTSIDE));
        }
        line
    }
}

/// Returns the first row or column to show, moved no further than needed to keep the cursor visible.
fn first_shown(first: u16, cursor: u16, shown: u16, all: u16) -> u16 {
    let least = (cursor + 1).saturating_sub(shown);
    first
        .clamp(least, cursor.max(least))
        .min(all.saturating_sub(shown))
}

fn cells(screen: &Screen, row: u16, cols: std::ops::Range<u16>, line: &mut String) {
    let cells = &screen.row(row)[usize::from(cols.start)..usize::from(cols.end)];
    let mut pen = Pen::default();
    let mut col = 0;
    while let Some(cell) = cells.get(col) {
        pen.push(line, cell);
        let width = if cell.is_wide() { 2 } else { 1 };
        // Half of a wide character cannot be shown.
        if cell.is_second_half() || col + width > cells.len() {
            line.push(' ');
            col += 1;
        } else {
            cell.push_text(line);
            col += width;
        }
    }
    pen.push(line, &Cell::default());
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccd_protocol::session::Color;

    /// Draws `output` on a screen, and shows that on a terminal of `size`.
    fn shown(output: &str, session: (u16, u16), size: (u16, u16)) -> Screen {
        let mut screen = Screen::new(session.0, session.1);
        screen.feed(output.as_bytes());
        let mut viewport = Viewport::new(size);
        let mut terminal = Screen::new(size.0, size.1);
        // A terminal in an unusual state.
        terminal.feed(b"\x1b[2;3r\x1b[?6h\x1b[4h\x1b[31mold\x1b(0");
        terminal.feed(&viewport.draw(&screen));
        assert!(viewport.draw(&screen).is_empty(), "drawn twice");
        terminal
    }

    #[test]
    fn a_larger_terminal_shows_all_and_dots_around_it() {
        let terminal = shown("ab\r\nc", (2, 3), (3, 5));
        assert_eq!(terminal.seen().lines, ["ab ··", "c  ··", "·····"]);
        let cursor = terminal.cursor();
        assert_eq!((cursor.row, cursor.col, cursor.visible), (1, 1, true));
    }

    #[test]
    fn a_smaller_terminal_shows_what_is_around_the_cursor() {
        let output = "1\r\n2\r\n3\r\n4\r\nabcdef";
        let terminal = shown(output, (5, 10), (2, 4));
        assert_eq!(terminal.seen().lines, ["", "def"]);
        assert_eq!(terminal.cursor().col, 3);
    }

    #[test]
    fn styles_and_wide_characters_are_kept_and_cut_ones_left_out() {
        let output = "\x1b[1;4;38;5;200;48;2;1;2;3mx\x1b[m漢字\x1b[1;1H";
        let terminal = shown(output, (1, 6), (1, 4));
        let runs = &terminal.cells()[0];
        assert_eq!((runs[0].text.as_str(), runs[0].style.bold), ("x", true));
        assert_eq!(runs[0].style.fg, Some(Color::Indexed(200)));
        assert_eq!(runs[0].style.bg, Some(Color::Rgb(1, 2, 3)));
        assert_eq!(terminal.seen().lines, ["x漢"]);
    }

    #[test]
    fn only_what_changes_is_drawn_again() {
        let mut screen = Screen::new(3, 20);
        screen.feed(b"first\r\nsecond\r\n");
        let mut viewport = Viewport::new((2, 20));
        viewport.draw(&screen);
        screen.feed(b"third");
        let drawn = String::from_utf8(viewport.draw(&screen)).unwrap();
        assert!(
            drawn.contains("third") && !drawn.contains("first"),
            "{drawn:?}"
        );
    }

    #[test]
    fn a_chosen_part_stays_and_has_no_cursor_outside() {
        for (corner, lines, is_visible) in [
            ((0, 0), ["1", "2"], false),
            ((1, 0), ["2", "3"], false),
            ((9, 9), ["", ""], true),
            ((9, 2), ["", "cdef"], false),
        ] {
            let mut screen = Screen::new(5, 10);
            screen.feed(b"1\r\n2\r\n3\r\n4\r\nabcdef");
            let mut viewport = Viewport::new((2, 4)).fixed_at(corner);
            let mut terminal = Screen::new(2, 4);
            terminal.feed(&viewport.draw(&screen));
            assert_eq!(terminal.seen().lines, lines, "{corner:?}");
            assert_eq!(terminal.cursor().visible, is_visible, "{corner:?}");
        }
    }

    #[test]
    fn the_corner_follows_the_cursor_and_stays_inside() {
        assert_eq!(first_shown(0, 0, 24, 24), 0);
        assert_eq!(first_shown(0, 30, 24, 50), 7);
        assert_eq!(first_shown(7, 10, 24, 50), 7);
        assert_eq!(first_shown(7, 3, 24, 50), 3);
        assert_eq!(first_shown(40, 49, 24, 50), 26);
        assert_eq!(first_shown(5, 3, 100, 50), 0);
    }
}
