//! Draws `top`.

use super::app::{App, Mode, SIGNALS, label};
use crate::fields::Fields as _;
use crate::render::{Colour, Line, SessionList, Style, printable, scrolled, text_line};
use serde_json::json;

/// From this many rows, there is room for the screen of a session below the list.
const PREVIEW_ROWS: usize = 12;

const KEYS: &str =
    "a attach  r output  s signal  c close  p screen  t agents  / filter  e ended  ? help  q quit";

pub(super) fn draw(app: &mut App) -> Vec<Line> {
    let (rows, columns) = app.size;
    let foot = status(app);
    let mut lines = match &mut app.mode {
        Mode::Read { pager, .. } => {
            let (page, place) = pager.page(rows.saturating_sub(2), columns);
            let mut title = Line::of(printable(&pager.title), Some(Colour::Heading));
            title.push(format!("  {place}"), Some(Colour::Dim));
            let page = page.into_iter().map(|text| Line::of(text, None));
            std::iter::once(title).chain(page).collect()
        }
        _ => match &mut app.agents {
            Some(page) => page.draw(rows.saturating_sub(1), columns, app.gone.is_some()),
            None => list(app, rows.saturating_sub(1)),
        },
    };
    // The last row is for questions and messages; a terminal of one row shows only that.
    lines.resize(rows.saturating_sub(1), Line::default());
    lines.push(foot);
    lines
}

/// The title, the list and a preview of a screen, as far as there is room.
fn list(app: &mut App, rows: usize) -> Vec<Line> {
    let (_, columns) = app.size;
    let list = SessionList::new(&app.shown, Some(columns));
    let heads = match rows {
        0 | 1 => 0,
        2 => 1,
        _ => 2,
    };
    let room = rows - heads;
    let preview_rows = match app.preview {
        Some(_) if rows >= PREVIEW_ROWS => room - (room / 3).clamp(1, app.shown.len().max(1)),
        _ => 0,
    };
    let list_rows = room - preview_rows;
    let place = app.place().unwrap_or(0);
    app.first = scrolled(app.first, place, list.rows.len(), list_rows);
    let mut lines = Vec::new();
    if heads > 1 {
        lines.push(title(app, list_rows));
    }
    if heads > 0 {
        lines.push(list.heading);
    }
    let is_empty = list.rows.is_empty();
    let rows_shown = list.rows.into_iter().enumerate();
    for (index, line) in rows_shown.skip(app.first).take(list_rows) {
        lines.push(match (index == place, &app.gone) {
            (true, _) => line.filled(columns, Colour::Selected),
            (false, Some(_)) => line.filled(0, Colour::Dim),
            (false, None) => line,
        });
    }
    if is_empty && list_rows > 0 {
        let text = if app.filter.is_empty() {
            "no sessions; start one with ccctl new -- PROGRAM"
        } else {
            "no session contains this text"
        };
        lines.push(Line::of(text, Some(Colour::Dim)));
    }
    if preview_rows > 0 {
        lines.resize(rows - preview_rows, Line::default());
        lines.extend(preview(app, preview_rows));
    }
    lines
}

fn title(app: &App, list_rows: usize) -> Line {
    let (live, waiting) = app.counts();
    let all = app.shown.len();
    let title = json!({
        "live": live, "waiting": waiting, "is_cut": all > list_rows, "first": app.first + 1,
        "last": app.first + list_rows, "all": all, "sort": app.sort, "interval": app.interval.as_secs_f64(), "filter": app.filter,
    });
    text_line("top title", &title, Style::default())
}

/// The last row: a question, an error, a result, or the keys.
fn status(app: &App) -> Line {
    let selected = app.selected().map(label).unwrap_or_default();
    match &app.mode {
        Mode::Filter => return asked(&format!("filter: {}", app.filter)),
        Mode::Close => return asked(&format!("close {selected}? y/n ")),
        Mode::Signal { choice, typed } => return signal(selected, *choice, typed),
        Mode::List | Mode::Read { .. } => {}
    }
    match (&app.gone, &app.message) {
        (Some(why), _) => Line::of(
            format!("{}; trying again", printable(why)),
            Some(Colour::Bad),
        ),
        (None, Some(Err(text))) => Line::of(printable(text), Some(Colour::Bad)),
        (None, Some(Ok(text))) => Line::of(printable(text), Some(Colour::Good)),
        (None, None) => match &app.mode {
            Mode::Read { session, .. } => {
                let again = if session.is_some() { "r refresh  " } else { "" };
                Line::of(
                    format!("q back  {again}up, down, PgUp, PgDn, g, G move"),
                    Some(Colour::Dim),
                )
            }
            _ if app.agents.is_some() => Line::of(super::agents::KEYS, Some(Colour::Dim)),
            _ => Line::of(KEYS, Some(Colour::Dim)),
        },
    }
}

fn asked(text: &str) -> Line {
    let mut line = Line::of(printable(text), Some(Colour::Heading));
    line.push(" ", Some(Colour::Selected));
    line
}

fn signal(session: &str, choice: usize, typed: &str) -> Line {
    let mut line = Line::of(format!("signal {session}:"), Some(Colour::Heading));
    if !typed.is_empty() {
        line.push(
            format!(" {}", printable(&typed.to_uppercase())),
            Some(Colour::Heading),
        );
        line.push(" ", Some(Colour::Selected));
        return line;
    }
    // The chosen signal comes first, so that it is visible on any terminal.
    for index in 0..SIGNALS.len() {
        let name = SIGNALS[(choice + index) % SIGNALS.len()];
        line.push(" ", None);
        line.push(name, (index == 0).then_some(Colour::Selected));
    }
    line.push(
        "  left, right or type a name, Enter sends, Esc cancels",
        Some(Colour::Dim),
    );
    line
}

/// A line with the name of the selected session, and its screen, or as many of the last rows as fit.
fn preview(app: &App, rows: usize) -> Vec<Line> {
    let (_, columns) = app.size;
    let Some(session) = app.selected() else {
        return Vec::new();
    };
    let title = format!("── {} ──", printable(label(session)));
    let rule = "─".repeat(columns.saturating_sub(title.chars().count()));
    let mut lines = vec![Line::of(format!("{title}{rule}"), Some(Colour::Dim))];
    let Some(preview) = &app.preview else {
        return lines;
    };
    if preview.session == session.text("session_id") {
        let used = preview.lines.iter().rposition(|line| !line.is_empty());
        let end = used.map_or(0, |last| last + 1);
        let first = end.saturating_sub(rows - 1);
        let text = preview.lines[first..end].iter();
        lines.extend(text.map(|line| Line::of(printable(line), None)));
    }
    lines
}

#[cfg(test)]
#[path = "view_tests.rs"]
mod tests;
