//! The table of sessions in `ls` and `top`.

use super::Printer;
use super::line::Line;
use super::session::{attached, command_line};
use super::short::{age, size};
use super::style::Colour;
use super::table::{Cell, Column, Grid, columns};
use crate::call::CLIENT_NAME;
use ccd_protocol::session::{EndReason, InputVerdict, Session, SessionState};
use std::io;
use std::time::SystemTime;

#[derive(Debug)]
pub(crate) struct SessionList {
    pub(crate) heading: Line,
    pub(crate) rows: Vec<Line>,
}

#[derive(Debug)]
struct Row<'a> {
    session: &'a Session,
    now: SystemTime,
}

fn columns<'a>(rows: &[Row<'_>], has_ids: bool) -> Vec<Column<Row<'a>>> {
    let mut all = Vec::new();
    if has_ids {
        all.extend(columns! { |row: Row<'a>|
            "ID" (12, 0) => row.cell(&row.session.session_id),
            "NAME" (64, 0) => row.cell(name(row.session).unwrap_or_default()),
        });
    } else {
        // Sessions without a name show their id as the name; a truncated id would be useless.
        all.extend(columns! { |row: Row<'a>|
            "NAME" (12, 0) => row.cell(name(row.session).unwrap_or_else(|| row.session.session_id.clone())),
        });
    }
    all.extend(columns! { |row: Row<'a>|
        // A state is truncated in its reason only: `signal 15 (daemon…`.
        "STATE" (18, 1) => state(row.session),
        "WAITS" (6, 2) => waits(row.session),
        "AGE" (3, 5) => row.cell(age(&row.session.created_at, row.now)),
        "IDLE" (4, 3) => row.cell(age(&row.session.last_activity, row.now)),
        "OUTPUT" (6, 6) => row.cell(size(row.session.output.output_bytes)),
        "ATTACHED" (8, 4) => row.cell(attached(row.session, ",")),
    });
    // Only if another client than `ccctl` has started one, such as an agent.
    if rows.iter().any(|row| by(row.session).is_some()) {
        all.extend(columns! { |row: Row<'a>| "BY" (8, 4) => Cell::maybe(&by(row.session)), });
    }
    all.extend(
        columns! { |row: Row<'a>| "PROGRAM" (12, 0) => row.cell(command_line(row.session)), },
    );
    all
}

impl Row<'_> {
    /// A cell that is dim if the session has ended.
    fn cell(&self, value: impl std::fmt::Display) -> Cell {
        let has_ended = self.session.state == SessionState::Dead;
        Cell::coloured(value, has_ended.then_some(Colour::Dim))
    }
}

fn rows(sessions: &[Session], now: SystemTime) -> Vec<Row<'_>> {
    let row = |session| Row { session, now };
    sessions.iter().map(row).collect()
}

impl SessionList {
    /// Lays the list out in `width` columns, or in as many as it needs; if there is no room for all columns, without ids.
    pub(crate) fn new(sessions: &[Session], now: SystemTime, width: Option<usize>) -> Self {
        let rows = rows(sessions, now);
        let mut grid = Grid::new(&rows, &columns(&rows, true));
        if width.is_some_and(|width| !grid.has_room(width)) {
            grid = Grid::new(&rows, &columns(&rows, false));
        }
        let mut lines = grid.lines(width);
        Self {
            heading: lines.remove(0),
            rows: lines,
        }
    }
}

/// Writes one line per session: with a header and fitted to the terminal or, without a terminal, complete.
pub(crate) fn sessions(all: &[Session], out: &mut Printer<'_>) -> io::Result<()> {
    let now = SystemTime::now();
    if out.style.is_terminal && !all.is_empty() {
        let list = SessionList::new(all, now, out.columns);
        return out.lines(std::iter::once(list.heading).chain(list.rows), "");
    }
    // Always the same columns: scripts count them.
    out.table(&rows(all, now), &columns(&[], true))
}

/// The client that has started the session, unless it is `ccctl`.
fn by(session: &Session) -> Option<&str> {
    (session.created_by.as_deref()).filter(|name| *name != CLIENT_NAME)
}

/// The name, or what started a transient session, such as `(chain.run)`; in brackets, because it is no name.
fn name(session: &Session) -> Option<String> {
    let started_by = || {
        Some(match session.started_by.as_deref()? {
            "session.create" => "(run)".to_owned(),
            method => format!("({method})"),
        })
    };
    session.name.clone().or_else(started_by)
}

/// How the session is; an unwanted end is highlighted.
fn state(session: &Session) -> Cell {
    let is_fine = session.exitstatus == Some(0) || session.end_reason == Some(EndReason::Closed);
    let colour = match session.state {
        _ if session.start_error.is_some() => Colour::Bad,
        SessionState::Alive => Colour::Good,
        SessionState::Zombie => Colour::Notice,
        SessionState::Dead if is_fine => Colour::Dim,
        SessionState::Dead => Colour::Bad,
    };
    Cell::coloured(super::session::state(session), colour)
}

/// Whether the program waits for input; `hidden` if echo is off, as for a password.
fn waits(session: &Session) -> Cell {
    let Some(waiting) = &session.waiting_for_input else {
        return Cell::default();
    };
    match waiting.verdict {
        InputVerdict::No => Cell::from("no"),
        InputVerdict::Unknown => Cell::from("?"),
        InputVerdict::Blocked | InputVerdict::Accepts => {
            let word = if waiting.hidden { "hidden" } else { "yes" };
            Cell::coloured(word, Colour::Notice)
        }
    }
}

#[cfg(test)]
#[path = "session_list_tests.rs"]
mod tests;
