//! Tables.

use super::line::{cut, width};
use super::style::Colour;
use super::{Printer, printable};
use std::io;

/// Rows with the same number of cells. There is a header on a terminal, or everywhere; an empty cell is printed as a dash, so that
/// columns can be counted.
#[derive(Debug)]
pub(crate) struct Table {
    heading: Vec<&'static str>,
    /// The cells, and a line below them.
    rows: Vec<(Vec<Cell>, Option<String>)>,
}

#[derive(Debug, Clone)]
pub(crate) struct Cell {
    text: String,
    colour: Option<Colour>,
}

const GAP: &str = "  ";

impl Cell {
    pub(crate) fn coloured(text: impl AsRef<str>, colour: Colour) -> Self {
        Self {
            colour: Some(colour),
            ..Self::from(text.as_ref())
        }
    }

    /// A number of problems.
    pub(crate) fn problems(count: u64) -> Self {
        match count {
            0 => Self::from("0"),
            count => Self::coloured(count.to_string(), Colour::Bad),
        }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self {
            text: if text.is_empty() {
                "-".to_owned()
            } else {
                printable(text)
            },
            colour: None,
        }
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl Table {
    pub(crate) fn new(heading: impl Into<Vec<&'static str>>) -> Self {
        Self {
            heading: heading.into(),
            rows: Vec::new(),
        }
    }

    pub(crate) fn row<const N: usize>(&mut self, cells: [Cell; N]) {
        self.row_above(cells.into(), None);
    }

    /// Adds a row with a line below it.
    pub(crate) fn row_above(&mut self, cells: Vec<Cell>, below: Option<String>) {
        self.rows.push((cells, below));
    }

    /// Cuts the last column where the terminal ends, but to no less than `min`.
    pub(crate) fn fit_last(&mut self, min: usize, out: &Printer<'_>) {
        let before = self.heading.len() - 1;
        let used = (0..before).map(|column| {
            let cells = self.rows.iter().map(|(row, _)| width(&row[column].text));
            cells.max().unwrap_or(0).max(self.heading[column].len()) + GAP.len()
        });
        let room = out.room_after(used.sum(), min);
        for (row, _) in &mut self.rows {
            row[before].text = cut(&row[before].text, room);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Writes the rows, aligned, without spaces at the ends of lines.
    pub(crate) fn write(&self, out: &mut Printer<'_>) -> io::Result<()> {
        self.write_rows(out.style.is_terminal, out)
    }

    /// As [`Self::write`], with a header in a pipe too: a reader needs it to know numbers apart.
    pub(crate) fn write_headed(&self, out: &mut Printer<'_>) -> io::Result<()> {
        self.write_rows(true, out)
    }

    fn write_rows(&self, has_heading: bool, out: &mut Printer<'_>) -> io::Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let heading = self.heading.iter();
        let heading = heading.map(|text| Cell::coloured(text, Colour::Heading));
        let heading = (heading.collect(), None);
        let heading = has_heading.then_some(&heading);
        let rows = || heading.into_iter().chain(&self.rows);
        let mut widths = vec![0; self.heading.len()];
        for (row, _) in rows() {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.text.chars().count());
            }
        }
        for (row, below) in rows() {
            let mut blanks = 0;
            for (index, (width, cell)) in widths.iter().zip(row).enumerate() {
                let gap = if index == 0 { "" } else { GAP };
                let text = match cell.colour {
                    Some(colour) => out.paint(colour, &cell.text),
                    None => cell.text.clone(),
                };
                write!(out, "{:blanks$}{gap}{text}", "")?;
                blanks = width - cell.text.chars().count();
            }
            writeln!(out)?;
            if let Some(below) = below {
                writeln!(out, "{below}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::Style;

    fn rendered(style: Style) -> String {
        let mut table = Table::new(["ID", "STATE", "COMMAND"]);
        table.row([
            "a".into(),
            Cell::coloured("alive", Colour::Good),
            "sh".into(),
        ]);
        table.row(["long".into(), "".into(), "echo \x1b[2J\n".into()]);
        crate::render::printer::printed_in(style, None, |out| table.write(out))
    }

    #[test]
    fn without_a_terminal_there_are_columns_only() {
        let expected = "a     alive  sh\nlong  -      echo \\u{1b}[2J\\n\n";
        assert_eq!(rendered(Style::default()), expected);
    }

    #[test]
    fn on_a_terminal_there_is_a_heading_and_colour() {
        let style = Style::COLOURED;
        let text = crate::writer::visible(&rendered(style));
        assert!(
            text.starts_with("\x1b[1mID\x1b[0m    \x1b[1mSTATE\x1b[0m  "),
            "{text:?}"
        );
        assert!(
            text.contains("a     \x1b[32malive\x1b[0m  sh\n"),
            "{text:?}"
        );
    }
}
