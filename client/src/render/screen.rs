//! Screens.

use super::Printer;
use super::page::columns;
use crate::writer::escape;
use ccd_protocol::session::{CellRun, CellStyle, Color, SessionScreenReply};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io;

/// Writes the rows except empty ones at the end, in colour if that is wanted.
pub(crate) fn screen(reply: &SessionScreenReply, out: &mut Printer<'_>) -> io::Result<()> {
    let rows: Vec<String> = match &reply.cells {
        Some(cells) if out.style.has_colour => cells.iter().map(|runs| coloured(runs)).collect(),
        _ => reply.lines.clone(),
    };
    let last = rows.iter().rposition(|row| !row.is_empty());
    let used = last.map_or(0, |last| last + 1);
    rows[..used]
        .iter()
        .try_for_each(|row| writeln!(out, "{row}"))
}

/// Writes one line per run of cells with the same style.
pub(crate) fn runs(reply: &SessionScreenReply, out: &mut Printer<'_>) -> io::Result<()> {
    let rows = (reply.first_row..).zip(reply.cells.iter().flatten());
    let row = |row, run: &CellRun| {
        let style = words(&run.style);
        json!({"row": row, "col": run.col, "width": run.width, "style": style, "text": run.text})
    };
    let runs = rows.flat_map(|(number, runs)| runs.iter().map(move |run| row(number, run)));
    let runs: Vec<Value> = runs.collect();
    out.list(&runs, &columns("session.screen runs"))
}

fn coloured(runs: &[CellRun]) -> String {
    let (mut row, escape) = (String::new(), escape());
    for run in runs {
        let codes = codes(&run.style);
        let link = run.style.safe_link();
        if let Some(link) = link {
            // Writing to a string cannot fail.
            let _ = write!(row, "{escape}]8;;{link}{escape}\\");
        }
        let _ = if codes.is_empty() {
            write!(row, "{}", run.text)
        } else {
            write!(row, "{escape}[{codes}m{}{escape}[0m", run.text)
        };
        if link.is_some() {
            let _ = write!(row, "{escape}]8;;{escape}\\");
        }
    }
    row
}

/// The flags that are set, with their names and their SGR numbers.
fn flags(style: &CellStyle) -> impl Iterator<Item = (&'static str, u8)> {
    let flags = [
        (style.bold, ("bold", 1)),
        (style.dim, ("dim", 2)),
        (style.italic, ("italic", 3)),
        (style.underline, ("underline", 4)),
        (style.blink, ("blink", 5)),
        (style.inverse, ("inverse", 7)),
        (style.hidden, ("hidden", 8)),
        (style.strikethrough, ("strikethrough", 9)),
    ];
    let on = flags.into_iter().filter(|(is_on, _)| *is_on);
    on.map(|(_, flag)| flag)
}

fn codes(style: &CellStyle) -> String {
    let flags = flags(style).map(|(_, number)| number.to_string());
    let colors = [(style.fg, 38), (style.bg, 48)];
    let colors = colors.into_iter().filter_map(|(color, ground)| {
        Some(match color? {
            Color::Indexed(index @ 0..8) => (ground - 8 + index).to_string(),
            Color::Indexed(index) => format!("{ground};5;{index}"),
            Color::Rgb(red, green, blue) => format!("{ground};2;{red};{green};{blue}"),
        })
    });
    let underline = style
        .underline_style
        .map(|kind| format!("4:{}", kind as u8))
        .into_iter()
        .chain(style.underline_color.map(|color| match color {
            Color::Indexed(index) => format!("58:5:{index}"),
            Color::Rgb(red, green, blue) => format!("58:2::{red}:{green}:{blue}"),
        }));
    let all = flags.chain(underline).chain(colors);
    all.collect::<Vec<_>>().join(";")
}

fn words(style: &CellStyle) -> String {
    let colors = [
        (style.fg, "fg"),
        (style.bg, "bg"),
        (style.underline_color, "underline_color"),
    ];
    let colors = colors
        .into_iter()
        .filter_map(|(color, ground)| Some(format!("{ground}={}", color?)));
    let flags = flags(style).map(|(name, _)| name.to_owned());
    let kind = style
        .underline_style
        .map(|kind| format!("underline_style={}", format!("{kind:?}").to_lowercase()));
    let link = style.link.as_ref().map(|link| format!("link={link}"));
    let words: Vec<String> = colors.chain(flags).chain(kind).chain(link).collect();
    if words.is_empty() {
        "-".to_owned()
    } else {
        words.join(",")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::Style;
    use crate::render::printer::printed_in;
    use serde_json::json;

    fn reply() -> SessionScreenReply {
        serde_json::from_value(json!({
            "rows": 3, "cols": 9, "cursor": {"row": 0, "col": 0, "visible": true}, "title": "", "alternate": false, "offset": 0,
            "lines": ["ab c", "", ""],
            "cells": [
                [{"col": 0, "width": 3, "text": "ab "}, {"col": 3, "width": 1, "text": "c", "fg": 2, "bg": "#010203", "bold": true}],
                [{"col": 0, "width": 2, "text": "  ", "bg": 200}],
                [],
            ],
        }))
        .unwrap()
    }

    fn written(
        write: impl Fn(&SessionScreenReply, &mut Printer<'_>) -> io::Result<()>,
        has_colour: bool,
    ) -> String {
        let style = Style {
            has_colour,
            ..Style::default()
        };
        printed_in(style, None, |out| write(&reply(), out))
    }

    #[test]
    fn a_screen_is_plain_text_or_in_its_colours() {
        assert_eq!(written(screen, false), "ab c\n");
        assert_eq!(
            crate::writer::visible(&written(screen, true)),
            "ab \x1b[1;32;48;2;1;2;3mc\x1b[0m\n\x1b[48;5;200m  \x1b[0m\n"
        );
    }

    #[test]
    fn runs_tell_their_style() {
        let lines = written(runs, false);
        let second: Vec<&str> = lines.lines().nth(1).unwrap().split_whitespace().collect();
        assert_eq!(second, ["0", "3", "1", "fg=2,bg=#010203,bold", "\"c\""]);
    }
}
