//! A line into items.

use crate::line::{
    Block, Line, LineType, MessageUsage, Usage, blocks, call_in, raw_blocks, read, text_of,
};
use crate::model::{Inline, InlineAgents, LineLocation, Role, prompt_of_call};
use crate::price::{Billed, Prices};
use crate::recent::Recent;
use ccd_base::surrogate::mended;
use ccd_protocol::conversation::{
    ConversationEnd, ConversationEndReason, ConversationItem, ConversationItemKind as ItemKind,
    ConversationPair, ConversationTurn, ToolResult, ToolUse,
};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::sync::Arc;

/// The texts of longer lines are left out.
pub(super) const MAX_LINE_BYTES: u64 = 8 << 20;

/// Calls of a file whose results are recognised, the last ones.
const CALLS: usize = 1000;

/// Messages of a file that are known to have begun, the last ones.
const MESSAGES: usize = 1000;

/// Prompts and records of sub-agents in an old transcript, the last ones.
const INLINE: usize = 1000;

/// What the lines of one file so far mean for the next ones.
#[derive(Debug, Default)]
pub(super) struct Maker {
    /// By the id of the message, with its tokens.
    messages: Recent<Option<Usage>, MESSAGES>,
    calls: Recent<Call, CALLS>,
    inline: InlineAgents<String, INLINE>,
}

/// A call, whose input stays in the file.
#[derive(Debug, Clone, Copy)]
struct Call {
    place: LineLocation,
    results: u64,
}

#[derive(Debug)]
pub(super) struct Wanted {
    /// Empty for all.
    pub(super) kinds: Vec<ItemKind>,
    pub(super) prices: Arc<Prices>,
}

impl Wanted {
    pub(super) fn has(&self, kind: ItemKind) -> bool {
        self.kinds.is_empty() || self.kinds.contains(&kind)
    }
}

pub(super) struct Source<'a> {
    pub(super) line: &'a Line<'a>,
    pub(super) bytes: &'a str,
    pub(super) place: LineLocation,
    pub(super) file: &'a str,
    /// The call that started the sub-agent whose file it is.
    pub(super) parent: Option<&'a str>,
    pub(super) read: &'a dyn Fn(LineLocation) -> Option<String>,
    pub(super) wanted: &'a Wanted,
}

impl Maker {
    /// Returns the items of a line that is a record, or the end of a stream.
    pub(super) fn items(&mut self, source: &Source<'_>) -> Vec<ConversationItem> {
        let Some(role) = source.line.role() else {
            let is_end = source.line.kind == LineType::Other("result".into());
            let end = (is_end && source.wanted.has(ItemKind::End)).then(|| end_of_run(source));
            return end.into_iter().collect();
        };
        let base = base(source, role, self.inline_parent(source.line));
        let mut items = Vec::new();
        if source.wanted.has(ItemKind::Record) {
            items.push(ConversationItem {
                record: (!base.omitted)
                    .then(|| RawValue::from_string(source.bytes.to_owned()).ok())
                    .flatten(),
                ..base.clone()
            });
        }
        items.extend(self.turn(source, &base));
        items.extend(self.pairs(source, &base));
        items.extend(self.usage(source, &base));
        items
    }

    fn turn(&mut self, source: &Source<'_>, base: &ConversationItem) -> Option<ConversationItem> {
        let message = source.line.message.as_ref();
        let message_id = base.message_id.clone().unwrap_or_default();
        let is_answer = base.role == Some(Role::Assistant);
        let continued = is_answer && self.messages.get_mut(&message_id).is_some();
        if is_answer && !continued {
            self.messages.insert(&message_id, None);
        }
        let content = message.and_then(|message| message.content);
        let content_blocks = raw_blocks(content.filter(|_| !base.omitted));
        let has_content = base.omitted || !content_blocks.is_empty();
        if !has_content || !source.wanted.has(ItemKind::Turn) {
            return None;
        }
        Some(ConversationItem {
            kind: ItemKind::Turn,
            continued,
            turn: Some(ConversationTurn {
                message_id,
                role: base.role.unwrap_or_default(),
                is_meta: source.line.is_meta,
                records: base.uuid.iter().map(|uuid| uuid.as_str().into()).collect(),
                content_blocks,
                parent_tool_use_id: base.parent_tool_use_id.clone(),
                session_id: base.session_id.clone(),
                timestamp: source.line.timestamp.as_deref().map(str::to_owned),
                model: source.line.model().map(str::to_owned),
                usage: (message.and_then(|message| message.usage.as_ref()))
                    .map(MessageUsage::total),
            }),
            ..base.clone()
        })
    }

    fn pairs(&mut self, source: &Source<'_>, base: &ConversationItem) -> Vec<ConversationItem> {
        let mut items = Vec::new();
        let content = source.line.message.as_ref().and_then(|one| one.content);
        let blocks = blocks(content);
        let results = blocks
            .iter()
            .filter(|block| matches!(block, Block::ToolResult { .. }));
        // A note is about one result.
        let meta = source.line.result_meta.filter(|_| results.count() == 1);
        for block in &blocks {
            let pair = match block {
                Block::ToolUse { id, name, input }
                    if self.called(id, name, *input, source.place) =>
                {
                    ConversationPair {
                        tool_use: tool_use(id, name, input.filter(|_| !base.omitted)),
                        tool_result: None,
                        results: 0,
                    }
                }
                Block::ToolResult {
                    tool_use_id,
                    content,
                    is_error,
                } => {
                    let Some(call) = self.calls.get_mut(tool_use_id) else {
                        continue; // its call is not in the file, or long ago
                    };
                    call.results += 1;
                    if !source.wanted.has(ItemKind::Pair) {
                        continue; // the call is read again only for an item
                    }
                    let Some(tool_use) = call_at(*call, tool_use_id, source.read) else {
                        continue;
                    };
                    ConversationPair {
                        tool_use,
                        tool_result: Some(ToolResult {
                            content: text_of(content.filter(|_| !base.omitted)),
                            is_error: *is_error,
                            meta: meta.filter(|_| !base.omitted).map(RawValue::to_owned),
                        }),
                        results: call.results,
                    }
                }
                _ => continue,
            };
            if source.wanted.has(ItemKind::Pair) {
                items.push(ConversationItem {
                    kind: ItemKind::Pair,
                    pair: Some(pair),
                    ..base.clone()
                });
            }
        }
        items
    }

    /// Notes a call; returns false for one that is repeated.
    fn called(
        &mut self,
        id: &str,
        name: &str,
        input: Option<&RawValue>,
        place: LineLocation,
    ) -> bool {
        let is_new = self.calls.get_mut(id).is_none();
        if is_new {
            self.calls.insert(id, Call { place, results: 0 });
            if let Some(prompt) = input.and_then(|input| prompt_of_call(name, input)) {
                self.inline.note_call(id.to_owned(), prompt);
            }
        }
        is_new
    }

    /// Returns the call that started the sub-agent of a record in an old transcript.
    fn inline_parent(&mut self, line: &Line<'_>) -> Option<String> {
        let (inline, uuid) = (Inline::from_line(line)?, line.uuid.as_deref()?);
        Some(self.inline.parent(&inline, uuid, uuid.to_owned()))
    }

    fn usage(&mut self, source: &Source<'_>, base: &ConversationItem) -> Option<ConversationItem> {
        let message = source.line.message.as_ref()?;
        if base.role != Some(Role::Assistant) {
            return None;
        }
        let usage = message.usage.as_ref()?.total();
        let known = self
            .messages
            .insert(base.message_id.as_deref()?, Some(usage));
        // Claude Code writes a record for each block of a message, each with the tokens of the message.
        if known == Some(Some(usage)) || !source.wanted.has(ItemKind::Usage) {
            return None;
        }
        let billed = Billed::from_message(message, source.line.timestamp.as_deref());
        let prices = &source.wanted.prices;
        let cost_usd = billed.and_then(|billed| prices.cost_with_side_calls(&billed));
        Some(ConversationItem {
            kind: ItemKind::Usage,
            usage: Some(usage),
            cost_usd,
            ..base.clone()
        })
    }
}

fn base(source: &Source<'_>, role: Role, inline: Option<String>) -> ConversationItem {
    let line = source.line;
    let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
    let agent = line.agent_id.as_deref().filter(|_| line.is_sidechain);
    let parent = line.parent_tool_use_id.as_deref();
    ConversationItem {
        session_id: text(line.session_id.as_deref()),
        file: source.file.to_owned(),
        offset: source.place.offset,
        length: source.place.len,
        uuid: Some(text(line.uuid.as_deref())),
        message_id: Some(text(line.message_id())),
        role: Some(role),
        parent_tool_use_id: (parent.or(source.parent).or(agent))
            .map(str::to_owned)
            .or(inline),
        omitted: source.place.len > MAX_LINE_BYTES,
        ..ConversationItem::default()
    }
}

fn end_of_run(source: &Source<'_>) -> ConversationItem {
    #[derive(Deserialize)]
    struct RunResult {
        #[serde(default)]
        is_error: bool,
    }
    let is_error =
        serde_json::from_str::<RunResult>(source.bytes).is_ok_and(|result| result.is_error);
    let session_id = source.line.session_id.as_deref().unwrap_or_default();
    ConversationItem {
        kind: ItemKind::End,
        session_id: session_id.to_owned(),
        file: source.file.to_owned(),
        offset: source.place.offset,
        length: source.place.len,
        end: Some(ConversationEnd {
            reason: ConversationEndReason::Result,
            is_error,
        }),
        ..ConversationItem::default()
    }
}

fn call_at(
    call: Call,
    id: &str,
    read_line: &dyn Fn(LineLocation) -> Option<String>,
) -> Option<ToolUse> {
    let bytes = read_line(call.place)?;
    let line = mended(bytes.as_bytes());
    let (name, input) = call_in(read(&line).ok()?.message?.content, id)?;
    let input = input.filter(|_| call.place.len <= MAX_LINE_BYTES);
    Some(tool_use(id, &name, input))
}

fn tool_use(id: &str, name: &str, input: Option<&RawValue>) -> ToolUse {
    ToolUse {
        id: id.to_owned(),
        name: name.to_owned(),
        input: input.unwrap_or(RawValue::NULL).to_owned(),
    }
}
