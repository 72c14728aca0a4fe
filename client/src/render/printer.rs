//! What text for people is written to.

use super::clean::printable;
use super::line::Line;
use super::style::{Colour, Style};
use std::fmt;
use std::io::{self, Write};

/// Assumed if there is no terminal, or it reports no size.
const DEFAULT_COLUMNS: usize = 80;

/// A stream, how it looks to its reader, and how wide it is.
pub(crate) struct Printer<'a> {
    out: &'a mut dyn Write,
    pub(crate) style: Style,
    /// Columns of the terminal; `None` if there is none, or it reports no size.
    pub(crate) columns: Option<usize>,
    /// Writes notes, which are not a part of the output.
    pub(crate) notes: Option<fn(&str)>,
    /// False if the reader gets JSON, so that what is written here is dropped.
    pub(crate) is_for_people: bool,
    /// True if lines are cut to the width.
    pub(super) cuts: bool,
    /// True if what was written says that the command has failed.
    pub(crate) has_failed: bool,
}

impl<'a> Printer<'a> {
    pub(crate) fn new(out: &'a mut dyn Write, style: Style, columns: Option<usize>) -> Self {
        Self {
            out,
            style,
            columns,
            notes: None,
            is_for_people: true,
            cuts: false,
            has_failed: false,
        }
    }

    /// Writes a note that is not empty, after the output so far.
    pub(crate) fn note(&mut self, text: &str) -> io::Result<()> {
        match self.notes {
            Some(note) if !text.is_empty() => {
                self.flush()?;
                note(text);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The width to draw in.
    pub(crate) fn width(&self) -> usize {
        self.columns.unwrap_or(DEFAULT_COLUMNS)
    }

    /// What is left of a terminal's width after `used` columns, at least `min`; no limit without a terminal.
    pub(crate) fn room_after(&self, used: usize, min: usize) -> usize {
        let columns = self.columns.filter(|_| self.style.is_terminal);
        columns.map_or(usize::MAX, |columns| columns.saturating_sub(used).max(min))
    }

    /// An id: shortened on a terminal, since every command takes the start of one.
    pub(crate) fn id<'b>(&self, id: &'b str) -> &'b str {
        if self.style.is_terminal {
            short_id(id)
        } else {
            id
        }
    }

    /// For `write!` and `writeln!`.
    pub(crate) fn write_fmt(&mut self, text: fmt::Arguments<'_>) -> io::Result<()> {
        self.out.write_fmt(text)
    }

    pub(crate) fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    pub(crate) fn paint(&self, colour: Colour, text: &str) -> String {
        self.style.paint(colour, text)
    }

    /// Writes one line in this colour.
    pub(crate) fn line(&mut self, colour: Colour, text: &str) -> io::Result<()> {
        let text = self.style.paint(colour, text);
        writeln!(self.out, "{text}")
    }

    pub(crate) fn lines(
        &mut self,
        lines: impl IntoIterator<Item = Line>,
        indent: &str,
    ) -> io::Result<()> {
        for line in lines {
            writeln!(self.out, "{indent}{}", line.painted(self.style))?;
        }
        Ok(())
    }

    pub(crate) fn field(&mut self, width: usize, name: &str, value: &str) -> io::Result<()> {
        let name = self.paint(Colour::Dim, &format!("{name:<width$}"));
        writeln!(self.out, "{name}{}", printable(value))
    }
}

/// The start of an id, which is shown where the rest is not needed.
pub(crate) fn short_id(id: &str) -> &str {
    id.get(..8).unwrap_or(id)
}

impl Write for Printer<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Returns what is printed in this style and width.
#[cfg(test)]
pub(crate) fn printed_in(
    style: Style,
    columns: Option<usize>,
    print: impl FnOnce(&mut Printer<'_>) -> io::Result<()>,
) -> String {
    let mut text = Vec::new();
    print(&mut Printer::new(&mut text, style, columns)).unwrap();
    String::from_utf8(text).unwrap()
}

/// Returns what is printed to a pipe.
#[cfg(test)]
pub(crate) fn printed(print: impl FnOnce(&mut Printer<'_>) -> io::Result<()>) -> String {
    printed_in(Style::default(), None, print)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_of_any_length_is_shortened() {
        assert_eq!(short_id("0b6f4e1c-52a0"), "0b6f4e1c");
        assert_eq!(short_id("0b"), "0b");
    }
}
