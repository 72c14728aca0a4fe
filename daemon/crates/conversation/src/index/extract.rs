//! A line into rows, and the text by which it is found.

use crate::line::{Block, Line, Message, Usage, agent_report, blocks, milliseconds};
use crate::model::Role;
use crate::price::{Billed, Prices};
use ccd_protocol::conversation::typed;
use ccd_text::redact::{Values, redact, redact_values};
use memchr::memmem::Finder;
use regex::Regex;
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::ops::AddAssign as _;
use std::sync::LazyLock;

/// Longest text of one record that is searched.
const MAX_TEXT_BYTES: usize = 1 << 20;

/// Members of a tool's input that name a file.
const PATHS: [&str; 3] = ["file_path", "notebook_path", "path"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    Texts,
    /// Only what totals are made of: tokens, calls, errors.
    Numbers,
}

ccd_store::row! {
    #[derive(Debug, Default)]
    pub(crate) struct RecordRow {
        pub(crate) id: i64,
        pub(crate) file_id: i64,
        pub(crate) offset: i64,
        pub(crate) length: i64,
        pub(crate) uuid: String,
        pub(crate) message_id: String,
        /// It is the assistant's.
        pub(crate) role: bool,
        /// Milliseconds since 1970.
        pub(crate) at: Option<i64>,
        pub(crate) is_sub: bool,
        pub(crate) model: Option<String>,
        pub(crate) has_error: bool,
    }
}

ccd_store::row! {
    #[derive(Debug)]
    pub(crate) struct CallRow {
        pub(crate) record_id: i64,
        pub(crate) tool_use_id: String,
        pub(crate) name: String,
        pub(crate) path: Option<String>,
    }
}

ccd_store::row! {
    #[derive(Debug)]
    pub(crate) struct ResultRow {
        pub(crate) record_id: i64,
        pub(crate) tool_use_id: String,
        pub(crate) is_error: bool,
    }
}

/// The rows of a record, without the ids of its file and of itself.
#[derive(Debug, Default)]
pub(crate) struct Entry {
    pub(crate) record: RecordRow,
    pub(crate) parent_tool_use_id: Option<String>,
    pub(crate) agent_id: Option<String>,
    /// The sub-agent's own file, if it is there, has more.
    pub(crate) is_progress: bool,
    pub(crate) usage: Option<Usage>,
    /// US dollars.
    pub(crate) cost: Option<f64>,
    /// Calls of other models that its message took: the model, tokens, and the cost.
    pub(crate) side_calls: Vec<(String, Usage, Option<f64>)>,
    pub(crate) calls: Vec<CallRow>,
    pub(crate) results: Vec<ResultRow>,
    pub(crate) agent_report: Option<(Option<String>, Option<Usage>)>,
    /// Redacted.
    pub(crate) text: String,
}

/// Returns the entry of a record; `None` for other lines. Without prices it has no cost.
pub(crate) fn entry(
    offset: u64,
    length: u64,
    line: &Line<'_>,
    prices: Option<&Prices>,
    depth: Depth,
) -> Option<Entry> {
    let is_assistant = line.role()? == Role::Assistant;
    let message = line.message.as_ref();
    let content = message.and_then(|message| message.content);
    let owned = |text: &Option<Cow<'_, str>>| text.as_deref().map(str::to_owned);
    let mut entry = Entry {
        record: RecordRow {
            offset: offset.cast_signed(),
            length: length.cast_signed(),
            uuid: owned(&line.uuid)?,
            message_id: line.message_id()?.to_owned(),
            role: is_assistant,
            at: line.timestamp.as_deref().and_then(milliseconds),
            is_sub: line.parent_tool_use_id.is_some() || line.is_sidechain,
            model: line.model().map(str::to_owned),
            ..RecordRow::default()
        },
        parent_tool_use_id: owned(&line.parent_tool_use_id),
        agent_id: owned(&line.agent_id),
        is_progress: line.is_progress,
        agent_report: line.result_meta.and_then(agent_report),
        ..Entry::default()
    };
    if let Some(message) = message.filter(|_| is_assistant) {
        entry.take_usage(message, line.timestamp.as_deref(), prices);
    }
    let mut text = Text {
        text: String::new(),
        max_bytes: match depth {
            Depth::Texts => MAX_TEXT_BYTES,
            Depth::Numbers => 0,
        },
    };
    let is_of_agent = entry.agent_report.is_some();
    if depth == Depth::Texts || is_assistant || is_of_agent || may_have_error(content) {
        for block in blocks(content) {
            entry.take(block, &mut text);
        }
    }
    entry.text = text.text;
    Some(entry)
}

/// Says whether there may be a result of a call that failed, without parsing the results.
fn may_have_error(content: Option<&RawValue>) -> bool {
    static NAME: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("\"is_error\""));
    let bytes = content.map_or("", RawValue::get).as_bytes();
    NAME.find_iter(bytes).any(|at| {
        let value = bytes[at + NAME.needle().len()..].trim_ascii_start();
        let value = value.strip_prefix(b":").map(<[u8]>::trim_ascii_start);
        value.is_some_and(|value| value.starts_with(b"true"))
    })
}

impl Entry {
    /// Adds the tokens of a message, the calls that it took besides its own, and what all of them cost.
    fn take_usage(&mut self, message: &Message<'_>, at: Option<&str>, prices: Option<&Prices>) {
        let Some(usage) = &message.usage else {
            return;
        };
        self.usage = Some(usage.tokens);
        let priced = prices.zip(Billed::from_message(message, at));
        self.cost = priced.and_then(|(prices, billed)| prices.cost(&billed));
        for call in &usage.side_calls {
            let cost = priced.and_then(|(prices, billed)| prices.side_cost(&billed, call));
            match &call.model {
                Some(model) => self.side_calls.push((model.clone(), call.usage, cost)),
                None => {
                    self.usage.get_or_insert_default().add_assign(&call.usage);
                    self.cost = self.cost.zip(cost).map(|(one, other)| one + other);
                }
            }
        }
    }

    fn take(&mut self, block: Block<'_>, text: &mut Text) {
        match block {
            Block::Text(said) if !self.record.role => text.add(&typed(&said)),
            Block::Text(said) | Block::Thinking(said) => text.add(&said),
            Block::ToolUse { id, name, input } => {
                text.add(&name);
                self.calls.push(CallRow {
                    record_id: 0,
                    tool_use_id: id.into_owned(),
                    name: name.into_owned(),
                    path: text.add_input(input),
                });
            }
            Block::ToolResult {
                tool_use_id,
                content,
                is_error,
            } => {
                text.add_content(content);
                self.record.has_error |= is_error;
                self.results.push(ResultRow {
                    record_id: 0,
                    tool_use_id: tool_use_id.into_owned(),
                    is_error,
                });
            }
            Block::Other => {}
        }
    }
}

/// Text that is collected up to a limit, redacted piece by piece.
struct Text {
    text: String,
    max_bytes: usize,
}

impl Text {
    fn add(&mut self, text: &str) {
        let room = self.max_bytes.saturating_sub(self.text.len());
        let text = without_sequences(&text[..text.floor_char_boundary(room)]);
        if !text.trim().is_empty() {
            self.text.push_str(&redact(&text).text);
            self.text.push('\n');
        }
    }

    /// Adds the texts of a tool's input. Returns the file that it is about.
    fn add_input(&mut self, input: Option<&RawValue>) -> Option<String> {
        if self.max_bytes == 0 {
            return None;
        }
        let mut input: Value = serde_json::from_str(input?.get()).ok()?;
        // The name of a member may be what gives a secret away.
        redact_values(Values::Document(&mut input));
        self.add_values(&input);
        let path = PATHS.iter().find_map(|path| input[*path].as_str());
        path.map(str::to_owned)
    }

    fn add_content(&mut self, content: Option<&RawValue>) {
        if self.max_bytes == 0 {
            return;
        }
        for block in blocks(content) {
            if let Block::Text(text) = block {
                self.add(&text);
            }
        }
    }

    /// Adds the texts of a value, without names of members.
    fn add_values(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.add(text),
            Value::Array(items) => items.iter().for_each(|item| self.add_values(item)),
            Value::Object(members) => members.values().for_each(|item| self.add_values(item)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// Returns a text without the sequences that set colours in a terminal (`ESC [ … letter`): a word beside one is a word.
fn without_sequences(text: &str) -> Cow<'_, str> {
    static SEQUENCES: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\x1b\[[ -?]*[^\x1b]?").expect("a test compiles it"));
    SEQUENCES.replace_all(text, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_no_part_of_words() {
        for (text, clean) in [
            ("a\u{1b}[31mFAIL\u{1b}[0m b", "aFAIL b"),
            ("\u{1b}[38;5;1mx", "x"),
            ("cut \u{1b}[3", "cut "),
            ("\u{1b}[\u{e4}b", "b"),
            ("plain", "plain"),
        ] {
            assert_eq!(without_sequences(text), clean, "{text:?}");
        }
    }
}
