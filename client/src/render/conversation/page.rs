//! A conversation as a page: what was said and done, in order, with sub-agents below the calls that started them.

use super::call;
use super::numbers::{self, hits, tokens};
use super::spoken::{Spoken, SpokenBlock, Turns, WRITTEN_BY_CLAUDE_CODE, model_and_time, next_of};
use crate::render::short::noted;
use crate::render::{
    Colour, Line, Printer, Style, on_one_line, printable, readable, wrapped_at_spaces,
};
use ccd_protocol::conversation::{
    ConversationGetReply, ConversationPair, ConversationTurn, Missing, TurnRole,
};
use std::io;

/// Columns of the names of fields.
const NAMES: usize = 12;

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
    reply: &ConversationGetReply,
    turns: &mut dyn Iterator<Item = Spoken>,
    show: Show<'_>,
    out: &mut Printer<'_>,
) -> io::Result<()> {
    let mut turns: Turns<'_> = turns.peekable();
    match show.at {
        None => about(reply, out)?,
        Some(at) => while turns.next_if(|turn| !turn.has_id(at)).is_some() {},
    }
    while let Some(turn) = turns.next() {
        match turn.turn.parent_tool_use_id.clone() {
            None => show.turn(turn, &mut turns, 0, out)?,
            Some(call) => show.apart(&call, turn, &mut turns, out)?,
        }
        // A reader sees it while the next page is being read.
        out.flush()?;
    }
    Ok(())
}

fn about(reply: &ConversationGetReply, out: &mut Printer<'_>) -> io::Result<()> {
    let branch = reply.branch.as_deref().filter(|branch| !branch.is_empty());
    let branch = branch.map_or_else(String::new, |branch| format!(" ({branch})"));
    let title = reply.title.as_deref().unwrap_or_default();
    let directory = reply.cwd.as_deref().unwrap_or_default();
    let cost = match numbers::cost_or_more(reply.cost_usd, reply.cost_at_least_usd) {
        unknown if unknown == "-" => String::new(),
        cost => format!("{cost} at list prices"),
    };
    let hits = match hits(&reply.usage.total) {
        rate if rate.is_empty() => rate,
        rate => format!("; cache hit rate {rate}"),
    };
    out.fields(
        NAMES,
        &[
            ("session", reply.session_id.clone()),
            ("title", on_one_line(title)),
            ("directory", format!("{directory}{branch}")),
            ("models", reply.models.join(", ")),
            ("tokens", format!("{}{hits}", tokens(&reply.usage.total))),
            ("sub-agents", tokens(&reply.usage.subagents)),
            ("cost", cost),
            ("missing", missing(reply.missing).to_owned()),
            ("skipped", noted(reply.skipped_lines, "line", "not records")),
            ("file", reply.files.first().cloned().unwrap_or_default()),
        ],
    )
}

pub(super) fn missing(missing: Option<Missing>) -> &'static str {
    match missing {
        None => "",
        Some(Missing::Transcript) => "the transcript itself; its sub-agents' are here",
        Some(Missing::Result) => "the end of the stream; the tokens are partial",
    }
}

impl Show<'_> {
    fn turn(
        &self,
        turn: Spoken,
        turns: &mut Turns<'_>,
        depth: usize,
        out: &mut Printer<'_>,
    ) -> io::Result<()> {
        let indent = &*self.indent(depth);
        if !self.errors && !turn.is_empty() && turn.has_text() {
            writeln!(out, "{}", indent.trim_end())?;
            writeln!(out, "{indent}{}", heading(&turn.turn, out.style))?;
        }
        let columns = columns_left(out.width(), indent);
        for block in turn.blocks {
            match block {
                SpokenBlock::Call(pair) => {
                    self.call(&pair, indent, out)?;
                    self.sub_agent(&pair.tool_use.id, turns, depth, out)?;
                }
                _ if self.errors => {}
                block => out.lines(lines(&block, columns), indent)?,
            }
        }
        Ok(())
    }

    fn call(&self, pair: &ConversationPair, indent: &str, out: &mut Printer<'_>) -> io::Result<()> {
        if self.errors && !call::has_failed(pair) {
            return Ok(());
        }
        let columns = columns_left(out.width(), indent);
        out.lines(call::lines(pair, self.tools, columns), indent)
    }

    fn sub_agent(
        &self,
        call: &str,
        turns: &mut Turns<'_>,
        depth: usize,
        out: &mut Printer<'_>,
    ) -> io::Result<()> {
        while let Some(turn) = next_of(turns, call, depth) {
            self.turn(turn, turns, depth + 1, out)?;
        }
        Ok(())
    }

    /// What lines of sub-agents start with. Without the texts, it would only say how deep an error was.
    fn indent(&self, depth: usize) -> String {
        if self.errors {
            String::new()
        } else {
            INDENT.repeat(depth.min(MAX_INDENTS))
        }
    }

    /// Writes a sub-agent whose call was not written before.
    fn apart(
        &self,
        call: &str,
        first: Spoken,
        turns: &mut Turns<'_>,
        out: &mut Printer<'_>,
    ) -> io::Result<()> {
        if !self.errors {
            let title = match self.at {
                None => "sub-agent of a call that is missing, or within the sub-agent",
                Some(_) => "sub-agent of the call",
            };
            let title = format!("{title}: {}", printable(call));
            writeln!(out, "\n{}", out.paint(Colour::Notice, &title))?;
        }
        self.turn(first, turns, 1, out)?;
        self.sub_agent(call, turns, 0, out)
    }
}

pub(super) fn columns_left(columns: usize, indent: &str) -> usize {
    let left = columns.saturating_sub(indent.chars().count());
    left.max(MIN_COLUMNS)
}

pub(super) fn heading(turn: &ConversationTurn, style: Style) -> String {
    let (name, colour) = match turn.role {
        TurnRole::User if turn.is_meta => (WRITTEN_BY_CLAUDE_CODE, Colour::Dim),
        TurnRole::User => ("user", Colour::Heading),
        TurnRole::Assistant => ("assistant", Colour::Good),
    };
    let rest = printable(&model_and_time(turn).join("  "));
    format!(
        "{}  {}",
        style.paint(colour, name),
        style.paint(Colour::Dim, &rest)
    )
    .trim_end()
    .to_owned()
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
