//! A text that is longer than the screen.

use crate::fullscreen::{Key, moved};
use crate::render::{printable, wrapped};

const TAB: usize = 8;

#[derive(Debug)]
pub(super) struct Pager {
    pub(super) title: String,
    lines: Vec<String>,
    /// The first line shown, counted after wrapping.
    first: usize,
    /// True if the last lines are shown, whatever the size.
    at_end: bool,
}

impl Pager {
    /// Shows a text from its end, or from its start.
    pub(super) fn new(title: String, text: &str, at_end: bool) -> Self {
        let mut lines: Vec<String> = text.lines().map(shown).collect();
        if lines.is_empty() {
            lines.push("(no output)".to_owned());
        }
        Self {
            title,
            lines,
            first: 0,
            at_end,
        }
    }

    /// Returns the lines of a page, and which part of the text they are.
    pub(super) fn page(&mut self, rows: usize, columns: usize) -> (Vec<String>, String) {
        let all: Vec<String> = self
            .lines
            .iter()
            .flat_map(|line| wrapped(line, columns))
            .collect();
        let last = all.len().saturating_sub(rows);
        self.first = if self.at_end {
            last
        } else {
            self.first.min(last)
        };
        let end = (self.first + rows).min(all.len());
        let place = format!("{}-{end} of {}", self.first + 1, all.len());
        (all[self.first..end].to_vec(), place)
    }

    /// Moves; false if the key has no meaning here.
    pub(super) fn key(&mut self, key: Key, rows: usize) -> bool {
        let page = rows.saturating_sub(1).max(1);
        let key = match key {
            Key::Enter => Key::Down,
            Key::Char('b') => Key::PageUp,
            Key::Char(' ' | 'f') => Key::PageDown,
            key => key.as_in_less(),
        };
        // How many lines there are depends on the width.
        let Some(first) = moved(key, self.first, usize::MAX, page) else {
            return false;
        };
        self.first = first;
        self.at_end = key == Key::End;
        true
    }
}

/// A line as a terminal would show it: text after a carriage return replaces the text before it; tabs become spaces.
fn shown(line: &str) -> String {
    let last = line.trim_end_matches('\r').rsplit('\r').next();
    let mut text = String::new();
    for c in last.unwrap_or_default().chars() {
        if c == '\t' {
            let used = text.chars().count();
            text.push_str(&" ".repeat(TAB - used % TAB));
        } else {
            text.push(c);
        }
    }
    printable(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pager() -> Pager {
        let text: Vec<String> = (1..=10).map(|number| format!("line {number}")).collect();
        Pager::new("t".to_owned(), &text.join("\n"), true)
    }

    #[test]
    fn it_begins_at_the_end_and_stays_within_the_text() {
        let mut pager = pager();
        let (lines, place) = pager.page(3, 80);
        assert_eq!(lines, ["line 8", "line 9", "line 10"]);
        assert_eq!(place, "8-10 of 10");
        assert!(pager.key(Key::Down, 3));
        assert_eq!(pager.page(3, 80).1, "8-10 of 10");
        pager.key(Key::PageUp, 3);
        assert_eq!(pager.page(3, 80).1, "6-8 of 10");
        pager.key(Key::Home, 3);
        pager.key(Key::Up, 3);
        assert_eq!(pager.page(3, 80).0[0], "line 1");
        pager.key(Key::End, 3);
        assert_eq!(pager.page(4, 80).1, "7-10 of 10");
        assert!(!pager.key(Key::Escape, 3));
    }

    #[test]
    fn long_lines_are_wrapped_and_nothing_acts_on_the_terminal() {
        let mut pager = Pager::new("t".to_owned(), "abcdef\nold\rnew\r\na\tb\x07", false);
        let (lines, place) = pager.page(9, 4);
        assert_eq!(lines[..3], ["abcd", "ef", "new"]);
        assert_eq!(lines[3..].concat(), "a       b\\u{7}");
        assert_eq!(place, format!("1-{0} of {0}", lines.len()));
        let mut empty = Pager::new("t".to_owned(), "", true);
        assert_eq!(empty.page(2, 80).0, ["(no output)"]);
    }
}
