//! Conversations as they are written: each item below the one before.

use super::call;
use super::page::{INDENT, columns_left, heading, lines};
use super::spoken::{SpokenBlock, is_call};
use crate::fields::Fields as _;
use crate::render::about;
use crate::render::{Colour, Printer, cut, on_one_line, printable};
use serde_json::Value;
use std::collections::HashMap;
use std::io;

/// Columns of what a sub-agent was started for.
const LABEL: usize = 60;

/// Deeper sub-agents are not moved further to the right.
const MAX_DEPTH: usize = 20;

#[derive(Debug, Default)]
pub(crate) struct LiveConversation {
    /// Results in full.
    is_whole: bool,
    /// There may be several conversations, so each is named.
    has_several: bool,
    /// Whose items were written last.
    session: String,
    parent: Option<String>,
    message: String,
    /// The call whose heading is the last line.
    call: Option<String>,
    /// Calls of the main conversations and of sub-agents: how deep they are, and what they are about.
    calls: HashMap<String, (usize, String)>,
}

impl LiveConversation {
    pub(crate) fn new(is_whole: bool, has_several: bool) -> Self {
        Self {
            is_whole,
            has_several,
            ..Self::default()
        }
    }

    pub(crate) fn item(&mut self, item: &Value, out: &mut Printer<'_>) -> io::Result<()> {
        if item.has("end") {
            self.switch_to(item, out)?;
            self.call = None;
            writeln!(out)?;
            return out.reply("conversation end", item.at("end"));
        }
        let turn = item.at("turn");
        let is_calls_only =
            turn.text("role") == "assistant" && turn.list("contentBlocks").iter().all(is_call);
        // Calls come as pairs.
        if turn.is_object() && (!is_calls_only || item.has("omitted")) {
            self.turn(item, turn, out)
        } else if item.has("pair") {
            self.pair(item, item.at("pair"), out)
        } else {
            Ok(())
        }
    }

    fn turn(&mut self, item: &Value, turn: &Value, out: &mut Printer<'_>) -> io::Result<()> {
        let indent = self.switch_to(item, out)?;
        self.call = None;
        if self.message != turn.text("messageId") {
            turn.text("messageId").clone_into(&mut self.message);
            writeln!(out, "{}", indent.trim_end())?;
            writeln!(out, "{indent}{}", heading(turn, out.style))?;
        }
        let columns = columns_left(out.width(), &indent);
        if item.has("omitted") {
            let note = format!("[a record of {} MB]", item.number("length") >> 20);
            return writeln!(out, "{indent}{}", out.paint(Colour::Dim, &note));
        }
        let blocks = turn.list("contentBlocks").iter();
        let said = blocks.filter(|one| !is_call(one));
        let said = said.filter_map(|one| SpokenBlock::of(one, turn));
        let lines = said.flat_map(|one| lines(&one, columns));
        out.lines(lines, &indent)
    }

    fn pair(&mut self, item: &Value, pair: &Value, out: &mut Printer<'_>) -> io::Result<()> {
        let id = pair.text("toolUse.id");
        let is_said = self.calls.contains_key(id) && call::notes_line(pair).is_none();
        if is_said && call::result(pair, self.is_whole, usize::MAX).is_empty() {
            return Ok(()); // such as the text of a file, which is not shown
        }
        let indent = self.switch_to(item, out)?;
        let depth = self.depth(item["parent_tool_use_id"].as_str());
        let label = cut(&on_one_line(&about(pair.at("toolUse.input"))), LABEL);
        self.calls.insert(id.to_owned(), (depth, label));
        let columns = columns_left(out.width(), &indent);
        let is_below_heading = self.call.take().is_some_and(|last| last == id);
        let first = if is_below_heading {
            call::notes_line(pair)
        } else {
            Some(call::heading(pair))
        };
        out.lines(first.map(|line| line.cut(columns)), &indent)?;
        if !pair.has("toolResult") {
            self.call = Some(id.to_owned());
        }
        out.lines(call::result(pair, self.is_whole, columns), &indent)
    }

    /// Names the conversation or the sub-agent if the last item was of another one. Returns the indentation.
    fn switch_to(&mut self, item: &Value, out: &mut Printer<'_>) -> io::Result<String> {
        let session = item.text("session_id");
        if self.session != session {
            session.clone_into(&mut self.session);
            self.parent = None;
            self.call = None;
            if self.has_several {
                let name = format!("── session {} ──", printable(session));
                writeln!(out, "\n{}", out.paint(Colour::Heading, &name))?;
            }
        }
        let parent = item["parent_tool_use_id"].as_str().map(str::to_owned);
        let indent = INDENT.repeat(self.depth(parent.as_deref()).min(MAX_DEPTH));
        if self.parent != parent {
            if let Some(parent) = &parent {
                let label = self.calls.get(parent).map(|(_, label)| label.as_str());
                let name = format!("sub-agent: {}", label.unwrap_or(&printable(parent)));
                writeln!(out, "{}", indent.trim_end())?;
                writeln!(out, "{indent}{}", out.paint(Colour::Notice, &name))?;
            }
            self.parent = parent;
            self.call = None;
        }
        Ok(indent)
    }

    /// Returns how deep the records of a sub-agent are.
    fn depth(&self, parent: Option<&str>) -> usize {
        parent.map_or(0, |parent| {
            let call = self.calls.get(parent);
            1 + call.map_or(0, |(depth, _)| *depth)
        })
    }
}
