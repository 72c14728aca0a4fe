//! Places text: neighbouring characters together, those that a font may draw too wide or narrow alone.

use super::super::image::{BASELINE, CELL_HEIGHT, CELL_WIDTH};
use super::super::palette::Rgb;
use super::layer::hex;
use std::fmt::Write as _;

/// The style sheet of text that blinks, except for those who want no motion.
pub(super) const BLINK: &str = "@media (prefers-reduced-motion:no-preference){.blink{animation:blink 1s steps(1,end) infinite}}@keyframes blink{50%{opacity:0}}";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TextLook {
    pub(super) color: Rgb,
    pub(super) bold: bool,
    pub(super) italic: bool,
    pub(super) blink: bool,
}

/// The texts of an image, row by row.
#[derive(Debug)]
pub(super) struct Texts {
    default_color: Rgb,
    open: Option<OpenText>,
    /// Texts that start at their position.
    lines: String,
    /// Texts that are centred in their cells.
    singles: String,
    blinks: bool,
}

/// A text that may be continued.
#[derive(Debug)]
struct OpenText {
    row: u32,
    col: u16,
    /// Column after the last character.
    end: u16,
    text: String,
    look: TextLook,
}

impl Texts {
    /// Returns an empty list; text of `default_color` gets no colour attribute.
    pub(super) fn new(default_color: Rgb) -> Self {
        Self {
            default_color,
            open: None,
            lines: String::new(),
            singles: String::new(),
            blinks: false,
        }
    }

    /// Adds the contents of a cell; `width` is 2 for a wide character.
    pub(super) fn push(&mut self, (row, col): (u32, u16), width: u16, text: &str, look: TextLook) {
        self.blinks |= look.blink;
        if !is_in_every_font(text) {
            self.flush();
            self.single((row, col), width, text, look);
            return;
        }
        // A text may contain single blanks. Viewers would reduce several blanks, or remove those at its ends.
        if let Some(open) = &mut self.open
            && (open.row, open.look) == (row, look)
            && (col == open.end || col == open.end + 1)
        {
            if col > open.end {
                open.text.push(' ');
            }
            open.text.push_str(text);
            open.end = col + 1;
            return;
        }
        self.flush();
        self.open = Some(OpenText {
            row,
            col,
            end: col + 1,
            text: text.to_owned(),
            look,
        });
    }

    /// Returns the approximate length that this adds to the image. Returns whether a text needs [`BLINK`].
    pub(super) fn blinks(&self) -> bool {
        self.blinks
    }

    pub(super) fn len_bytes(&self) -> usize {
        self.lines.len() + self.singles.len()
    }

    pub(super) fn write(mut self, out: &mut String) {
        self.flush();
        out.push_str(&self.lines);
        if !self.singles.is_empty() {
            let _ = write!(out, "<g text-anchor=\"middle\">\n{}</g>\n", self.singles);
        }
    }

    fn flush(&mut self) {
        let Some(open) = self.open.take() else { return };
        let x = u32::from(open.col) * CELL_WIDTH;
        let line = &mut self.lines;
        let _ = write!(line, "<text x=\"{x}\" y=\"{}\"", baseline(open.row));
        // Whatever the font, the last character is at its position.
        if open.end - open.col > 1 {
            let len = u32::from(open.end - open.col) * CELL_WIDTH;
            let _ = write!(line, " textLength=\"{len}\"");
        }
        end(line, &open.text, open.look, self.default_color);
    }

    fn single(&mut self, (row, col): (u32, u16), width: u16, text: &str, look: TextLook) {
        let middle = f64::from(u32::from(2 * col + width) * CELL_WIDTH) / 2.0;
        let line = &mut self.singles;
        let _ = write!(line, "<text x=\"{middle}\" y=\"{}\"", baseline(row));
        // A symbol from a font of another width is often too wide. Letters are rather too narrow, and look bad when
        // stretched.
        if width == 1 && !text.starts_with(char::is_alphabetic) {
            let _ = write!(
                line,
                " textLength=\"{CELL_WIDTH}\" lengthAdjust=\"spacingAndGlyphs\""
            );
        }
        // A combining character without a base is put on a blank.
        let text = text.replace(' ', "\u{a0}");
        end(line, &text, look, self.default_color);
    }
}

fn end(line: &mut String, text: &str, look: TextLook, default_color: Rgb) {
    if look.color != default_color {
        let _ = write!(line, " fill=\"{}\"", hex(look.color));
    }
    if look.bold {
        line.push_str(" font-weight=\"bold\"");
    }
    if look.italic {
        line.push_str(" font-style=\"italic\"");
    }
    if look.blink {
        line.push_str(" class=\"blink\"");
    }
    line.push('>');
    push_escaped(line, text);
    line.push_str("</text>\n");
}

/// Appends `text` as the content of an element; characters that XML does not allow become U+FFFD.
pub(super) fn push_escaped(out: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => {
                out.push('\u{fffd}');
            }
            other => out.push(other),
        }
    }
}

fn baseline(row: u32) -> u32 {
    row * CELL_HEIGHT + BASELINE
}

/// Returns whether `text` is one left-to-right character that all fixed-width fonts contain.
fn is_in_every_font(text: &str) -> bool {
    let mut characters = text.chars();
    let is_common = |character| {
        matches!(character,
            ' '..='~' | '\u{a1}'..='\u{ac}' | '\u{ae}'..='\u{17f}' | 'Α'..='Ω' | 'α'..='ω' | 'Ѐ'..='џ'
            | '\u{2010}'..='\u{2027}')
    };
    characters.next().is_some_and(is_common) && characters.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHITE: TextLook = TextLook {
        color: (255, 255, 255),
        bold: false,
        italic: false,
        blink: false,
    };

    fn drawn(cells: &[(u16, u16, &str, TextLook)]) -> String {
        let mut texts = Texts::new(WHITE.color);
        for (col, width, text, look) in cells {
            texts.push((1, *col), *width, text, *look);
        }
        let mut out = String::new();
        texts.write(&mut out);
        out
    }

    #[test]
    fn neighbours_of_one_look_are_one_text() {
        let bold = TextLook {
            bold: true,
            italic: true,
            blink: false,
            color: (1, 2, 3),
        };
        let line = |col| (col, 1, "a", WHITE);
        assert_eq!(
            drawn(&[line(0), line(1), line(3), line(14), (15, 1, "<", bold)]),
            "<text x=\"0\" y=\"32\" textLength=\"36\">aa a</text>\n\
             <text x=\"126\" y=\"32\">a</text>\n\
             <text x=\"135\" y=\"32\" fill=\"#010203\" font-weight=\"bold\" font-style=\"italic\">&lt;</text>\n"
        );
    }

    #[test]
    fn characters_of_other_fonts_stand_alone_in_the_middle() {
        assert_eq!(
            drawn(&[
                (0, 1, "é", WHITE),
                (1, 2, "語", WHITE),
                (3, 1, "e\u{301}", WHITE),
                (4, 1, "✔", WHITE),
                (5, 1, "x", WHITE)
            ]),
            "<text x=\"0\" y=\"32\">é</text>\n<text x=\"45\" y=\"32\">x</text>\n<g text-anchor=\"middle\">\n\
             <text x=\"18\" y=\"32\">語</text>\n\
             <text x=\"31.5\" y=\"32\">e\u{301}</text>\n\
             <text x=\"40.5\" y=\"32\" textLength=\"9\" lengthAdjust=\"spacingAndGlyphs\">✔</text>\n</g>\n"
        );
    }

    #[test]
    fn what_xml_does_not_allow_is_replaced() {
        let mut out = String::new();
        push_escaped(&mut out, "a&<>\"'\u{0}\u{1b}\u{85}\u{fffe}\u{10ffff}");
        assert_eq!(
            out,
            "a&amp;&lt;&gt;&quot;'\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{10ffff}"
        );
    }
}
