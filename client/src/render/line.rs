//! Lines of coloured text, and their width on a terminal.

use super::clean::printable;
use super::style::{Colour, Style};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

const CUT: char = '…';

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Line(Vec<(String, Option<Colour>)>);

impl Line {
    pub(crate) fn of(text: impl Into<String>, colour: Option<Colour>) -> Self {
        Self(vec![(text.into(), colour)])
    }

    /// A line of this text in one colour, padded with spaces to `columns`.
    pub(crate) fn filled(self, columns: usize, colour: Colour) -> Self {
        let blanks = columns.saturating_sub(self.width());
        let text: String = self.0.into_iter().map(|(text, _)| text).collect();
        Self::of(text + &" ".repeat(blanks), Some(colour))
    }

    /// A line of a list, truncated to `columns`; the selected one is filled.
    pub(crate) fn in_list(self, is_selected: bool, columns: usize) -> Self {
        let line = self.cut(columns);
        if is_selected {
            line.filled(columns, Colour::Selected)
        } else {
            line
        }
    }

    /// A text that is being typed, after a prompt, with the cursor; if it is too long, without its start.
    pub(crate) fn typed(prompt: &str, text: &str, columns: usize) -> Self {
        let text = printable(text);
        let room = columns.saturating_sub(width(prompt) + 1);
        let skipped = text.chars().count().saturating_sub(room);
        let mut line = Self::of(prompt, Some(Colour::Dim));
        line.push(text.chars().skip(skipped).collect::<String>(), None);
        line.push(" ", Some(Colour::Selected));
        line
    }

    pub(crate) fn push(&mut self, text: impl Into<String>, colour: Option<Colour>) {
        let text = text.into();
        match self.0.last_mut() {
            _ if text.is_empty() => {}
            Some((last, same)) if *same == colour => last.push_str(&text),
            _ => self.0.push((text, colour)),
        }
    }

    pub(crate) fn append(&mut self, other: Self) {
        for (text, colour) in other.0 {
            self.push(text, colour);
        }
    }

    /// The text without colours.
    pub(crate) fn text(&self) -> String {
        self.0.iter().map(|(text, _)| text.as_str()).collect()
    }

    /// The same line, with this colour where it has none.
    pub(crate) fn or_colour(mut self, colour: Option<Colour>) -> Self {
        self.0.iter_mut().for_each(|(_, own)| *own = own.or(colour));
        self
    }

    /// The first colour in the line.
    pub(crate) fn colour(&self) -> Option<Colour> {
        self.0.iter().find_map(|(_, colour)| *colour)
    }

    /// The same line, truncated or padded with spaces to `columns`.
    pub(crate) fn fitted(self, columns: usize) -> Self {
        let mut line = self.cut(columns);
        let blanks = columns.saturating_sub(line.width());
        line.push(" ".repeat(blanks), None);
        line
    }

    pub(crate) fn width(&self) -> usize {
        self.0.iter().map(|(text, _)| width(text)).sum()
    }

    /// The same line, truncated if it is wider than `columns`.
    pub(crate) fn cut(self, columns: usize) -> Self {
        if self.width() <= columns {
            return self;
        }
        let mut left = columns;
        let mut pieces = Vec::new();
        for (text, colour) in self.0 {
            let text = match width(&text) {
                // One column is kept for the mark, because not everything fits.
                wide if wide < left => text,
                _ => cut(&format!("{text}{CUT}{CUT}"), left),
            };
            left -= width(&text);
            let is_cut = text.ends_with(CUT);
            pieces.push((text, colour));
            if left == 0 || is_cut {
                break;
            }
        }
        Self(pieces)
    }

    pub(crate) fn painted(&self, style: Style) -> String {
        let paint = |(text, colour): &(String, Option<Colour>)| match colour {
            Some(colour) if !text.is_empty() => style.paint(*colour, text),
            _ => text.clone(),
        };
        self.0.iter().map(paint).collect()
    }
}

/// Returns the first item to show of a list of `len` with `room` lines, so that the selected one is among them; `first` was
/// shown before. If there is room for more, the list starts further up.
pub(crate) fn scrolled(first: usize, selected: usize, len: usize, room: usize) -> usize {
    let least = (selected + 1).saturating_sub(room);
    let most = len.saturating_sub(room).max(least);
    first.clamp(least, most).min(selected)
}

/// A horizontal bar of at most `columns` columns, to an eighth of a column; never empty for a value above 0.
pub(crate) fn bar(value: u64, most: u64, columns: usize, is_utf8: bool) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let part = value as f64 / most.max(1) as f64;
    let eighths = (part * columns as f64 * 8.0).round() as usize;
    let eighths = eighths.max(usize::from(value > 0));
    if is_utf8 {
        "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
    } else {
        "#".repeat(eighths.div_ceil(8))
    }
}

/// The width of a text on a terminal, in columns.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// Returns as much of a text as fits into `columns`, with a mark at the end if it was truncated.
pub(crate) fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut short = String::new();
    let mut used = 1;
    for c in text.chars() {
        used += c.width().unwrap_or_default();
        if used > columns {
            break;
        }
        short.push(c);
    }
    if columns > 0 {
        short.push(CUT);
    }
    short
}

/// Cuts a text at its start: the end of a path says most.
pub(crate) fn cut_start(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let skipped = text
        .chars()
        .count()
        .saturating_sub(columns.saturating_sub(1));
    let end: String = text.chars().skip(skipped).collect();
    format!("…{end}")
}

/// Returns as much of the start of a text as fits into `columns`, but at least one character.
pub(crate) fn start(text: &str, columns: usize) -> &str {
    let mut used = 0;
    let end = text.char_indices().find(|(at, c)| {
        used += c.width().unwrap_or_default();
        used > columns && *at > 0
    });
    end.map_or(text, |(at, _)| &text[..at])
}

/// Splits a text into parts that fit into `columns` each, with at least one character.
pub(crate) fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let (mut parts, mut rest) = (Vec::new(), text);
    loop {
        let part = start(rest, columns);
        parts.push(part.to_owned());
        rest = &rest[part.len()..];
        if rest.is_empty() {
            return parts;
        }
    }
}

/// Splits a line at spaces, so that each part fits into `columns`; a longer word is cut.
pub(crate) fn wrapped_at_spaces(line: &str, columns: usize) -> Vec<String> {
    let line = line.replace('\t', "    ");
    let mut parts: Vec<String> = Vec::new();
    let mut rest = line.as_str();
    loop {
        let first = start(rest, columns);
        if first.len() >= rest.len() {
            parts.push(rest.to_owned());
            return parts;
        }
        let at = match (rest.as_bytes()[first.len()], first.rfind(' ')) {
            (b' ', _) => first.len(),
            // Not at the spaces at its start, which are its indentation.
            (_, Some(space)) if !first[..space].trim().is_empty() => space,
            _ => first.len(),
        };
        parts.push(rest[..at].trim_end().to_owned());
        rest = rest[at..].trim_start();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn wide_characters_count_twice_and_are_wrapped_whole_and_marks_count_nothing() {
        assert_eq!(["世界", "e\u{301}"].map(width), [4, 1]);
        for (columns, shown) in [(5, "世界…"), (4, "世…")] {
            assert_eq!(cut("世界人", columns), shown);
        }
        assert_eq!(
            [3, 2, 0].map(|columns| cut("abc", columns)),
            ["abc", "a…", ""]
        );
        assert_eq!(wrapped("ab世界", 3), ["ab", "世", "界"]);
        assert_eq!(wrapped("", 3), [""]);
        assert_eq!(wrapped("ab", 0), ["a", "b"]);
        assert_eq!(start("ab世界", 3), "ab");
        assert_eq!((start("", 3), start("世a", 0)), ("", "世"));
    }

    #[test]
    fn a_line_is_cut_in_the_piece_where_it_ends() {
        let mut line = Line::default();
        line.push("ab", Some(Colour::Good));
        line.push("cdef", None);
        line.push("gh", None);
        let plain = |line: Line| line.painted(Style::default());
        let cut = [8, 7, 4, 2, 0].map(|columns| plain(line.clone().cut(columns)));
        assert_eq!(cut, ["abcdefgh", "abcdef…", "abc…", "a…", ""]);
    }

    proptest! {
        #[test]
        fn what_is_cut_fits(pieces in prop::collection::vec("\\PC{0,6}", 0..4), columns in 0..20_usize) {
            let mut line = Line::default();
            for piece in &pieces {
                line.push(piece.as_str(), None);
            }
            let all = line.width();
            let short = line.cut(columns);
            prop_assert!(short.width() <= columns.max(all.min(columns)));
        }
    }
}
