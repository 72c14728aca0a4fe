//! Conversations as they are written: each item below the one before.

use super::call;
use super::page::{INDENT, columns_left, heading, lines};
use super::spoken::{SpokenBlock, is_call};
use crate::render::about;
use crate::render::{Colour, Printer, cut, on_one_line, printable};
use ccd_protocol::conversation::{
    ConversationEndReason, ConversationItem, ConversationPair, ConversationTurn, TurnRole,
};
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

    pub(crate) fn item(
        &mut self,
        item: &ConversationItem,
        out: &mut Printer<'_>,
    ) -> io::Result<()> {
        if let Some(end) = &item.end {
            let (note, colour) = match (end.reason, end.is_error) {
                (ConversationEndReason::Result, false) => ("the run has ended", Colour::Dim),
                (ConversationEndReason::Result, true) => ("the run has failed", Colour::Bad),
                (ConversationEndReason::Deleted, _) => {
                    ("the transcript was deleted", Colour::Notice)
                }
                (ConversationEndReason::Replaced, _) => (
                    "the transcript was replaced; it follows from its start",
                    Colour::Notice,
                ),
            };
            self.switch_to(item, out)?;
            self.call = None;
            return writeln!(out, "\n{}", out.paint(colour, note));
        }
        let is_calls_only = |turn: &ConversationTurn| {
            turn.role == TurnRole::Assistant
                && turn
                    .content_blocks
                    .iter()
                    .all(|raw| is_call(&parsed(raw.get())))
        };
        match (&item.turn, &item.pair) {
            // Calls come as pairs.
            (Some(turn), _) if !is_calls_only(turn) || item.omitted => self.turn(item, turn, out),
            (_, Some(pair)) => self.pair(item, pair, out),
            _ => Ok(()),
        }
    }

    fn turn(
        &mut self,
        item: &ConversationItem,
        turn: &ConversationTurn,
        out: &mut Printer<'_>,
    ) -> io::Result<()> {
        let indent = self.switch_to(item, out)?;
        self.call = None;
        if self.message != turn.message_id {
            self.message.clone_from(&turn.message_id);
            writeln!(out, "{}", indent.trim_end())?;
            writeln!(out, "{indent}{}", heading(turn, out.style))?;
        }
        let columns = columns_left(out.width(), &indent);
        if item.omitted {
            let note = format!("[a record of {} MB]", item.length >> 20);
            return writeln!(out, "{indent}{}", out.paint(Colour::Dim, &note));
        }
        let blocks = turn.content_blocks.iter().map(|raw| parsed(raw.get()));
        let said = blocks.filter(|one| !is_call(one));
        let said = said.filter_map(|one| SpokenBlock::of(&one, turn.role));
        let lines = said.flat_map(|one| lines(&one, columns));
        out.lines(lines, &indent)
    }

    fn pair(
        &mut self,
        item: &ConversationItem,
        pair: &ConversationPair,
        out: &mut Printer<'_>,
    ) -> io::Result<()> {
        let id = &pair.tool_use.id;
        let is_said = self.calls.contains_key(id) && call::notes_line(pair).is_none();
        if is_said && call::result(pair, self.is_whole, usize::MAX).is_empty() {
            return Ok(()); // such as the text of a file, which is not shown
        }
        let indent = self.switch_to(item, out)?;
        let depth = self.depth(item.parent_tool_use_id.as_deref());
        let label = cut(&on_one_line(&about(&call::input_of(pair))), LABEL);
        self.calls.insert(id.clone(), (depth, label));
        let columns = columns_left(out.width(), &indent);
        let is_below_heading = self.call.take().is_some_and(|last| last == *id);
        let first = if is_below_heading {
            call::notes_line(pair)
        } else {
            Some(call::heading(pair))
        };
        out.lines(first.map(|line| line.cut(columns)), &indent)?;
        if pair.tool_result.is_none() {
            self.call = Some(id.clone());
        }
        out.lines(call::result(pair, self.is_whole, columns), &indent)
    }

    /// Names the conversation or the sub-agent if the last item was of another one. Returns the indentation.
    fn switch_to(&mut self, item: &ConversationItem, out: &mut Printer<'_>) -> io::Result<String> {
        if self.session != item.session_id {
            self.session.clone_from(&item.session_id);
            self.parent = None;
            self.call = None;
            if self.has_several {
                let name = format!("── session {} ──", printable(&item.session_id));
                writeln!(out, "\n{}", out.paint(Colour::Heading, &name))?;
            }
        }
        let parent = item.parent_tool_use_id.clone();
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

fn parsed(block: &str) -> Value {
    serde_json::from_str(block).unwrap_or_default()
}
