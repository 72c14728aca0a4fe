//! Names in columns, below a heading or a ruler, as of Python's module `cmd` and its `help()`:
//!
//! ```text
//! Documented commands (type help <topic>):
//! ========================================
//! EOF  add  help  list
//! ```

use super::list;
use crate::help::commands::Commands;
use crate::help::entry::column_list;
use crate::help::help_text::{HelpText, Shape};
use crate::help::page::{Line, Page};

/// How many columns make a table of names; below a ruler one is enough.
const LEAST_COLUMNS: usize = 3;

pub(in crate::help) fn recognises(page: &Page) -> bool {
    blocks(page).next().is_some()
}

pub(in crate::help) fn read(page: &Page) -> HelpText {
    let mut commands = Commands::default();
    for block in blocks(page) {
        commands.add_names(
            block
                .iter()
                .filter_map(|line| column_list(&line.text))
                .flatten(),
        );
    }
    list(Shape::Columns, commands.finish())
}

/// Returns the runs of lines that are tables of names.
fn blocks(page: &Page) -> impl Iterator<Item = &[Line]> {
    let lines = &page.lines;
    let is_other =
        |line: &Line| line.is_blank() || line.is_ruler() || column_list(&line.text).is_none();
    let mut end = 0;
    lines
        .split(move |line| is_other(line))
        .filter(move |block| {
            let start = end;
            end += block.len() + 1;
            let has_ruler = start > 0 && lines[start - 1].is_ruler();
            let columns = block
                .iter()
                .map(|line| line.cells().count())
                .max()
                .unwrap_or_default();
            !block.is_empty() && (has_ruler || columns >= LEAST_COLUMNS)
        })
}
