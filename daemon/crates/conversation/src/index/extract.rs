//! A line into rows, and the text by which it is found.

use crate::line::{Block, Line, LineType, Usage, agent_report, blocks, milliseconds};
use crate::price::{Billed, Prices};
use ccd_protocol::conversation::typed;
use ccd_text::redact::{Values, redact, redact_values};
use memchr::memmem::Finder;
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

#[derive(Debug, Default)]
pub(crate) struct Entry {
    pub(crate) offset: u64,
    pub(crate) length: u64,
    pub(crate) uuid: String,
    pub(crate) message_id: String,
    pub(crate) is_assistant: bool,
    /// Milliseconds since 1970.
    pub(crate) at: Option<i64>,
    pub(crate) parent_tool_use_id: Option<String>,
    pub(crate) agent_id: Option<String>,
    pub(crate) is_sub: bool,
    /// The sub-agent's own file, if it is there, has more.
    pub(crate) is_progress: bool,
    pub(crate) model: Option<String>,
    pub(crate) usage: Option<Usage>,
    /// US dollars.
    pub(crate) cost: Option<f64>,
    /// Calls of other models that its message took: the model, tokens, and the cost.
    pub(crate) side_calls: Vec<(String, Usage, Option<f64>)>,
    pub(crate) calls: Vec<CallEntry>,
    /// Ids of calls, and whether they failed.
    pub(crate) results: Vec<(String, bool)>,
    pub(crate) agent_report: Option<(Option<String>, Option<Usage>)>,
    /// Redacted.
    pub(crate) text: String,
}

#[derive(Debug)]
pub(crate) struct CallEntry {
    pub(crate) tool_use_id: String,
    pub(crate) name: String,
    pub(crate) path: Option<String>,
}

/// Returns the entry of a record; `None` for other lines. Without prices it has no cost.
pub(crate) fn entry(
    offset: u64,
    length: u64,
    line: &Line<'_>,
    prices: Option<&Prices>,
    depth: Depth,
) -> Option<Entry> {
    let is_assistant = match line.kind {
        LineType::Assistant => true,
        LineType::User => false,
        LineType::Other(_) | LineType::Missing => return None,
    };
    let message = line.message.clone().unwrap_or_default();
    let uuid = line.uuid.as_ref()?.to_string();
    let message_id = match (is_assistant, &message.id) {
        (true, Some(id)) => id.to_string(),
        _ => uuid.clone(),
    };
    let owned = |text: &Option<Cow<'_, str>>| text.as_deref().map(str::to_owned);
    let mut entry = Entry {
        offset,
        length,
        uuid,
        message_id,
        is_assistant,
        at: line.timestamp.as_deref().and_then(milliseconds),
        parent_tool_use_id: owned(&line.parent_tool_use_id),
        agent_id: owned(&line.agent_id),
        is_sub: line.parent_tool_use_id.is_some() || line.is_sidechain,
        is_progress: line.is_progress,
        model: owned(&message.model).filter(|model| model != "<synthetic>"),
        usage: message.usage.filter(|_| is_assistant),
        agent_report: line.result_meta.and_then(agent_report),
        ..Entry::default()
    };
    entry.take_side_calls(line, prices);
    let mut text = match depth {
        Depth::Texts => Text::default(),
        Depth::Numbers => Text::full(),
    };
    let is_of_agent = entry.agent_report.is_some();
    if depth == Depth::Texts || is_assistant || is_of_agent || may_have_error(message.content) {
        for block in blocks(message.content) {
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
    /// Adds the calls that the message took besides its own, and what all of them cost.
    fn take_side_calls(&mut self, line: &Line<'_>, prices: Option<&Prices>) {
        let Some(message) = line.message.as_ref().filter(|_| self.is_assistant) else {
            return;
        };
        let own = message.usage.unwrap_or_default();
        let billed = message.model.as_deref().map(|model| Billed {
            model,
            at: line.timestamp.as_deref(),
            usage: &own,
            is_fast: message.is_fast,
            is_us_only: message.is_us_only,
        });
        let priced = prices.zip(billed);
        self.cost = priced
            .filter(|_| message.usage.is_some())
            .and_then(|(prices, billed)| prices.cost(&billed));
        for call in &message.side_calls {
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
            Block::Text(said) if !self.is_assistant => text.add(&typed(&said)),
            Block::Text(said) | Block::Thinking(said) => text.add(&said),
            Block::ToolUse { id, name, input } => {
                text.add(&name);
                self.calls.push(CallEntry {
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
                self.results.push((tool_use_id.into_owned(), is_error));
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

impl Default for Text {
    fn default() -> Self {
        Self {
            text: String::new(),
            max_bytes: MAX_TEXT_BYTES,
        }
    }
}

impl Text {
    /// Returns one that takes nothing.
    fn full() -> Self {
        Self {
            text: String::new(),
            max_bytes: 0,
        }
    }

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
    if memchr::memchr(b'\x1b', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let mut parts = text.split("\u{1b}[");
    let mut clean = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mut rest = part
            .trim_start_matches(|sign| matches!(sign, ' '..='?'))
            .chars();
        rest.next(); // the letter that says what it is
        clean.push_str(rest.as_str());
    }
    Cow::Owned(clean)
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
