//! `\h` of psql: statements of SQL in columns:
//!
//! ```text
//! Available help:
//!   ABORT                            CREATE FOREIGN DATA WRAPPER      DROP ROUTINE
//!   ALTER AGGREGATE                  CREATE FOREIGN TABLE             DROP RULE
//! ```

use super::{has_lines, list};
use crate::help::commands::Commands;
use crate::help::help_text::{HelpText, Shape};
use crate::help::page::{Line, Page};

pub(in crate::help) fn recognises(page: &Page) -> bool {
    has_lines(page, |line| is_row(line) && line.cells().count() > 1)
}

pub(in crate::help) fn read(page: &Page) -> HelpText {
    let mut commands = Commands::default();
    let rows = page.lines.iter().filter(|line| is_row(line));
    commands.add_names(rows.flat_map(Line::cells));
    list(Shape::Statements, commands.finish())
}

/// Returns whether a line has only words in capitals.
fn is_row(line: &Line) -> bool {
    let is_part = |c: char| c.is_ascii_uppercase() || c == ' ';
    line.indent > 0 && !line.is_blank() && line.text.chars().all(is_part)
}
