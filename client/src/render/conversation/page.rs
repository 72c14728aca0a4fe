//! A conversation as a page: what was said and done, in order, with sub-agents below the calls that started them.

use super::call;
use crate::render::table::{fields, printable};
use crate::render::{Colour, Line, Style, on_one_line, readable, wrapped};
use ccd_protocol::conversation::{
    ConversationGetReply, ConversationPair, ConversationTurn, ConversationUsage, TurnRole,
};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

/// Columns of the names of fields.
const NAMES: usize = 12;

/// A level of sub-agents moves its texts to the right by so many columns.
pub(super) const INDENT: &str = "  │ ";

/// Texts are not wrapped to fewer columns, however deep they are.
const MIN_COLUMNS: usize = 30;

/// What of a conversation is shown.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Show<'a> {
    /// Results of tools in full.
    pub(crate) tools: bool,
    /// Only calls that failed.
    pub(crate) errors: bool,
    /// Nothing before the turn with this message or record id.
    pub(crate) at: Option<&'a str>,
    pub(crate) columns: usize,
}

/// A page that is being written.
struct Page<'a> {
    show: Show<'a>,
    pairs: HashMap<&'a str, &'a ConversationPair>,
    /// Turns of sub-agents, by the call that started them.
    below: HashMap<&'a str, Vec<&'a ConversationTurn>>,
    /// Calls whose sub-agents have been shown: hostile files have circles.
    shown: HashSet<&'a str>,
    style: Style,
}

/// Writes a whole conversation.
pub(crate) fn conversation(
    reply: &ConversationGetReply,
    show: Show<'_>,
    out: &mut dyn Write,
    style: Style,
) -> io::Result<()> {
    let mut page = Page {
        show,
        pairs: reply
            .pairs
            .iter()
            .map(|pair| (&*pair.tool_use.id, pair))
            .collect(),
        below: HashMap::new(),
        shown: HashSet::new(),
        style,
    };
    for turn in &reply.turns {
        if let Some(parent) = &turn.parent_tool_use_id {
            page.below.entry(parent).or_default().push(turn);
        }
    }
    if show.at.is_none() {
        about(reply, out, style)?;
    }
    let top = reply
        .turns
        .iter()
        .filter(|turn| turn.parent_tool_use_id.is_none());
    let is_before = |turn: &&ConversationTurn| {
        show.at
            .is_some_and(|at| turn.message_id != at && turn.records.iter().all(|one| one != at))
    };
    for turn in top.skip_while(is_before) {
        page.turn(turn, "", out)?;
    }
    for orphan in &reply.orphan_parents {
        if show.at.is_none() && !show.errors {
            let title = format!(
                "sub-agent of a call that is not in the conversation: {}",
                printable(orphan)
            );
            writeln!(out, "\n{}", style.paint(Colour::Notice, &title))?;
            page.sub_agent(orphan, "", out)?;
        }
    }
    Ok(())
}

fn about(reply: &ConversationGetReply, out: &mut dyn Write, style: Style) -> io::Result<()> {
    let branch = reply.branch.as_deref().filter(|branch| !branch.is_empty());
    let branch = branch.map_or_else(String::new, |branch| format!(" ({branch})"));
    let skipped = match reply.skipped_lines {
        0 => String::new(),
        count => format!("{count} lines are no records"),
    };
    fields(
        NAMES,
        &[
            ("session", reply.session_id.clone()),
            ("title", reply.title.clone().unwrap_or_default()),
            (
                "directory",
                format!("{}{branch}", reply.cwd.as_deref().unwrap_or_default()),
            ),
            ("models", reply.models.join(", ")),
            ("tokens", tokens(&reply.usage.total)),
            ("sub-agents", tokens(&reply.usage.subagents)),
            ("skipped", skipped),
            ("file", reply.files.first().cloned().unwrap_or_default()),
        ],
        out,
        style,
    )
}

/// Returns tokens by kind in a line; nothing if there are none.
fn tokens(usage: &ConversationUsage) -> String {
    if *usage == ConversationUsage::default() {
        return String::new();
    }
    let hits = usage.cache_hit_rate().unwrap_or_default() * 100.0;
    format!(
        "{} in, {} out, cache {} written, {} read ({hits:.1} % of input)",
        usage.input_tokens,
        usage.output_tokens,
        usage.cache_creation_input_tokens,
        usage.cache_read_input_tokens,
    )
}

impl<'a> Page<'a> {
    fn turn(
        &mut self,
        turn: &'a ConversationTurn,
        indent: &str,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        if self.show.errors {
            return self.blocks(turn, indent, out);
        }
        let has_text = turn.content_blocks.iter().any(|block| {
            let block: Value = serde_json::from_str(block.get()).unwrap_or_default();
            block["type"] != "tool_use"
        });
        if turn.content_blocks.is_empty() {
            return Ok(()); // results only, which are shown with their calls
        }
        if has_text || turn.role == TurnRole::User {
            writeln!(out, "{indent}")?;
            writeln!(out, "{indent}{}", heading(turn, self.style))?;
        }
        self.blocks(turn, indent, out)
    }

    fn blocks(
        &mut self,
        turn: &'a ConversationTurn,
        indent: &str,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        for raw in &turn.content_blocks {
            let block: Value = serde_json::from_str(raw.get()).unwrap_or_default();
            let kind = block["type"].as_str().unwrap_or_default();
            if kind.ends_with("tool_use") {
                let id = block["id"].as_str().unwrap_or_default();
                if let Some(pair) = self.pairs.get(id).copied() {
                    self.call(pair, indent, out)?;
                }
            } else if !self.show.errors {
                for line in self::block(&block, self.columns(indent)) {
                    writeln!(out, "{indent}{}", line.painted(self.style))?;
                }
            }
        }
        Ok(())
    }

    fn call(
        &mut self,
        pair: &'a ConversationPair,
        indent: &str,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let is_error = pair
            .tool_result
            .as_ref()
            .is_some_and(|result| result.is_error);
        if !self.show.errors || is_error {
            let columns = self.columns(indent);
            for line in call::lines(pair, self.show.tools, columns) {
                writeln!(out, "{indent}{}", line.painted(self.style))?;
            }
        }
        self.sub_agent(&pair.tool_use.id, indent, out)
    }

    fn sub_agent(&mut self, id: &'a str, indent: &str, out: &mut dyn Write) -> io::Result<()> {
        if !self.shown.insert(id) {
            return Ok(());
        }
        let deeper = match self.show.errors || indent.len() > 20 * INDENT.len() {
            true => indent.to_owned(),
            false => format!("{indent}{INDENT}"),
        };
        for turn in self.below.remove(id).unwrap_or_default() {
            self.turn(turn, &deeper, out)?;
        }
        Ok(())
    }

    fn columns(&self, indent: &str) -> usize {
        columns_left(self.show.columns, indent)
    }
}

/// Returns the columns for texts after an indentation.
pub(super) fn columns_left(columns: usize, indent: &str) -> usize {
    let left = columns.saturating_sub(indent.chars().count());
    left.max(MIN_COLUMNS)
}

/// Returns who speaks, with which model, and when.
pub(super) fn heading(turn: &ConversationTurn, style: Style) -> String {
    let (name, colour) = match turn.role {
        TurnRole::User => ("user", Colour::Heading),
        TurnRole::Assistant => ("assistant", Colour::Good),
    };
    let time = turn.timestamp.as_deref().unwrap_or_default();
    let time = time.get(..19).unwrap_or(time).replace('T', " ");
    let model = turn.model.as_deref().unwrap_or_default();
    let model = model.strip_prefix("claude-").unwrap_or(model);
    let rest: Vec<&str> = [model, &time]
        .into_iter()
        .filter(|text| !text.is_empty())
        .collect();
    let rest = style.paint(Colour::Dim, &printable(&rest.join("  ")));
    format!("{}  {rest}", style.paint(colour, name))
        .trim_end()
        .to_owned()
}

/// Returns the lines of a block of a message that is not a call: its text, or its kind.
pub(super) fn block(block: &Value, columns: usize) -> Vec<Line> {
    match block["type"].as_str().unwrap_or_default() {
        "text" => text(block["text"].as_str(), None, columns),
        "thinking" => text(block["thinking"].as_str(), Some(Colour::Dim), columns),
        kind => vec![Line::of(
            format!("[{}]", on_one_line(kind)),
            Some(Colour::Dim),
        )],
    }
}

fn text(text: Option<&str>, colour: Option<Colour>, columns: usize) -> Vec<Line> {
    let text = readable(text.unwrap_or_default());
    let parts = text
        .trim_end()
        .lines()
        .flat_map(|line| words(line, columns));
    parts.map(|part| Line::of(part, colour)).collect()
}

/// Splits a line at spaces, so that each part fits into `columns`; a longer word is cut.
pub(super) fn words(line: &str, columns: usize) -> Vec<String> {
    let line = line.replace('\t', "    ");
    let mut parts: Vec<String> = Vec::new();
    let mut rest = line.as_str();
    loop {
        let first = wrapped(rest, columns)
            .into_iter()
            .next()
            .unwrap_or_default();
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
    fn lines_are_broken_at_spaces() {
        assert_eq!(words("one two three", 8), ["one two", "three"]);
        assert_eq!(
            words("a-very-long-word x", 6),
            ["a-very", "-long-", "word x"]
        );
        assert_eq!(words("    indented text", 10), ["    indent", "ed text"]);
        assert_eq!(words("", 5), [""]);
    }

    proptest! {
        #[test]
        fn no_word_is_lost(line in "[a-z \u{4e16}]{0,60}", columns in 2..20_usize) {
            let joined: String = words(&line, columns).concat();
            let bare = |text: &str| text.replace(' ', "");
            prop_assert_eq!(bare(&joined), bare(&line));
        }
    }
}
