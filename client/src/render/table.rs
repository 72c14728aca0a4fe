//! Tables. A table is described by its columns: what each is called, what it shows of a record, and what becomes of it
//! where there is no room.

use super::line::{Line, cut, width};
use super::printer::Printer;
use super::style::{Colour, Style};
use super::template::fill;
use serde_json::Value;
use std::io;

const GAP: usize = 2;

/// A column of a list: its heading, and the template of a cell. One that may be fitted is truncated on a terminal to no less
/// than `min`, the last columns first, or left out, that of the highest rank first; rank 0 is always kept. One without a
/// heading has a line of its own below the row, if it has something to say there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    heading: Heading,
    cell: &'static str,
}

impl Column {
    /// Without `min`, a column is as wide as its widest cell.
    pub(super) const fn new(
        text: &'static str,
        min: Option<usize>,
        rank: u8,
        cell: &'static str,
    ) -> Self {
        let min = match min {
            Some(min) => min,
            None => usize::MAX,
        };
        let heading = Heading { text, min, rank };
        Self { heading, cell }
    }

    pub(super) fn is_named(&self, heading: &str) -> bool {
        self.heading.text == heading
    }

    /// The same column with another heading.
    pub(super) const fn headed(self, text: &'static str) -> Self {
        Self::new(text, Some(self.heading.min), self.heading.rank, self.cell)
    }
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
    colour: Option<Colour>,
}

impl Cell {
    /// Colours the cell unless it has a colour.
    pub(super) fn or_colour(&mut self, colour: Colour) {
        self.colour.get_or_insert(colour);
    }
}

impl Cell {
    fn of(line: Line) -> Self {
        Self {
            text: line.text().trim_end().to_owned(),
            colour: line.colour(),
        }
    }
}

impl Printer<'_> {
    /// Writes a row for each record: on a terminal with a header and fitted to its width; elsewhere complete. An empty cell
    /// is a dash, so that columns can be counted, but for a terminal that may have no room for all columns; in a pipe, each
    /// column of such a table is one word, except the last.
    pub(crate) fn list(&mut self, rows: &[Value], columns: &[Column]) -> io::Result<()> {
        self.grid(Grid::of(rows, columns, self.style), self.style.is_terminal)
    }

    /// As [`Self::list`], with a header in a pipe too: a reader needs it to know numbers apart.
    pub(crate) fn headed_list(&mut self, rows: &[Value], columns: &[Column]) -> io::Result<()> {
        self.grid(Grid::of(rows, columns, self.style), true)
    }

    pub(super) fn grid(&mut self, mut grid: Grid, is_headed: bool) -> io::Result<()> {
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
    pub(crate) fn of(rows: &[Value], columns: &[Column], style: Style) -> Self {
        let cells = |(number, row): (usize, &Value)| {
            let cell = |column: &Column| Cell::of(fill(column.cell, row, number, style));
            columns.iter().map(cell).collect()
        };
        Self {
            headings: columns.iter().map(|column| column.heading).collect(),
            is_headed: true,
            rows: (1..).zip(rows).map(cells).collect(),
        }
    }

    /// Makes the cells what they are on a terminal, or in a pipe.
    fn finish(&mut self, is_terminal: bool) {
        let last = self.headings.len().saturating_sub(1);
        let is_list = self.headings.iter().any(|heading| heading.rank > 0);
        for row in &mut self.rows {
            for (index, cell) in row.iter_mut().enumerate() {
                let is_below = self.headings[index].is_below();
                match () {
                    () if is_below || (is_terminal && is_list) => {}
                    () if cell.text.is_empty() => cell.text.push('-'),
                    () if is_list && index < last => cell.text = cell.text.replace(' ', "_"),
                    () => {}
                }
            }
        }
    }

    pub(super) fn rows_mut(&mut self) -> impl Iterator<Item = &mut Vec<Cell>> {
        self.rows.iter_mut()
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
        let heading = |one: &Heading| Cell {
            text: one.text.to_owned(),
            colour: Some(Colour::Heading),
        };
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
    use crate::render::printer::{printed, printed_in};
    use serde_json::json;

    const COLUMNS: &[Column] = &[
        Column::new("NAME", Some(4), 0, "{name:good}"),
        Column::new("IDLE", Some(4), 1, "{idle}"),
        Column::new("PROGRAM", Some(7), 0, "{program}"),
    ];

    fn rows() -> [Value; 2] {
        let row = |[name, idle, program]: [&str; 3]| json!({"name": name, "idle": idle, "program": program});
        [["a name", "2s", "python3 世界 -q"], ["b", "", "sh\x1b\n"]].map(row)
    }

    #[test]
    fn the_last_column_is_cut_first_and_then_what_matters_least_is_left_out() {
        let grid = Grid::of(&rows(), COLUMNS, Style::default());
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
        let text = printed(|out| out.list(&rows(), COLUMNS));
        assert_eq!(
            text,
            "a_name  2s  python3 世界 -q\nb       -   sh\\u{1b}\\n\n"
        );
        let text = printed_in(Style::COLOURED, None, |out| out.list(&rows(), COLUMNS));
        let text = crate::writer::visible(&text);
        let start =
            "\x1b[1mNAME\x1b[0m    \x1b[1mIDLE\x1b[0m  \x1b[1mPROGRAM\x1b[0m\n\x1b[32ma name";
        assert!(text.starts_with(start), "{text:?}");
    }
}
