//! What the terminal shows, line by line: only changed lines are written.

use crate::render::{Line, Style};
use crate::writer::escape;
use std::fmt::Write as _;

#[derive(Debug, Default)]
pub(super) struct Canvas {
    rows: usize,
    columns: usize,
    /// `None` for a line whose content on the terminal is unknown.
    shown: Vec<Option<String>>,
}

impl Canvas {
    /// Forgets what is shown and sets the size, so that everything is written next time.
    pub(super) fn reset(&mut self, (rows, columns): (usize, usize)) {
        (self.rows, self.columns) = (rows, columns);
        self.shown = vec![None; rows];
    }

    pub(super) fn size(&self) -> (usize, usize) {
        (self.rows, self.columns)
    }

    /// Returns the control sequences that show these lines; empty if they are the same as the last ones.
    pub(super) fn draw(&mut self, lines: &[Line], style: Style) -> String {
        let (mut text, escape) = (String::new(), escape());
        let is_new = self.shown.iter().all(Option::is_none);
        if is_new {
            let _ = write!(text, "{escape}[0m{escape}[2J");
        }
        let none = Line::default();
        for (row, shown) in self.shown.iter_mut().enumerate() {
            let line = lines.get(row).unwrap_or(&none).clone().cut(self.columns);
            let painted = line.painted(style);
            if shown.as_ref() == Some(&painted) {
                continue;
            }
            let _ = write!(text, "{escape}[{};1H{painted}", row + 1);
            // After the last column the cursor has not moved on, and clearing would delete the last character.
            if line.width() < self.columns {
                let _ = write!(text, "{escape}[K");
            }
            *shown = Some(painted);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::writer::visible;

    fn lines(texts: &[&str]) -> Vec<Line> {
        texts.iter().map(|text| Line::of(*text, None)).collect()
    }

    #[test]
    fn only_what_has_changed_is_written() {
        let mut canvas = Canvas::default();
        canvas.reset((3, 4));
        let draw = |canvas: &mut Canvas, texts: &[&str]| {
            visible(&canvas.draw(&lines(texts), Style::default()))
        };
        let first = draw(&mut canvas, &["ab", "cdef"]);
        assert_eq!(
            first,
            "\x1b[0m\x1b[2J\x1b[1;1Hab\x1b[K\x1b[2;1Hcdef\x1b[3;1H\x1b[K"
        );
        assert_eq!(draw(&mut canvas, &["ab", "cdef"]), "");
        let changed = draw(&mut canvas, &["ab", "x", "too long"]);
        assert_eq!(changed, "\x1b[2;1Hx\x1b[K\x1b[3;1Htoo…");
        canvas.reset((1, 9));
        let again = draw(&mut canvas, &["ab", "not shown"]);
        assert_eq!(again, "\x1b[0m\x1b[2J\x1b[1;1Hab\x1b[K");
    }
}
