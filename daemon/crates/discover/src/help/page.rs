//! A help text as lines.

use ccd_text::expect::Cleaned;

const MAX_TEXT_BYTES: usize = 1 << 20;

/// Maximum number of lines, and of characters of a line.
const MAX_LINES: usize = 20_000;
const MAX_LINE_CHARS: usize = 2_000;

/// How far a line of text reaches, in columns, before its sentence goes on in the next line.
const WRAPPED_COLUMNS: usize = 50;

/// Columns between two tab stops.
const TAB_WIDTH: usize = 8;

const GAP: &str = "  ";

/// One line. Columns are counted in characters from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// Column of its first character.
    pub(super) indent: usize,
    /// Without surrounding blanks; empty for a blank line.
    pub(super) text: String,
}

impl Line {
    pub(super) fn is_blank(&self) -> bool {
        self.text.is_empty()
    }

    pub(super) fn first_word(&self) -> &str {
        first_word(&self.text)
    }

    /// Returns what two or more blanks separate.
    pub(super) fn cells(&self) -> impl Iterator<Item = &str> {
        cells(&self.text)
    }

    /// Returns whether its sentence goes on in the next line, as far as its form shows.
    pub(super) fn is_unfinished(&self) -> bool {
        let is_wrapped = self.indent + self.text.chars().count() >= WRAPPED_COLUMNS;
        is_wrapped && !self.text.ends_with(['.', ':', ')']) && !self.is_ruler()
    }

    /// Returns whether it underlines the line above.
    pub(super) fn is_ruler(&self) -> bool {
        self.text.len() >= 3 && self.text.bytes().all(|byte| matches!(byte, b'=' | b'-'))
    }
}

/// The lines of a text, without escape sequences, overstrikes and tabs.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) lines: Vec<Line>,
}

impl Page {
    pub(super) fn parse(raw: &str) -> Self {
        let raw = &raw[..raw.floor_char_boundary(MAX_TEXT_BYTES)];
        let cleaned = Cleaned::new(&without_overstrikes(raw));
        let lines = cleaned.text().lines().take(MAX_LINES).map(line).collect();
        Self { lines }
    }

    pub(super) fn text(&self) -> String {
        let lines = self
            .lines
            .iter()
            .map(|line| format!("{:indent$}{}\n", "", line.text, indent = line.indent));
        lines.collect()
    }

    /// Returns the position of the first line for which `is_wanted` holds.
    pub(super) fn position(&self, is_wanted: impl Fn(&Line) -> bool) -> Option<usize> {
        self.lines.iter().position(is_wanted)
    }

    pub(super) fn has_line(&self, texts: &[&str]) -> bool {
        self.position(|line| texts.contains(&&*line.text)).is_some()
    }

    /// Returns whether an option is `--help`.
    pub(super) fn has_help_option(&self) -> bool {
        let is_help = |line: &Line| line.text.starts_with('-') && line.text.contains("--help");
        self.position(is_help).is_some()
    }

    pub(super) fn first(&self) -> Option<&Line> {
        self.lines.iter().find(|line| !line.is_blank())
    }
}

pub(super) fn first_word(text: &str) -> &str {
    text.split(' ').next().unwrap_or_default()
}

/// Removes a sign between a term and its description.
pub(super) fn without_sign(description: &str) -> &str {
    let signs = ["- ", "-- ", "– ", "— ", ": "];
    let mut rest = signs
        .iter()
        .filter_map(|sign| description.strip_prefix(sign));
    rest.next().unwrap_or(description).trim_start()
}

/// Returns what two or more blanks separate in `text`.
pub(super) fn cells(text: &str) -> impl Iterator<Item = &str> {
    text.split(GAP)
        .map(str::trim)
        .filter(|cell| !cell.is_empty())
}

/// Returns the text before the first gap, and the text after it; `None` if there is no gap.
pub(super) fn split_at_gap(text: &str) -> Option<(&str, &str)> {
    let (before, after) = text.split_once(GAP)?;
    Some((before, after.trim_start()))
}

/// Removes what a printing terminal strikes over: `N\bN` is a bold N, `_\bN` an underlined one.
pub(crate) fn without_overstrikes(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    for character in raw.chars() {
        match character {
            '\u{8}' => drop(text.pop()),
            _ => text.push(character),
        }
    }
    text
}

fn line(raw: &str) -> Line {
    let raw = raw.trim_end();
    let raw = raw.rsplit('\r').next().unwrap_or(raw); // what a screen shows last
    let mut text = String::with_capacity(raw.len());
    let mut column = 0;
    for character in raw.chars().take(MAX_LINE_CHARS) {
        // At least two blanks, so that a tab always separates columns.
        let width = match character {
            '\t' if column % TAB_WIDTH == TAB_WIDTH - 1 => TAB_WIDTH + 1,
            '\t' => TAB_WIDTH - column % TAB_WIDTH,
            _ => {
                text.push(character);
                column += 1;
                continue;
            }
        };
        text.extend(std::iter::repeat_n(' ', width));
        column += width;
    }
    let indent = text
        .chars()
        .take_while(|character| *character == ' ')
        .count();
    Line {
        indent,
        text: text.trim().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_what_a_terminal_shows() {
        let page = Page::parse("N\u{8}NA\u{8}AME\r\n\t-a\tx\n  \u{1b}[1m--b\u{1b}[0m\n1234567\tx");
        let lines: Vec<_> = page.lines.iter().map(|l| (l.indent, &*l.text)).collect();
        assert_eq!(
            lines,
            [
                (0, "NAME"),
                (8, "-a      x"),
                (2, "--b"),
                (0, "1234567         x")
            ]
        );
    }

    #[test]
    fn cells_are_separated_by_two_blanks() {
        let found: Vec<_> = cells("a b  c   d").collect();
        assert_eq!(found, ["a b", "c", "d"]);
        assert_eq!(split_at_gap("-a x    does"), Some(("-a x", "does")));
        assert_eq!(split_at_gap("one word"), None);
    }
}
