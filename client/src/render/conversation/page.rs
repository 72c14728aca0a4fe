//! A conversation as a page: what was said and done, in order, with sub-agents below the calls that started them.

use super::call;
use super::spoken::{self, Form, Spoken, SpokenBlock, Turns};
use crate::render::{
    Colour, Line, Printer, Style, on_one_line, readable, text_line, wrapped_at_spaces,
};
use serde_json::{Value, json};
use std::io;

/// A level of sub-agents moves its texts to the right by so many columns.
pub(super) const INDENT: &str = "  │ ";

/// Deeper ones are not moved further.
const MAX_INDENTS: usize = 20;

/// Texts are not wrapped to fewer columns, however deep they are.
const MIN_COLUMNS: usize = 30;

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Show<'a> {
    /// Results of tools in full.
    pub(crate) tools: bool,
    /// Only calls that failed.
    pub(crate) errors: bool,
    /// Nothing before the turn with this message or record id.
    pub(crate) at: Option<&'a str>,
}

/// Writes a conversation turn by turn, each as soon as it is there.
pub(crate) fn conversation(
    reply: &Value,
    turns: &mut dyn Iterator<Item = Spoken>,
    show: Show<'_>,
    out: &mut Printer<'_>,
) -> io::Result<()> {
    let mut turns: Turns<'_> = turns.peekable();
    match show.at {
        None => out.reply("conversation.get", reply)?,
        Some(at) => while turns.next_if(|turn| !turn.has_id(at)).is_some() {},
    }
    spoken::write(&mut turns, &mut Page { show, out })
}

struct Page<'a, 'p> {
    show: Show<'a>,
    out: &'a mut Printer<'p>,
}

impl Form for Page<'_, '_> {
    fn turn(&mut self, turn: &Spoken, depth: usize) -> io::Result<()> {
        if self.show.errors || !turn.has_text() {
            return Ok(());
        }
        let indent = self.indent(depth);
        writeln!(self.out, "{}", indent.trim_end())?;
        let heading = heading(&turn.turn, self.out.style);
        writeln!(self.out, "{indent}{heading}")
    }

    fn block(&mut self, block: &SpokenBlock, depth: usize) -> io::Result<()> {
        let indent = self.indent(depth);
        let columns = columns_left(self.out.width(), &indent);
        let lines = match block {
            SpokenBlock::Call(pair) if self.show.errors && !call::has_failed(pair) => Vec::new(),
            SpokenBlock::Call(pair) => call::lines(pair, self.show.tools, columns),
            _ if self.show.errors => Vec::new(),
            block => lines(block, columns),
        };
        self.out.lines(lines, &indent)
    }

    fn apart(&mut self, call: &str) -> io::Result<()> {
        if self.show.errors {
            return Ok(());
        }
        let call = json!({"call": call, "is_start": self.show.at.is_some()});
        writeln!(self.out)?;
        let line = text_line("sub-agent apart", &call, self.out.style);
        self.out.lines([line], "")
    }

    /// A reader sees it while the next page is being read.
    fn back_to(&mut self, depth: usize) -> io::Result<()> {
        if depth == 0 { self.out.flush() } else { Ok(()) }
    }
}

impl Page<'_, '_> {
    /// What lines of sub-agents start with. Without the texts, it would only say how deep an error was.
    fn indent(&self, depth: usize) -> String {
        if self.show.errors {
            String::new()
        } else {
            INDENT.repeat(depth.min(MAX_INDENTS))
        }
    }
}

pub(super) fn columns_left(columns: usize, indent: &str) -> usize {
    let left = columns.saturating_sub(indent.chars().count());
    left.max(MIN_COLUMNS)
}

pub(super) fn heading(turn: &Value, style: Style) -> String {
    let line = text_line("turn", turn, style).painted(style);
    line.trim_end().to_owned()
}

/// Returns the lines of a block that is not a call: its text, or its kind.
pub(super) fn lines(block: &SpokenBlock, columns: usize) -> Vec<Line> {
    let dim = Some(Colour::Dim);
    match block {
        SpokenBlock::Text(said) => text(said, None, columns),
        // Marks what the model does not say to the user. Colours are not everywhere.
        SpokenBlock::Thinking(said) if !said.trim().is_empty() => {
            text(&format!("[thinking] {}", said.trim_start()), dim, columns)
        }
        SpokenBlock::Thinking(_) | SpokenBlock::Call(_) => Vec::new(),
        SpokenBlock::Other(kind) => vec![Line::of(format!("[{}]", on_one_line(kind)), dim)],
    }
}

fn text(text: &str, colour: Option<Colour>, columns: usize) -> Vec<Line> {
    let text = readable(text);
    let parts = text
        .trim_end()
        .lines()
        .flat_map(|line| wrapped_at_spaces(line, columns));
    parts.map(|part| Line::of(part, colour)).collect()
}

#[cfg(test)]
#[path = "page_tests.rs"]
mod tests;
