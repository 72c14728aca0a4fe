//! Investigations and tests of programs. All their texts come from the program: nothing reaches the terminal unchanged.

mod diff;
mod investigation;
mod lists;
mod map;
mod test_report;

pub(crate) use diff::investigation_diff;
pub(crate) use investigation::{investigation, probed};
pub(crate) use lists::{INVESTIGATIONS, TEST_REPORTS};
pub(crate) use map::state_map;
pub(crate) use test_report::test_report;

use super::Printer;
use super::style::Colour;
use std::io::{self, Write};

/// Writes the name of a part, with how many entries it has.
fn heading(name: &str, count: usize, out: &mut Printer<'_>) -> io::Result<()> {
    out.line(Colour::Heading, &format!("{name} ({count})"))
}

/// Writes rows of a name and a text, indented, with the names padded to the same width.
fn rows(rows: &[(String, String)], out: &mut dyn Write) -> io::Result<()> {
    const MAX_WIDTH: usize = 28;
    let names = rows.iter().map(|(name, _)| super::line::width(name));
    let width = names.filter(|&width| width <= MAX_WIDTH).max().unwrap_or(0);
    for (name, text) in rows {
        let blanks = width.saturating_sub(super::line::width(name));
        let line = format!("  {name}{:blanks$}  {text}", "");
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}
