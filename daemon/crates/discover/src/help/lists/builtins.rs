//! `help` of bash: synopses in two columns, cut where a column ends:
//!
//! ```text
//!  bg [job_spec ...]                       mapfile [-d delim] [-n count] [-O or>
//!  bind [-lpsvPSVX] [-m keymap] [-f file>  popd [-n] [+N | -N]
//! ```

use super::list;
use crate::help::commands::Commands;
use crate::help::entry;
use crate::help::help_text::{HelpCommand, HelpText, Shape};
use crate::help::page::{Line, Page};
use std::collections::BTreeMap;

const START: &str = "These shell commands are defined internally.";

pub(in crate::help) fn recognises(page: &Page) -> bool {
    page.position(|line| line.text.starts_with(START)).is_some()
}

pub(in crate::help) fn read(page: &Page) -> HelpText {
    let lines: Vec<&Line> = page.lines.iter().filter(|line| line.indent > 0).collect();
    let column = second_column(&lines);
    let mut commands = Commands::default();
    let (left, right): (Vec<&str>, Vec<&str>) =
        lines.iter().map(|line| halves(line, column)).unzip();
    for cell in left.into_iter().chain(right) {
        if let Some(entry) = entry::of_term(cell.trim()) {
            commands.add(HelpCommand::of(&entry));
        }
    }
    list(Shape::ShellBuiltins, commands.finish())
}

/// Returns the column where most second cells start.
fn second_column(lines: &[&Line]) -> usize {
    let mut counts = BTreeMap::new();
    for line in lines {
        let second = line.cells().nth(1).and_then(|cell| line.text.rfind(cell));
        if let Some(at) = second {
            *counts
                .entry(line.indent + line.text[..at].chars().count())
                .or_insert(0_usize) += 1;
        }
    }
    let most = counts.into_iter().max_by_key(|(_, count)| *count);
    most.map_or(usize::MAX, |(column, _)| column)
}

fn halves(line: &Line, column: usize) -> (&str, &str) {
    let at = column
        .checked_sub(line.indent)
        .and_then(|at| line.text.char_indices().nth(at));
    line.text.split_at(at.map_or(line.text.len(), |(at, _)| at))
}
