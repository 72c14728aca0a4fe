//! The table of sessions in `ls` and `top`.

use super::Printer;
use super::line::Line;
use super::page::columns;
use super::style::{Colour, Style};
use super::table::{Column, Grid};
use crate::fields::Fields as _;
use serde_json::Value;
use std::io;

#[derive(Debug)]
pub(crate) struct SessionList {
    pub(crate) heading: Line,
    pub(crate) rows: Vec<Line>,
}

fn grid(sessions: &[Value], columns: &[Column], style: Style) -> Grid {
    let mut grid = Grid::of(sessions, columns, style);
    for (row, session) in grid.rows_mut().zip(sessions) {
        if session.text("state") == "dead" {
            row.iter_mut().for_each(|cell| cell.or_colour(Colour::Dim));
        }
    }
    grid
}

/// The columns; that of who has started a session only if another client than `ccctl` has, such as an agent.
fn columns_of(sessions: &[Value]) -> Vec<Column> {
    let is_other = |session: &Value| !["", "ccctl"].contains(&session.text("created_by"));
    let has_others = sessions.iter().any(is_other);
    let mut columns = columns("session.list");
    columns.retain(|column| has_others || !column.is_named("BY"));
    columns
}

impl SessionList {
    /// Lays the list out in `width` columns, or in as many as it needs; if there is no room for all columns, without ids.
    /// Sessions without a name then show their id as the name; a truncated id would be useless.
    pub(crate) fn new(sessions: &[Value], width: Option<usize>) -> Self {
        let mut columns = columns_of(sessions);
        let mut list = grid(sessions, &columns, Style::default());
        if width.is_some_and(|width| !list.has_room(width)) {
            columns.splice(..2, super::page::columns("session.list without ids"));
            list = grid(sessions, &columns, Style::default());
        }
        let mut lines = list.lines(width);
        Self {
            heading: lines.remove(0),
            rows: lines,
        }
    }
}

/// Lays the table of agents out in `width` columns; the heading comes first.
pub(crate) fn agents(all: &[Value], width: usize) -> Vec<Line> {
    Grid::of(all, &columns("agent.list"), Style::default()).lines(Some(width))
}

/// Writes one line per session: with a header and fitted to the terminal or, without a terminal, complete.
pub(crate) fn sessions(all: &[Value], out: &mut Printer<'_>) -> io::Result<()> {
    if out.style.is_terminal && !all.is_empty() {
        let list = SessionList::new(all, out.columns);
        return out.lines(std::iter::once(list.heading).chain(list.rows), "");
    }
    // Always the same columns, and a word in each: scripts count them.
    let mut one_word_each = columns_of(&[]);
    one_word_each.splice(2..3, columns("session.list in a pipe"));
    out.grid(grid(all, &one_word_each, out.style), false)
}

#[cfg(test)]
#[path = "session_list_tests.rs"]
mod tests;
