//! Tables. A table is described by its columns: what each is called, what it shows of a record, and what becomes of it
//! where there is no room.

use super::line::{Line, cut, width};
use super::printer::{Printer, short_id};
use super::style::Colour;
use super::{age, printable};
use std::fmt::Display;
use std::io;
use std::time::SystemTime;

const GAP: usize = 2;

pub(crate) struct Column<T> {
    heading: Heading,
    cell: fn(&T) -> Cell,
}

#[derive(Debug, Clone, Copy)]
struct Heading {
    text: &'static str,
    min: usize,
    rank: u8,
}

impl Heading {
    fn is_below(self) -> bool {
        self.text.is_empty()
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Cell {
    text: String,
    /// What a terminal shows in place of the text.
    short: Option<String>,
    colour: Option<Colour>,
}

impl<T> Column<T> {
    /// For [`columns`].
    pub(crate) const fn new(
        text: &'static str,
        fit: Option<(usize, u8)>,
        cell: fn(&T) -> Cell,
    ) -> Self {
        let (min, rank) = match fit {
            Some(fit) => fit,
            None => (usize::MAX, 0),
        };
        let heading = Heading { text, min, rank };
        Self { heading, cell }
    }
}

/// The columns of a table of records: the heading of each, and what it shows of a record. One with `(min, rank)` is truncated
/// on a terminal to no less than `min`, the last columns first, or left out, that of the highest rank first; rank 0 is always
/// kept. One without a heading has a line of its own below the row, if it has something to say there.
macro_rules! columns {
    (|$row:tt $(: $type:ty)?| $($columns:tt)*) => {
        $crate::render::columns!(@all [$row $(: &$type)?] $($columns)*)
    };
    (@all $row:tt $($heading:tt $(($min:expr, $rank:expr))? => $cell:expr,)*) => {
        [$($crate::render::Column::new(
            $heading,
            $crate::render::columns!(@fit $($min, $rank)?),
            $crate::render::columns!(@cell $row $cell),
        )),*]
    };
    (@fit) => { None };
    (@fit $min:expr, $rank:expr) => { Some(($min, $rank)) };
    (@cell [$row:tt $(: $type:ty)?] $cell:expr) => {
        |#[allow(unused_variables)] $row $(: $type)?| $crate::render::Cell::from($cell)
    };
}
pub(crate) use columns;

impl<T: Display> From<T> for Cell {
    fn from(value: T) -> Self {
        Self {
            text: printable(&value.to_string()),
            ..Self::default()
        }
    }
}

impl Cell {
    pub(crate) fn coloured(value: impl Display, colour: impl Into<Option<Colour>>) -> Self {
        Self {
            colour: colour.into(),
            ..value.into()
        }
    }

    /// A value that may be missing.
    pub(crate) fn maybe<T: Display>(value: &Option<T>) -> Self {
        value.as_ref().map(Self::from).unwrap_or_default()
    }

    /// A text, and what a terminal shows in its place.
    pub(crate) fn short(text: &str, short: &str) -> Self {
        Self {
            short: Some(printable(short)),
            ..text.into()
        }
    }

    pub(crate) fn id(id: &str) -> Self {
        Self::short(id, short_id(id))
    }

    pub(crate) fn age(time: &str) -> Self {
        age(time, SystemTime::now()).into()
    }

    pub(crate) fn dim(self) -> Self {
        Self {
            colour: Some(Colour::Dim),
            ..self
        }
    }

    /// A number of problems.
    pub(crate) fn problems(count: u64) -> Self {
        Self::coloured(count, (count > 0).then_some(Colour::Bad))
    }
}

impl Printer<'_> {
    /// Writes a row for each record: on a terminal with a header and fitted to its width; elsewhere complete. An empty cell
    /// is a dash, so that columns can be counted, but for a terminal that may have no room for all columns; in a pipe, each
    /// column of such a table is one word, except the last.
    pub(crate) fn table<T>(&mut self, rows: &[T], columns: &[Column<T>]) -> io::Result<()> {
        let is_headed = self.style.is_terminal;
        self.grid(Grid::new(rows, columns), is_headed)
    }

    /// As [`Self::table`], with a header in a pipe too: a reader needs it to know numbers apart.
    pub(crate) fn headed_table<T>(&mut self, rows: &[T], columns: &[Column<T>]) -> io::Result<()> {
        self.grid(Grid::new(rows, columns), true)
    }

    fn grid(&mut self, mut grid: Grid, is_headed: bool) -> io::Result<()> {
        if grid.rows.is_empty() {
            return Ok(());
        }
        grid.is_headed = is_headed;
        grid.finish(self.style.is_terminal);
        let lines = grid.lines(self.columns.filter(|_| self.style.is_terminal));
        self.lines(lines, "")
    }
}

/// The cells of a table.
#[derive(Debug)]
pub(crate) struct Grid {
    headings: Vec<Heading>,
    is_headed: bool,
    rows: Vec<Vec<Cell>>,
}

impl Grid {
    pub(crate) fn new<T>(rows: &[T], columns: &[Column<T>]) -> Self {
        let cells = |row: &T| columns.iter().map(|column| (column.cell)(row)).collect();
        Self {
            headings: columns.iter().map(|column| column.heading).collect(),
            is_headed: true,
            rows: rows.iter().map(cells).collect(),
        }
    }

    /// Makes the cells what they are on a terminal, or in a pipe.
    fn finish(&mut self, is_terminal: bool) {
        let last = self.headings.len().saturating_sub(1);
        let is_list = self.headings.iter().any(|heading| heading.rank > 0);
        for row in &mut self.rows {
            for (index, cell) in row.iter_mut().enumerate() {
                let is_below = self.headings[index].is_below();
                match cell.short.take() {
                    Some(short) if is_terminal => cell.text = short,
                    _ if is_below || (is_terminal && is_list) => {}
                    _ if cell.text.is_empty() => cell.text.push('-'),
                    _ if is_list && index < last => cell.text = cell.text.replace(' ', "_"),
                    _ => {}
                }
            }
        }
    }

    /// True if no column has to be left out in `total` columns.
    pub(crate) fn has_room(&self, total: usize) -> bool {
        self.fit(Some(total)).iter().all(Option::is_some)
    }

    /// The header, if it is shown, and the rows, in `total` columns if they can be fitted.
    pub(crate) fn lines(&self, total: Option<usize>) -> Vec<Line> {
        let is_fitted = self.headings.iter().any(|one| one.min < usize::MAX);
        let total = total.filter(|_| is_fitted);
        let widths = self.fit(total);
        let heading = |one: &Heading| Cell::coloured(one.text, Colour::Heading);
        let heading: Vec<Cell> = self.headings.iter().map(heading).collect();
        let mut lines = Vec::new();
        let head = Some(&heading).filter(|_| self.is_headed);
        for row in head.into_iter().chain(&self.rows) {
            lines.push(line(row, &widths).cut(total.unwrap_or(usize::MAX)));
            let below = row.iter().zip(&self.headings);
            let below = below.filter(|(cell, one)| one.is_below() && !cell.text.is_empty());
            lines
                .extend(below.map(|(cell, _)| Line::of(format!("    {}", cell.text), cell.colour)));
        }
        lines
    }

    /// Returns the width of each column, `None` for one that is left out. Without `total` there is room for all.
    fn fit(&self, total: Option<usize>) -> Vec<Option<usize>> {
        let all = self.headings.iter().enumerate();
        let wide = |(index, heading): (usize, &Heading)| {
            let cells = self.rows.iter().map(|row| width(&row[index].text));
            let head = self.is_headed.then(|| width(heading.text));
            (!heading.is_below()).then(|| cells.chain(head).max().unwrap_or(0))
        };
        let mut widths: Vec<Option<usize>> = all.map(wide).collect();
        let Some(total) = total else {
            return widths;
        };
        loop {
            let shown = || {
                let all = self.headings.iter().zip(&widths).enumerate();
                all.filter_map(|(index, (one, wide))| Some((index, one, (*wide)?)))
            };
            let needed: usize = shown().map(|(.., wide)| wide + GAP).sum();
            let over = needed.saturating_sub(total + GAP);
            let spare = shown().map(|(_, one, wide)| wide.saturating_sub(one.min));
            let spare: usize = spare.sum();
            let least = shown().filter(|(_, one, _)| one.rank > 0);
            match least.max_by_key(|(_, one, _)| one.rank) {
                Some((index, ..)) if over > spare => widths[index] = None,
                // If even that is not enough, the rows are truncated as a whole.
                _ => {
                    self.shrink(&mut widths, over.min(spare));
                    return widths;
                }
            }
        }
    }

    /// Makes the columns narrower by `over` in total, the last ones first.
    fn shrink(&self, widths: &mut [Option<usize>], mut over: usize) {
        for (heading, wide) in self.headings.iter().zip(widths).rev() {
            if let Some(wide) = wide {
                let less = over.min(wide.saturating_sub(heading.min));
                *wide -= less;
                over -= less;
            }
        }
    }
}

/// Joins the cells of a row, without spaces at its end.
fn line(row: &[Cell], widths: &[Option<usize>]) -> Line {
    let mut line = Line::default();
    let mut blanks = 0;
    for (cell, wide) in row.iter().zip(widths) {
        let Some(wide) = *wide else { continue };
        let text = cut(&cell.text, wide);
        if text.is_empty() {
            blanks += wide + GAP;
            continue;
        }
        let rest = wide - width(&text) + GAP;
        if blanks > 0 {
            line.push(" ".repeat(blanks), None);
        }
        line.push(text, cell.colour);
        blanks = rest;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::Style;
    use crate::render::printer::{printed, printed_in};

    const COLUMNS: &[Column<[&str; 3]>] = &columns! { |row|
        "NAME" (4, 0) => Cell::coloured(row[0], Colour::Good),
        "IDLE" (4, 1) => row[1],
        "PROGRAM" (7, 0) => row[2],
    };

    const ROWS: [[&str; 3]; 2] = [["a name", "2s", "python3 世界 -q"], ["b", "", "sh\x1b\n"]];

    #[test]
    fn the_last_column_is_cut_first_and_then_what_matters_least_is_left_out() {
        let grid = Grid::new(&ROWS, COLUMNS);
        let all = "a name  2s    python3 世界 -q\nb             sh\\u{1b}\\n";
        for (total, shown) in [
            (None, all),
            (Some(29), all),
            (
                Some(26),
                "a name  2s    python3 世…\nb             sh\\u{1b}\\n",
            ),
            (Some(20), "a na…  2s    python…\nb            sh\\u{1…"),
            (Some(16), "a name  python3…\nb       sh\\u{1b…"),
            (Some(5), "a n…\nb   …"),
        ] {
            let lines = grid.lines(total).into_iter().skip(1);
            let lines: Vec<String> = lines.map(|line| line.painted(Style::default())).collect();
            let shown: Vec<&str> = shown.split('\n').collect();
            assert_eq!(lines, shown, "{total:?}");
        }
    }

    #[test]
    fn in_a_pipe_there_are_words_and_on_a_terminal_a_heading_and_colour() {
        let text = printed(|out| out.table(&ROWS, COLUMNS));
        assert_eq!(
            text,
            "a_name  2s  python3 世界 -q\nb       -   sh\\u{1b}\\n\n"
        );
        let text = printed_in(Style::COLOURED, None, |out| out.table(&ROWS, COLUMNS));
        let text = crate::writer::visible(&text);
        let start =
            "\x1b[1mNAME\x1b[0m    \x1b[1mIDLE\x1b[0m  \x1b[1mPROGRAM\x1b[0m\n\x1b[32ma name";
        assert!(text.starts_with(start), "{text:?}");
    }
}
