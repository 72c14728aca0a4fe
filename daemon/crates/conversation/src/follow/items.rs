//! A line into items.

use super::inline::InlineAgents;
use super::recent::Recent;
use crate::line::{Block, Line, LineType, Message, Usage, blocks, raw_blocks, read, text_of};
use crate::model::{LineLocation, Role};
use crate::price::{Billed, Prices};
use ccd_protocol::conversation::{
    ConversationEnd, ConversationEndReason, ConversationItem, ConversationItemKind as ItemKind,
    ConversationPair, ConversationTurn, ToolResult, ToolUse,
};
use ccd_protocol::surrogate::mended;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::sync::Arc;

/// The texts of longer lines are left out.
pub(super) const MAX_LINE_BYTES: u64 = 8 << 20;

/// Calls of a file whose results are recognised, the last ones.
const CALLS: usize = 1000;

/// Messages of a file that are known to have begun, the last ones.
const MESSAGES: usize = 1000;

/// What the lines of one file so far mean for the next ones.
#[derive(Debug, Default)]
pub(super) struct Maker {
    /// By the id of the message, with its tokens.
    messages: Recent<Option<Usage>, MESSAGES>,
    calls: Recent<Call, CALLS>,
    inline: InlineAgents,
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
}

impl Maker {
    /// Notes what a line means for later ones. Returns whether it begins a message or a prompt.
    pub(super) fn note(&mut self, line: &Line<'_>, place: LineLocation) -> bool {
        let Some(message) = &line.message else {
            return false;
        };
        self.inline.parent(line);
        let mut has_result = false;
        for block in blocks(message.content) {
            match block {
                Block::ToolUse { id, name, input } if self.called(&id, place) => {
                    self.inline.note_call(&id, &name, input);
                }
                Block::ToolResult { tool_use_id, .. } => {
                    has_result = true;
                    if let Some(call) = self.calls.get_mut(&tool_use_id) {
                        call.results += 1;
                    }
                }
                _ => {}
            }
        }
        match (&line.kind, message.id.as_ref().or(line.uuid.as_ref())) {
            (LineType::Assistant, Some(id)) => {
                self.messages.insert(id, message.all_usage()).is_none()
            }
            (LineType::Assistant, None) => true,
            _ => !has_result && !line.is_meta,
        }
    }

    /// Returns the items of a line that is a record, or the end of a stream.
    pub(super) fn items(&mut self, source: &Source<'_>, wanted: &Wanted) -> Vec<ConversationItem> {
        let role = match &source.line.kind {
            LineType::Assistant => Role::Assistant,
            LineType::User => Role::User,
            LineType::Other(kind) if kind == "result" && wanted.has(ItemKind::End) => {
                return vec![end_of_run(source)];
            }
            LineType::Other(_) | LineType::Missing => return Vec::new(),
        };
        let base = base(source, role, self.inline.parent(source.line));
        let mut items = Vec::new();
        if wanted.has(ItemKind::Record) {
            items.push(ConversationItem {
                record: (!base.omitted)
                    .then(|| RawValue::from_string(source.bytes.to_owned()).ok())
                    .flatten(),
                ..base.clone()
            });
        }
        items.extend(self.turn(source, &base, wanted));
        self.pairs(source, &base, wanted, &mut items);
        items.extend(self.usage(source, &base, wanted));
        items
    }

    fn turn(
        &mut self,
        source: &Source<'_>,
        base: &ConversationItem,
        wanted: &Wanted,
    ) -> Option<ConversationItem> {
        let message = source.line.message.as_ref();
        let message_id = base.message_id.clone().unwrap_or_default();
        let is_new = match base.role {
            Some(Role::Assistant) if self.messages.get_mut(&message_id).is_none() => {
                self.messages.insert(&message_id, None).is_none()
            }
            Some(Role::Assistant) => false,
            _ => true,
        };
        let content = message.and_then(|message| message.content);
        let content_blocks = if base.omitted {
            Vec::new()
        } else {
            raw_blocks(content)
        };
        let has_content = base.omitted || !content_blocks.is_empty();
        if !has_content || !wanted.has(ItemKind::Turn) {
            return None;
        }
        let model = message.and_then(|message| message.model.as_deref());
        Some(ConversationItem {
            kind: ItemKind::Turn,
            continued: !is_new,
            turn: Some(ConversationTurn {
                message_id,
                role: base.role.unwrap_or_default(),
                is_meta: source.line.is_meta,
                records: base.uuid.iter().map(|uuid| uuid.as_str().into()).collect(),
                content_blocks,
                parent_tool_use_id: base.parent_tool_use_id.clone(),
                session_id: base.session_id.clone(),
                timestamp: source.line.timestamp.as_deref().map(str::to_owned),
                model: model
                    .filter(|model| *model != "<synthetic>")
                    .map(str::to_owned),
                usage: message.and_then(Message::all_usage),
            }),
            ..base.clone()
        })
    }

    fn pairs(
        &mut self,
        source: &Source<'_>,
        base: &ConversationItem,
        wanted: &Wanted,
        items: &mut Vec<ConversationItem>,
    ) {
        let content = source.line.message.as_ref().and_then(|one| one.content);
        let blocks = blocks(content);
        let results = blocks
            .iter()
            .filter(|block| matches!(block, Block::ToolResult { .. }));
        // A note is about one result.
        let meta = source.line.result_meta.filter(|_| results.count() == 1);
        for block in &blocks {
            let pair = match block {
                Block::ToolUse { id, name, input } if self.called(id, source.place) => {
                    self.inline.note_call(id, name, *input);
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
                    let Some(tool_use) = call_at(*call, tool_use_id, source.read) else {
                        continue;
                    };
                    ConversationPair {
                        tool_use,
                        tool_result: Some(ToolResult {
                            content: if base.omitted {
                                String::new()
                            } else {
                                text_of(*content)
                            },
                            is_error: *is_error,
                            meta: meta.filter(|_| !base.omitted).map(RawValue::to_owned),
                        }),
                        results: call.results,
                    }
                }
                _ => continue,
            };
            if wanted.has(ItemKind::Pair) {
                items.push(ConversationItem {
                    kind: ItemKind::Pair,
                    pair: Some(pair),
                    ..base.clone()
                });
            }
        }
    }

    /// Notes a call; returns false for one that is repeated.
    fn called(&mut self, id: &str, place: LineLocation) -> bool {
        let is_new = self.calls.get_mut(id).is_none();
        if is_new {
            self.calls.insert(id, Call { place, results: 0 });
        }
        is_new
    }

    fn usage(
        &mut self,
        source: &Source<'_>,
        base: &ConversationItem,
        wanted: &Wanted,
    ) -> Option<ConversationItem> {
        let message = source.line.message.as_ref()?;
        let usage = message
            .all_usage()
            .filter(|_| base.role == Some(Role::Assistant))?;
        let known = self
            .messages
            .insert(base.message_id.as_deref()?, Some(usage));
        // Claude Code writes a record for each block of a message, each with the tokens of the message.
        if known == Some(Some(usage)) || !wanted.has(ItemKind::Usage) {
            return None;
        }
        let cost_usd = message.model.as_deref().and_then(|model| {
            let billed = Billed {
                model,
                at: source.line.timestamp.as_deref(),
                usage: message.usage.as_ref()?,
                is_fast: message.is_fast,
                is_us_only: message.is_us_only,
            };
            wanted.prices.cost_with(&billed, &message.side_calls)
        });
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
    let uuid = line.uuid.as_deref().unwrap_or_default();
    let message_id = line.message.as_ref().and_then(|one| one.id.as_deref());
    let agent = line.agent_id.as_deref().filter(|_| line.is_sidechain);
    let parent = line.parent_tool_use_id.as_deref();
    ConversationItem {
        session_id: line.session_id.as_deref().unwrap_or_default().to_owned(),
        file: source.file.to_owned(),
        offset: source.place.offset,
        length: source.place.len,
        uuid: Some(uuid.to_owned()),
        message_id: Some(match role {
            Role::Assistant => message_id.unwrap_or(uuid).to_owned(),
            Role::User => uuid.to_owned(),
        }),
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
    let message = read(&line).ok()?.message?;
    blocks(message.content)
        .into_iter()
        .find_map(|block| match block {
            Block::ToolUse {
                id: found,
                name,
                input,
            } if found == id => {
                let input = input.filter(|_| call.place.len <= MAX_LINE_BYTES);
                Some(tool_use(id, &name, input))
            }
            _ => None,
        })
}

fn tool_use(id: &str, name: &str, input: Option<&RawValue>) -> ToolUse {
    ToolUse {
        id: id.to_owned(),
        name: name.to_owned(),
        input: input.unwrap_or(RawValue::NULL).to_owned(),
    }
}
