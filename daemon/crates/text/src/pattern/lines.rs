//! Splits a text into lines with their positions.

use std::ops::Range;

/// Maximum part of a line that is searched for patterns.
pub(super) const MAX_LINE_BYTES: usize = 64 << 10;

/// One line, without its line end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line<'a> {
    /// Where it starts in the text.
    pub(super) start: usize,
    /// Counted from 1, by newlines.
    pub(super) number: usize,
    pub(super) text: &'a str,
}

impl<'a> Line<'a> {
    pub(super) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    pub(super) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Returns its first [`MAX_LINE_BYTES`], and whether it is longer.
    pub(super) fn head(&self) -> (&'a str, bool) {
        let end = self.text.floor_char_boundary(MAX_LINE_BYTES);
        (&self.text[..end], end < self.text.len())
    }

    /// Returns the width of its indentation; a tab counts as one column.
    pub(super) fn indent(&self) -> usize {
        self.text.len() - self.text.trim_start().len()
    }
}

/// Returns the lines of a text; a carriage return starts a line again, as on a screen.
/// The last one is the text after the last newline, which may be empty.
pub(super) fn lines(text: &str) -> Vec<Line<'_>> {
    let (mut start, mut number) = (0, 1);
    let mut lines = Vec::new();
    for part in text.split_inclusive(['\n', '\r']) {
        let line = part.trim_end_matches(['\n', '\r']);
        lines.push(Line {
            start,
            number,
            text: line,
        });
        start += part.len();
        number += usize::from(part.ends_with('\n'));
    }
    if text.is_empty() || text.ends_with(['\n', '\r']) {
        lines.push(Line {
            start,
            number,
            text: "",
        });
    }
    lines
}

/// Returns runs of at least `least` lines for which `belongs` is true.
pub(super) fn runs<'l, 'a>(
    lines: &'l [Line<'a>],
    least: usize,
    belongs: impl Fn(&Line<'a>) -> bool,
) -> Vec<&'l [Line<'a>]> {
    lines
        .split(|line| !belongs(line))
        .filter(|run| run.len() >= least)
        .collect()
}

/// From the start of the first line to the end of the last one.
pub(super) fn span_of(lines: &[Line<'_>]) -> Range<usize> {
    match (lines.first(), lines.last()) {
        (Some(first), Some(last)) => first.start..last.end(),
        _ => 0..0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_know_their_place_and_number() {
        let found: Vec<_> = lines("ab\n\rcé\rd\n")
            .iter()
            .map(|line| (line.start, line.number, line.text))
            .collect();
        assert_eq!(
            found,
            [
                (0, 1, "ab"),
                (3, 2, ""),
                (4, 2, "cé"),
                (8, 2, "d"),
                (10, 3, "")
            ]
        );
        assert_eq!(lines("").len(), 1);
    }

    #[test]
    fn a_long_line_is_cut_between_characters() {
        let long = format!("x{}", "é".repeat(MAX_LINE_BYTES));
        let (head, is_cut) = lines(&long)[0].head();
        assert!(is_cut && head.len() == MAX_LINE_BYTES - 1);
    }
}
