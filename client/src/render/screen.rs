//! Screens.

use super::Printer;
use super::form::plain;
use super::page::columns;
use crate::fields::Fields as _;
use crate::writer::escape;
use ccd_protocol::session::is_safe_link;
use serde_json::Value;
use std::io;

/// Writes the rows except empty ones at the end, in colour if that is wanted.
pub(crate) fn screen(reply: &Value, out: &mut Printer<'_>) -> io::Result<()> {
    let cells = reply.list("cells").iter();
    let rows: Vec<String> = if out.style.has_colour && reply["cells"].is_array() {
        cells.map(|runs| coloured(runs.list("."))).collect()
    } else {
        let lines = reply.list("lines").iter();
        lines.map(|line| line.text(".").to_owned()).collect()
    };
    let last = rows.iter().rposition(|row| !row.is_empty());
    let mut used = rows[..last.map_or(0, |last| last + 1)].iter();
    used.try_for_each(|row| writeln!(out, "{row}"))
}

/// Writes one line per run of cells with the same style.
pub(crate) fn runs(reply: &Value, out: &mut Printer<'_>) -> io::Result<()> {
    let rows = (reply.number("first_row")..).zip(reply.list("cells"));
    let shown = |number: u64, run: &Value| {
        let mut run = run.clone();
        run["style"] = words(&run).into();
        run["row"] = number.into();
        run
    };
    let runs = rows.flat_map(|(number, runs)| {
        let runs = runs.list(".").iter();
        runs.map(move |run| shown(number, run))
    });
    let runs: Vec<Value> = runs.collect();
    out.list(&runs, &columns("session.screen runs"))
}

fn coloured(runs: &[Value]) -> String {
    let (mut row, escape) = (String::new(), escape());
    for run in runs {
        let (codes, text) = (codes(run), run.text("text"));
        let link = Some(run.text("link")).filter(|link| is_safe_link(link));
        if let Some(link) = link {
            row += &format!("{escape}]8;;{link}{escape}\\");
        }
        row += &match &*codes {
            "" => text.to_owned(),
            codes => format!("{escape}[{codes}m{text}{escape}[0m"),
        };
        if link.is_some() {
            row += &format!("{escape}]8;;{escape}\\");
        }
    }
    row
}

/// Flags of a style with their SGR numbers, and styles of underlines with theirs.
const FLAGS: [(&str, u8); 8] = [
    ("bold", 1),
    ("dim", 2),
    ("italic", 3),
    ("underline", 4),
    ("blink", 5),
    ("inverse", 7),
    ("hidden", 8),
    ("strikethrough", 9),
];
const UNDERLINES: [&str; 4] = ["double", "curly", "dotted", "dashed"];

fn codes(style: &Value) -> String {
    let flags = FLAGS.iter().filter(|(name, _)| style.has(name));
    let mut codes: Vec<String> = flags.map(|(_, number)| number.to_string()).collect();
    let kind = { UNDERLINES.iter() }.position(|kind| style.text("underline_style") == *kind);
    codes.extend(kind.map(|kind| format!("4:{}", kind + 2)));
    codes.extend(match numbers(style.at("underline_color")).as_slice() {
        [index] => Some(format!("58:5:{index}")),
        [red, green, blue] => Some(format!("58:2::{red}:{green}:{blue}")),
        _ => None,
    });
    for (name, ground) in [("fg", 38), ("bg", 48)] {
        codes.extend(match numbers(style.at(name)).as_slice() {
            [index @ 0..8] => Some((ground - 8 + index).to_string()),
            [index] => Some(format!("{ground};5;{index}")),
            [red, green, blue] => Some(format!("{ground};2;{red};{green};{blue}")),
            _ => None,
        });
    }
    codes.join(";")
}

/// The number of a colour in the palette, or its three parts.
fn numbers(color: &Value) -> Vec<u64> {
    let hex = color.text(".").strip_prefix('#').unwrap_or_default();
    let part = |at: usize| u64::from_str_radix(hex.get(at..at + 2)?, 16).ok();
    match color.as_u64() {
        Some(index) => vec![index],
        None => [0, 2, 4].into_iter().filter_map(part).collect(),
    }
}

fn words(style: &Value) -> String {
    let named = |name: &str| Some(format!("{name}={}", plain(style.get(name)?)));
    let colors = ["fg", "bg", "underline_color"]
        .into_iter()
        .filter_map(named);
    let flags = FLAGS.iter().filter(|(name, _)| style.has(name));
    let flags = flags.map(|(name, _)| (*name).to_owned());
    let more = ["underline_style", "link"].into_iter().filter_map(named);
    let words: Vec<String> = colors.chain(flags).chain(more).collect();
    match words.join(",") {
        none if none.is_empty() => "-".to_owned(),
        words => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::Style;
    use crate::render::printer::printed_in;
    use serde_json::json;

    fn reply() -> Value {
        json!({
            "rows": 3, "cols": 9, "cursor": {"row": 0, "col": 0, "visible": true}, "title": "", "alternate": false, "offset": 0,
            "lines": ["ab c", "", ""],
            "cells": [
                [{"col": 0, "width": 3, "text": "ab "}, {"col": 3, "width": 1, "text": "c", "fg": 2, "bg": "#010203", "bold": true}],
                [{"col": 0, "width": 2, "text": "  ", "bg": 200}],
                [],
            ],
        })
    }

    fn written(
        write: impl Fn(&Value, &mut Printer<'_>) -> io::Result<()>,
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
