//! Columns that fit a width: long ones are truncated, and the least important ones left out.

use super::Printer;
use super::line::{Line, cut, width};
use super::style::Colour;
use std::io;

const GAP: usize = 2;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    pub(crate) heading: &'static str,
    /// The column is truncated to no less.
    pub(crate) min: usize,
    /// Without room, the column with the highest rank is left out first; rank 0 is always kept.
    pub(crate) rank: u8,
}

impl Column {
    pub(crate) const fn new(heading: &'static str, min: usize, rank: u8) -> Self {
        Self { heading, min, rank }
    }
}

pub(crate) type ColumnCell = (String, Option<Colour>);

/// Writes the rows: fitted to a terminal, complete without one.
pub(crate) fn write(
    columns: &[Column],
    rows: &[Vec<ColumnCell>],
    out: &mut Printer<'_>,
) -> io::Result<()> {
    let total = out.columns.filter(|_| out.style.is_terminal);
    let widths = fit(columns, rows, total);
    for row in rows {
        let line = line(row, &widths).cut(total.unwrap_or(usize::MAX));
        writeln!(out, "{}", line.painted(out.style))?;
    }
    Ok(())
}

/// Writes complete rows without a header: each column but the last is one word. A space becomes an underscore, and an
/// empty cell a dash.
pub(crate) fn write_words(mut rows: Vec<Vec<ColumnCell>>, out: &mut Printer<'_>) -> io::Result<()> {
    let count = rows.first().map_or(0, Vec::len);
    for (index, (text, _)) in rows.iter_mut().flat_map(|row| row.iter_mut().enumerate()) {
        if text.is_empty() {
            text.push('-');
        } else if index + 1 < count {
            *text = text.replace(' ', "_");
        }
    }
    write(&vec![Column::new("", 0, 0); count], &rows, out)
}

/// Returns the width of each column, `None` for one that is left out. Without `total` there is room for all.
pub(crate) fn fit(
    columns: &[Column],
    rows: &[Vec<ColumnCell>],
    total: Option<usize>,
) -> Vec<Option<usize>> {
    let mut widths: Vec<Option<usize>> = columns
        .iter()
        .enumerate()
        .map(|(index, column)| {
            let cells = rows.iter().map(|row| width(&row[index].0));
            Some(cells.max().unwrap_or(0).max(width(column.heading)))
        })
        .collect();
    let Some(total) = total else {
        return widths;
    };
    loop {
        let over = needed(&widths).saturating_sub(total);
        let spare: usize = shown(columns, &widths)
            .map(|(index, wide)| wide.saturating_sub(columns[index].min))
            .sum();
        if over <= spare {
            shrink(columns, &mut widths, over);
            return widths;
        }
        let least = shown(columns, &widths)
            .filter(|&(index, _)| columns[index].rank > 0)
            .max_by_key(|&(index, _)| columns[index].rank);
        let Some((index, _)) = least else {
            // The rows are truncated as a whole.
            shrink(columns, &mut widths, spare);
            return widths;
        };
        widths[index] = None;
    }
}

/// Joins the cells of a row, without spaces at its end.
pub(crate) fn line(row: &[ColumnCell], widths: &[Option<usize>]) -> Line {
    let mut line = Line::default();
    let mut blanks = 0;
    for ((text, colour), wide) in row.iter().zip(widths) {
        let Some(wide) = *wide else { continue };
        let text = cut(text, wide);
        if text.is_empty() {
            blanks += wide + GAP;
            continue;
        }
        let rest = wide - width(&text) + GAP;
        if blanks > 0 {
            line.push(" ".repeat(blanks), None);
        }
        line.push(text, *colour);
        blanks = rest;
    }
    line
}

pub(crate) fn heading(columns: &[Column]) -> Vec<ColumnCell> {
    let cell = |column: &Column| (column.heading.to_owned(), Some(Colour::Heading));
    columns.iter().map(cell).collect()
}

/// The columns that are not left out, with their widths.
fn shown<'a>(
    columns: &'a [Column],
    widths: &'a [Option<usize>],
) -> impl Iterator<Item = (usize, usize)> + 'a {
    (0..columns.len()).filter_map(|index| widths[index].map(|wide| (index, wide)))
}

fn needed(widths: &[Option<usize>]) -> usize {
    let count = widths.iter().flatten().count();
    widths.iter().flatten().sum::<usize>() + GAP * count.saturating_sub(1)
}

/// Makes the columns narrower by `over` in total, the last ones first.
fn shrink(columns: &[Column], widths: &mut [Option<usize>], mut over: usize) {
    for (column, wide) in columns.iter().zip(widths).rev() {
        if let Some(wide) = wide {
            let less = over.min(wide.saturating_sub(column.min));
            *wide -= less;
            over -= less;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::Style;

    const COLUMNS: [Column; 3] = [
        Column::new("NAME", 4, 0),
        Column::new("IDLE", 4, 1),
        Column::new("PROGRAM", 7, 0),
    ];

    fn shown_in(total: Option<usize>) -> String {
        let rows = [["a name", "2s", "python3 世界 -q"], ["b", "", "sh"]]
            .map(|row| row.map(|text| (text.to_owned(), None)).to_vec());
        let widths = fit(&COLUMNS, &rows, total);
        let lines = rows.iter().map(|row| line(row, &widths));
        let lines: Vec<String> = lines.map(|line| line.painted(Style::default())).collect();
        lines.join("\n")
    }

    #[test]
    fn the_last_column_is_cut_first_and_then_what_matters_least_is_left_out() {
        let all = "a name  2s    python3 世界 -q\nb             sh";
        for (total, shown) in [
            (None, all),
            (Some(29), all),
            (Some(26), "a name  2s    python3 世…\nb             sh"),
            (Some(20), "a na…  2s    python…\nb            sh"),
            (Some(16), "a name  python3…\nb       sh"),
            (Some(5), "a n…  python…\nb     sh"),
        ] {
            assert_eq!(shown_in(total), shown, "{total:?}");
        }
    }
}
