//! The table of sessions in `session list` and `top`.

use super::Printer;
use super::columns::{self, Column, ColumnCell};
use super::line::Line;
use super::session::{attached, command_line, end};
use super::short::{age, size};
use super::style::Colour;
use crate::call::CLIENT_NAME;
use crate::render::printable;
use ccd_protocol::session::{EndReason, InputVerdict, Session, SessionState};
use std::io;
use std::time::SystemTime;

const ID: Column = Column::new("ID", 12, 0);
const NAME: Column = Column::new("NAME", 64, 0);
/// Names, or ids in place of missing names; a truncated id would be useless.
const NAME_OR_ID: Column = Column::new("NAME", 12, 0);
/// A state is truncated in its reason only: `signal 15 (daemon…`.
const REST: [Column; 7] = [
    Column::new("STATE", 18, 1),
    Column::new("WAITS", 6, 2),
    Column::new("AGE", 3, 5),
    Column::new("IDLE", 4, 3),
    Column::new("OUTPUT", 6, 6),
    Column::new("ATTACHED", 8, 4),
    Column::new("PROGRAM", 12, 0),
];

/// Who has started a session. Only in lists with sessions that another client than `ccctl` has started, such as an agent.
const BY: Column = Column::new("BY", 8, 4);

#[derive(Debug)]
pub(crate) struct SessionList {
    pub(crate) heading: Line,
    pub(crate) rows: Vec<Line>,
}

impl SessionList {
    /// Lays the list out in `width` columns, or in as many as it needs.
    /// If there is no room for a column of ids, sessions without a name show their id as the name.
    pub(crate) fn new(sessions: &[Session], now: SystemTime, width: Option<usize>) -> Self {
        let has_others = sessions.iter().any(|session| by(session).is_some());
        let with_by = |mut columns: Vec<Column>| {
            if has_others {
                columns.insert(columns.len() - 1, BY);
            }
            columns
        };
        let with_ids = with_by([&[ID, NAME], &REST[..]].concat());
        let without = with_by([&[NAME_OR_ID], &REST[..]].concat());
        let rows = |has_ids: bool| -> Vec<Vec<ColumnCell>> {
            let row = |session| {
                let mut cells = cells(session, now, has_ids);
                if has_others {
                    let name = by(session).map(printable).unwrap_or_default();
                    cells.insert(cells.len() - 1, (name, None));
                }
                cells
            };
            sessions.iter().map(row).collect()
        };
        let mut columns = with_ids;
        let mut cells = rows(true);
        let mut widths = columns::fit(&columns, &cells, width);
        if widths.contains(&None) {
            (columns, cells) = (without, rows(false));
            widths = columns::fit(&columns, &cells, width);
        }
        let line = |row: &Vec<ColumnCell>| columns::line(row, &widths);
        let fitted = |line: Line| line.cut(width.unwrap_or(usize::MAX));
        Self {
            heading: fitted(line(&columns::heading(&columns))),
            rows: cells.iter().map(|row| fitted(line(row))).collect(),
        }
    }
}

/// Writes one line per session: with a header and fitted to the terminal or, without a terminal, complete.
pub(crate) fn sessions(all: &[Session], out: &mut Printer<'_>) -> io::Result<()> {
    if all.is_empty() {
        return Ok(());
    }
    let now = SystemTime::now();
    if !out.style.is_terminal {
        let rows = all.iter().map(|session| cells(session, now, true));
        return columns::write_words(rows.collect(), out);
    }
    let list = SessionList::new(all, now, out.columns);
    let lines = std::iter::once(&list.heading).chain(&list.rows);
    for line in lines {
        writeln!(out, "{}", line.painted(out.style))?;
    }
    Ok(())
}

/// The client that has started the session, unless it is `ccctl`.
fn by(session: &Session) -> Option<&str> {
    (session.created_by.as_deref()).filter(|name| *name != CLIENT_NAME)
}

fn cells(session: &Session, now: SystemTime, has_ids: bool) -> Vec<ColumnCell> {
    let has_ended = session.state == SessionState::Dead;
    let dim = has_ended.then_some(Colour::Dim);
    let id = session.session_id.as_str();
    let name = session.name.clone().or_else(|| kind(session));
    let name = name.as_deref();
    let (state, state_colour) = state(session);
    let (waits, waits_colour) = waits(session);
    let mut cells = vec![
        (state, Some(state_colour)),
        (waits.to_owned(), waits_colour),
        (age(&session.created_at, now), dim),
        (age(&session.last_activity, now), dim),
        (size(session.output.output_bytes), dim),
        (attached(session, ","), dim),
        (printable(&command_line(session)), dim),
    ];
    if has_ids {
        cells.insert(0, (name.unwrap_or_default().to_owned(), dim));
        cells.insert(0, (id.to_owned(), dim));
    } else {
        cells.insert(0, (name.unwrap_or(id).to_owned(), dim));
    }
    cells
}

/// What started a transient session, such as `(chain.run)`; in brackets, because it is no name.
fn kind(session: &Session) -> Option<String> {
    match session.started_by.as_deref()? {
        "session.create" => Some("(run)".to_owned()),
        method => Some(format!("({method})")),
    }
}

/// `alive`, or how the session ended; an unwanted end is highlighted.
fn state(session: &Session) -> (String, Colour) {
    match session.state {
        _ if session.start_error.is_some() => ("not started".to_owned(), Colour::Bad),
        SessionState::Alive => ("alive".to_owned(), Colour::Good),
        SessionState::Zombie => ("ending".to_owned(), Colour::Notice),
        SessionState::Dead => {
            let is_fine =
                session.exitstatus == Some(0) || session.end_reason == Some(EndReason::Closed);
            let colour = if is_fine { Colour::Dim } else { Colour::Bad };
            let end = end(session.exitstatus, session.signal, session.end_reason);
            (end, colour)
        }
    }
}

/// Whether the program waits for input; `hidden` if echo is off, as for a password.
fn waits(session: &Session) -> (&'static str, Option<Colour>) {
    let Some(waiting) = &session.waiting_for_input else {
        return ("", None);
    };
    match waiting.verdict {
        InputVerdict::Blocked | InputVerdict::Accepts if waiting.hidden => {
            ("hidden", Some(Colour::Notice))
        }
        InputVerdict::Blocked | InputVerdict::Accepts => ("yes", Some(Colour::Notice)),
        InputVerdict::No => ("no", None),
        InputVerdict::Unknown => ("?", None),
    }
}

#[cfg(test)]
#[path = "session_list_tests.rs"]
mod tests;
