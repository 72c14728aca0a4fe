//! The document that is being written.

use super::quote::harmless;
use crate::render::inline::fence;
use crate::render::readable;
use std::io::{self, Write};

/// Quotes in quotes are not shown deeper than this.
const MAX_DEPTH: usize = 10;

pub(super) struct Sheet<'a> {
    out: &'a mut dyn Write,
    depth: usize,
}

impl<'a> Sheet<'a> {
    pub(super) fn new(out: &'a mut dyn Write) -> Self {
        Self { out, depth: 0 }
    }

    /// Moves the next lines to this depth of quotes. An empty line ends those that are left.
    pub(super) fn quote(&mut self, depth: usize) -> io::Result<()> {
        let is_left = depth < self.depth;
        self.depth = depth;
        if is_left { self.end(depth) } else { Ok(()) }
    }

    /// Writes a block of lines that are Markdown, and an empty line after it.
    pub(super) fn block(&mut self, lines: &[String]) -> io::Result<()> {
        self.lines(lines.iter().map(String::as_str), self.depth)?;
        self.end(self.depth)
    }

    pub(super) fn said(&mut self, text: &str) -> io::Result<()> {
        let lines = harmless(&readable(text));
        if lines.is_empty() {
            return Ok(());
        }
        self.lines(lines.iter().map(String::as_str), self.depth + 1)?;
        self.end(self.depth)
    }

    pub(super) fn fenced(&mut self, language: &str, text: &str) -> io::Result<()> {
        let text = readable(text);
        let text = text.trim_end();
        if text.is_empty() {
            return Ok(());
        }
        let fence = fence(text);
        let start = format!("{fence}{language}");
        let lines = [&*start]
            .into_iter()
            .chain(text.split('\n'))
            .chain([&*fence]);
        self.lines(lines, self.depth)?;
        self.end(self.depth)
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn lines<'l>(&mut self, lines: impl Iterator<Item = &'l str>, depth: usize) -> io::Result<()> {
        let prefix = "> ".repeat(depth.min(MAX_DEPTH));
        for line in lines {
            if line.is_empty() {
                writeln!(self.out, "{}", prefix.trim_end())?
            } else {
                writeln!(self.out, "{prefix}{line}")?
            }
        }
        Ok(())
    }

    /// Writes the empty line after a block: without it, the next block could continue this one.
    fn end(&mut self, depth: usize) -> io::Result<()> {
        self.lines([""].into_iter(), depth)
    }
}
