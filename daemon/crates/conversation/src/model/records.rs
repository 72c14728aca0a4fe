//! Records, each once.

use super::inline::{Inline, prompt_of_call};
use crate::line::{Block, Line, MessageUsage, ModelUse, Usage, agent_report, blocks};
pub use ccd_protocol::conversation::TurnRole as Role;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;

/// Where a line is. The order of places is the order of the conversation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineLocation {
    /// Number of the file among those of the conversation; 0 is the main one.
    pub file: u32,
    pub offset: u64,
    /// Length in bytes, without the line end.
    pub len: u64,
}

/// A record of the conversation, without its content.
#[derive(Debug, Clone)]
pub struct Record {
    pub uuid: String,
    pub session_id: Arc<str>,
    pub role: Role,
    /// Of the first line with this uuid.
    pub order: LineLocation,
    /// Where its content is.
    pub place: LineLocation,
    /// The id of the message; that of the record itself for a user, or if there is none.
    pub message_id: String,
    /// The call that started the sub-agent which this is a record of.
    pub parent: Option<String>,
    pub agent_id: Option<String>,
    /// The prompt that this record is.
    pub prompt_id: Option<String>,
    pub is_sidechain: bool,
    /// The main conversation has it of a sub-agent. The sub-agent's own file, if it is there, has more.
    pub is_progress: bool,
    /// In an old transcript, of a record of a sub-agent that does not say whose it is.
    pub inline: Option<Box<Inline>>,
    pub timestamp: Option<String>,
    pub model: Option<String>,
    /// Of the lines with this uuid, that of the one with the most output.
    pub usage: Option<MessageUsage>,
    /// Where that line is.
    usage_place: LineLocation,
    pub calls: Vec<Call>,
    pub outcomes: Vec<Outcome>,
    /// The agent that a result is of, and the tokens that it says the agent used.
    pub agent_report: Option<Box<(Option<String>, Option<Usage>)>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    pub id: String,
    pub name: String,
    /// A hash of the prompt of a sub-agent that it starts.
    pub prompt: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    pub tool_use_id: String,
    pub is_error: bool,
}

#[derive(Debug, Clone, Default)]
pub struct Records {
    list: Vec<Record>,
    /// By a hash of their uuids: a large conversation has a hundred thousand, and is kept in memory.
    by_hash: HashMap<u64, usize>,
    hasher: RandomState,
    duplicates: u64,
    /// Where the last run of a stream starts.
    run_start: Option<LineLocation>,
    /// What runs used, each with the place of the line that ends it.
    run_ends: Vec<(LineLocation, Vec<ModelUse>)>,
}

impl Records {
    /// Takes a line. One that is no record of a conversation is ignored: returns whether it is one.
    /// Of lines with one uuid the longest counts, because a stream may repeat a record with more of its text; its position
    /// is that of the first. Its tokens are those of the line with the most output. Progress counts if there is nothing else.
    pub fn insert(&mut self, place: LineLocation, line: &Line<'_>) -> bool {
        self.run_start = self.run_start.max(line.is_run_start.then_some(place));
        if let Some(used) = &line.run_used {
            self.run_ends.push((place, used.clone()));
        }
        let Some(mut record) = Record::from_line(place, line) else {
            return false;
        };
        let Some(index) = self.index_of(&record.uuid) else {
            let hash = self.hasher.hash_one(&record.uuid);
            self.by_hash.entry(hash).or_insert(self.list.len());
            if let Some(last) = self
                .list
                .last()
                .filter(|last| last.session_id == record.session_id)
            {
                record.session_id = Arc::clone(&last.session_id);
            }
            self.list.push(record);
            return true;
        };
        self.duplicates += 1;
        let known = &mut self.list[index];
        let order = match (known.is_progress, record.is_progress) {
            (true, false) => place,
            (false, true) => known.order,
            (true, true) | (false, false) => known.order.min(place),
        };
        let rank = |record: &Record| {
            let place = record.place;
            (!record.is_progress, place.len, Reverse(place))
        };
        if rank(&record) > rank(known) {
            std::mem::swap(&mut record, known);
        }
        known.order = order;
        known.take_tokens(record);
        true
    }

    #[must_use]
    pub fn all(&self) -> &[Record] {
        &self.list
    }

    #[must_use]
    pub fn get(&self, uuid: &str) -> Option<&Record> {
        self.index_of(uuid).map(|index| &self.list[index])
    }

    fn index_of(&self, uuid: &str) -> Option<usize> {
        let index = *self.by_hash.get(&self.hasher.hash_one(uuid))?;
        if self.list[index].uuid == uuid {
            return Some(index);
        }
        // Two uuids have one hash, which nobody will see.
        self.list.iter().position(|record| record.uuid == uuid)
    }

    /// Returns what runs used, each with the place of the line that ends it, in the order of the file.
    pub(super) fn run_ends(&self) -> Vec<&(LineLocation, Vec<ModelUse>)> {
        let mut ends: Vec<_> = self.run_ends.iter().collect();
        ends.sort_by_key(|(place, _)| *place);
        ends
    }

    /// Returns where the last line is that says what runs used.
    #[must_use]
    pub fn last_run_end(&self) -> Option<LineLocation> {
        self.run_ends.iter().map(|(place, _)| *place).max()
    }

    /// Returns whether nobody says yet what the last run of a stream used.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.run_start > self.last_run_end()
    }

    /// Returns how many lines repeat a record.
    #[must_use]
    pub fn duplicates(&self) -> u64 {
        self.duplicates
    }
}

impl Record {
    /// Returns the tokens of its message with those of side calls.
    #[must_use]
    pub fn all_usage(&self) -> Option<Usage> {
        self.usage.as_ref().map(MessageUsage::total)
    }

    /// Orders what several lines say of one message's tokens: the last of those with the most output counts.
    pub(super) fn tokens_rank(&self) -> (Option<u64>, LineLocation) {
        let output = self.usage.as_ref().map(|usage| usage.tokens.output_tokens);
        (output, self.usage_place)
    }

    fn take_tokens(&mut self, other: Self) {
        if other.tokens_rank() > self.tokens_rank() {
            self.usage = other.usage;
            self.usage_place = other.usage_place;
        }
    }

    fn from_line(place: LineLocation, line: &Line<'_>) -> Option<Self> {
        let role = line.role()?;
        let owned = |text: &Option<Cow<'_, str>>| text.as_deref().map(str::to_owned);
        let message = line.message.clone().unwrap_or_default();
        let mut record = Self {
            uuid: owned(&line.uuid)?,
            session_id: line.session_id.as_deref()?.into(),
            role,
            order: place,
            place,
            message_id: line.message_id()?.to_owned(),
            parent: owned(&line.parent_tool_use_id),
            agent_id: owned(&line.agent_id),
            prompt_id: owned(&line.prompt_id),
            is_sidechain: line.is_sidechain,
            is_progress: line.is_progress,
            inline: Inline::from_line(line).map(Box::new),
            timestamp: owned(&line.timestamp),
            model: line.model().map(str::to_owned),
            usage: message.usage.filter(|_| role == Role::Assistant),
            usage_place: place,
            calls: Vec::new(),
            outcomes: Vec::new(),
            agent_report: line.result_meta.and_then(agent_report).map(Box::new),
        };
        for block in blocks(message.content) {
            match block {
                Block::ToolUse { id, name, input } => record.calls.push(Call {
                    id: id.into_owned(),
                    prompt: input.and_then(|input| prompt_of_call(&name, input)),
                    name: name.into_owned(),
                }),
                Block::ToolResult {
                    tool_use_id,
                    is_error,
                    ..
                } => record.outcomes.push(Outcome {
                    tool_use_id: tool_use_id.into_owned(),
                    is_error,
                }),
                Block::Text(_) | Block::Thinking(_) | Block::Other => {}
            }
        }
        if !record.outcomes.is_empty() {
            record.prompt_id = None;
        }
        Some(record)
    }
}
