//! The screens of a terminal, and its size.

use super::cell::Cell;
use crate::charsets::Charsets;
use crate::modes::Modes;
use alacritty_terminal::grid::{Cursor, Dimensions, Grid};
use alacritty_terminal::index::{Column, Line};

const TAB_COLS: usize = 8;

#[derive(Clone)]
pub(crate) struct Page {
    /// Its cursor's template is the pen: the style of what is written next.
    pub(crate) grid: Grid<Cell>,
    /// The character sets that DECSC has saved; the grid has its saved cursor.
    pub(crate) saved_charsets: Charsets,
    /// The number of rows that are kept when they have left the screen at its top.
    rows_above: usize,
}

impl Page {
    fn new(rows: usize, cols: usize, rows_above: usize) -> Self {
        Self {
            grid: Grid::new(rows, cols, rows_above),
            saved_charsets: Charsets::default(),
            rows_above,
        }
    }

    fn resize(&mut self, rows: usize, cols: usize, reflows: bool) {
        let is_saved = self.grid.saved_cursor == self.grid.cursor;
        // In a single column, the library's reflow of a wide character never ends.
        if reflows && cols > 1 {
            self.reflow(rows, cols);
        } else {
            self.grid.resize(false, rows, cols);
        }
        for line in (0..rows).map(Line::from) {
            if self.grid[line][Column(cols - 1)].is_wide() {
                self.grid[line][Column(cols - 1)].blank_half();
            }
        }
        if is_saved {
            // The library moves only the cursor along with its text.
            self.grid.saved_cursor = self.grid.cursor.clone();
        }
    }

    /// Wraps its lines anew. What would leave the screen at its top takes the rows that are free at its bottom.
    fn reflow(&mut self, rows: usize, cols: usize) {
        let grid = &mut self.grid;
        grid.update_history(self.rows_above + rows + grid.screen_lines());
        let above = grid.history_size();
        grid.resize(true, rows, cols);
        let last = (0..rows as i32).rfind(|row| !grid[Line(*row)].is_clear());
        let used = last.unwrap_or(0).max(grid.cursor.point.line.0) as usize + 1;
        let pulled = (rows - used).min(grid.history_size().saturating_sub(above));
        grid.resize(false, rows + pulled, cols);
        grid.resize(false, rows, cols);
        grid.update_history(self.rows_above);
    }
}

pub(crate) struct Terminal {
    pub(crate) page: Page,
    /// The main screen while the alternate one is shown.
    pub(crate) main: Option<Page>,
    /// What DECSC has saved on the alternate screen, while the main one is shown.
    pub(crate) alternate_saved: (Cursor<Cell>, Charsets),
    /// The alternate screen that was left last, in the size of the main one: to clear it costs less than to make another.
    spare: Option<Page>,
    /// The rows of a main screen that is cleared, or drawn again from a row further up, are kept as if they had left it
    /// at its top.
    pub(crate) keeps_all_text: bool,
    pub(crate) charsets: Charsets,
    pub(crate) modes: Modes,
    pub(super) tabs: Vec<bool>,
    /// The first bytes of a character whose others have not arrived.
    pub(super) open: Vec<u8>,
    /// The character that REP repeats, if nothing else came after it.
    pub(super) last: Option<char>,
}

impl Terminal {
    /// Returns a blank terminal that keeps so many of the rows that leave its main screen at the top.
    pub(crate) fn new(rows: u16, cols: u16, rows_above: usize) -> Self {
        let (rows, cols) = (usize::from(rows.max(1)), usize::from(cols.max(1)));
        Self {
            page: Page::new(rows, cols, rows_above),
            main: None,
            alternate_saved: Default::default(),
            spare: None,
            keeps_all_text: false,
            charsets: Charsets::default(),
            modes: Modes::default(),
            tabs: default_tabs(cols),
            open: Vec::new(),
            last: None,
        }
    }

    /// Returns a blank terminal of the same size and in the same modes.
    pub(crate) fn blank(&self) -> Self {
        let (rows, cols) = self.size();
        let mut blank = Self::new(rows, cols, self.rows_above());
        blank.modes = self.modes;
        blank.keeps_all_text = self.keeps_all_text;
        if self.modes.alternate_screen {
            blank.enter_alternate();
        }
        blank
    }

    fn rows_above(&self) -> usize {
        self.main.as_ref().unwrap_or(&self.page).rows_above
    }

    pub(crate) fn size(&self) -> (u16, u16) {
        (self.rows() as u16, self.cols() as u16)
    }

    /// Returns the number of bytes at the end of the text that may be the start of a character.
    pub(crate) fn open_bytes(&self) -> u64 {
        self.open.len() as u64
    }

    pub(super) fn rows(&self) -> usize {
        self.page.grid.screen_lines()
    }

    pub(super) fn cols(&self) -> usize {
        self.page.grid.columns()
    }

    pub(super) fn cursor(&mut self) -> &mut Cursor<Cell> {
        &mut self.page.grid.cursor
    }

    /// Returns row and column of the cursor; the column after the last one while it waits to wrap.
    pub(crate) fn place(&self) -> (u16, u16) {
        let cursor = &self.page.grid.cursor;
        let col = cursor.point.column.0 + usize::from(cursor.input_needs_wrap);
        (cursor.point.line.0 as u16, col as u16)
    }

    /// Changes the size. The main screen's wrapped lines are wrapped anew; the program draws the alternate one.
    pub(crate) fn resize(&mut self, rows: u16, cols: u16) {
        let (rows, cols) = (usize::from(rows.max(1)), usize::from(cols.max(1)));
        if (rows, cols) == (self.rows(), self.cols()) {
            return;
        }
        self.spare = None;
        self.page.resize(rows, cols, self.main.is_none());
        if let Some(main) = &mut self.main {
            main.resize(rows, cols, true);
        }
        let stops = default_tabs(cols).into_iter().skip(self.tabs.len());
        self.tabs.extend(stops.collect::<Vec<_>>());
        self.tabs.truncate(cols);
        self.modes.scroll_region = None;
    }

    /// Shows a blank alternate screen, in the pen's background.
    pub(super) fn enter_alternate(&mut self) {
        if self.main.is_some() {
            return;
        }
        let spare = self.spare.take();
        let mut page = spare.unwrap_or_else(|| Page::new(self.rows(), self.cols(), 0));
        page.grid.cursor = self.page.grid.cursor.clone();
        page.grid.reset_region(..);
        let (mut saved, charsets) = std::mem::take(&mut self.alternate_saved);
        saved.point.line = saved.point.line.min(page.grid.bottommost_line());
        saved.point.column = saved.point.column.min(page.grid.last_column());
        (page.grid.saved_cursor, page.saved_charsets) = (saved, charsets);
        self.main = Some(std::mem::replace(&mut self.page, page));
    }

    /// Shows the main screen again. Its cursor is where it was, or where that of the alternate one is.
    pub(super) fn leave_alternate(&mut self, keeps_cursor: bool) {
        let Some(mut main) = self.main.take() else {
            return;
        };
        if keeps_cursor {
            main.grid.cursor = self.page.grid.cursor.clone();
        } else {
            self.charsets = main.saved_charsets;
        }
        let left = std::mem::replace(&mut self.page, main);
        self.alternate_saved = (left.grid.saved_cursor.clone(), left.saved_charsets);
        self.spare = Some(left);
    }

    pub(super) fn reset(&mut self) {
        self.leave_alternate(false);
        self.keep_rows();
        let grid = &mut self.page.grid;
        (grid.cursor, grid.saved_cursor) = (Cursor::default(), Cursor::default());
        grid.reset_region(..);
        self.page.saved_charsets = Charsets::default();
        self.alternate_saved = Default::default();
        self.charsets = Charsets::default();
        self.tabs = default_tabs(self.cols());
        self.last = None;
    }

    /// Returns the columns of the tab stops if they are not every eighth.
    pub(crate) fn changed_tabs(&self) -> Option<Vec<usize>> {
        let is_changed = self.tabs != default_tabs(self.cols());
        is_changed.then(|| (0..self.cols()).filter(|col| self.tabs[*col]).collect())
    }
}

/// Returns whether row `row` of `grid` goes on in the next one; rows above the screen have negative numbers.
pub(crate) fn is_wrapped(grid: &Grid<Cell>, row: i32) -> bool {
    use alacritty_terminal::term::cell::Flags;
    let last = grid[Line(row)].last();
    last.is_some_and(|cell| cell.flags.contains(Flags::WRAPLINE))
}

fn default_tabs(cols: usize) -> Vec<bool> {
    (0..cols).map(|col| col % TAB_COLS == 0).collect()
}
