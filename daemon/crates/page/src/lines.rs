//! Texts of many lines, in pieces: the page lays out the first one at once, the others when somebody asks for them.

use crate::colour::{self, Colours};
use crate::markup::Markup;
use crate::shown::{bytes, plural};

const FIRST_LINES: usize = 40;
const FIRST_BYTES: usize = 12_000;
const NEXT_LINES: usize = 2000;
const NEXT_BYTES: usize = 120_000;

/// A longer line is several, or laying it out would stop the page.
const LINE_BYTES: usize = 20_000;

/// Lines of an error that are shown at once: the last ones say what went wrong.
const ERROR_LINES: usize = 25;

/// A line: the class of its element, its number or another value, and its text.
pub(crate) struct Line {
    pub(crate) class: &'static str,
    pub(crate) value: String,
    pub(crate) text: Markup,
}

/// Adds a block of lines.
pub(crate) fn block(markup: &mut Markup, kind: &str, lines: &[Line]) {
    let mut rest = add_piece(markup, kind, lines, FIRST_LINES, FIRST_BYTES);
    while !rest.is_empty() {
        markup.open_with("details.more", &plural(rest.len(), "more line"));
        rest = add_piece(markup, kind, rest, NEXT_LINES, NEXT_BYTES);
        markup.close();
    }
}

/// Adds at most so many lines; returns the others.
fn add_piece<'l>(
    markup: &mut Markup,
    kind: &str,
    lines: &'l [Line],
    max_lines: usize,
    max_bytes: usize,
) -> &'l [Line] {
    let mut len_bytes = 0;
    let fits = lines.iter().take(max_lines).take_while(|line| {
        let fits = len_bytes < max_bytes;
        len_bytes += line.text.len_bytes();
        fits
    });
    let (piece, rest) = lines.split_at(fits.count().max(1).min(lines.len()));
    markup.within(kind, |block| {
        for line in piece {
            match line.value.as_str() {
                "" => block.open(line.class),
                value => block.open_with(line.class, value),
            }
            block.append(&line.text);
            if line.text.len_bytes() == 0 {
                // An empty line has a height, and is copied.
                block.text("\n");
            }
            block.close();
        }
    });
    rest
}

/// Adds code with the numbers of its lines, from `first` on if there is one.
pub(crate) fn code(markup: &mut Markup, text: &str, first: Option<u64>, colours: Option<Colours>) {
    if text.lines().any(|line| line.len() > LINE_BYTES) {
        return plain_text(markup, text, "pre.code");
    }
    let lines = colour::lines(text, colours)
        .into_iter()
        .zip(first.unwrap_or(0)..);
    let lines = lines.map(|(text, number)| Line {
        class: "div.line",
        value: first.map(|_| number.to_string()).unwrap_or_default(),
        text,
    });
    block(markup, "pre.code", &lines.collect::<Vec<_>>());
}

/// Adds a text as it is.
pub(crate) fn plain_text(markup: &mut Markup, text: &str, kind: &str) {
    let lines = lines_of(text);
    block(markup, kind, &lines);
}

/// Adds the text of an error, its end first.
pub(crate) fn failure(markup: &mut Markup, text: &str) {
    let lines = lines_of(text);
    let (earlier, last) = lines.split_at(lines.len().saturating_sub(ERROR_LINES));
    if !earlier.is_empty() {
        markup.open_with("details.more", &plural(earlier.len(), "earlier line"));
        block(markup, "pre.text.failed", earlier);
        markup.close();
    }
    block(markup, "pre.text.failed", last);
}

fn lines_of(text: &str) -> Vec<Line> {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let pieces = text.split('\n').flat_map(|line| {
        let mut rest = line.strip_suffix('\r').unwrap_or(line);
        let mut pieces = Vec::new();
        while rest.len() > LINE_BYTES {
            let (piece, after) = rest.split_at(rest.floor_char_boundary(LINE_BYTES));
            pieces.push(piece);
            rest = after;
        }
        pieces.push(rest);
        pieces
    });
    let line = |piece: &str| {
        let mut text = Markup::default();
        text.text(piece);
        Line {
            class: "div",
            value: String::new(),
            text,
        }
    };
    pieces.map(line).collect()
}

/// Says how long a text is that is not shown.
pub(crate) fn size(text: &str) -> String {
    bytes(text.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(count: usize) -> String {
        (1..=count).map(|n| format!("line {n}\n")).collect()
    }

    #[test]
    fn long_texts_come_in_pieces() {
        for (len, pieces) in [(1, 0), (40, 0), (41, 1), (2041, 2)] {
            let mut markup = Markup::default();
            plain_text(&mut markup, &numbered(len), "pre.text");
            assert_eq!(
                markup.bracketed().matches("{details.more|").count(),
                pieces,
                "{len}"
            );
            assert_eq!(markup.texts(), numbered(len).replace('\n', ""), "{len}");
        }
        let mut markup = Markup::default();
        plain_text(&mut markup, &"ä".repeat(50_000), "pre.text");
        assert_eq!(markup.texts().replace('\n', ""), "ä".repeat(50_000));
        assert!(markup.bracketed().contains("|4 more lines:"));
    }

    #[test]
    fn the_end_of_an_error_is_shown_first() {
        let mut markup = Markup::default();
        failure(&mut markup, &numbered(30));
        let shown = markup.bracketed();
        assert!(
            shown.starts_with("{details.more|5 earlier lines:{pre.text.failed:{div:line 1}"),
            "{shown}"
        );
        assert!(
            shown.contains("}}}{pre.text.failed:{div:line 6}"),
            "{shown}"
        );
    }
}
