//! A turn with its calls, for every form in which a conversation is written.

use crate::render::short::moment;
use ccd_protocol::conversation::{ConversationPair, ConversationTurn, TurnRole, typed};
use serde_json::Value;
use std::collections::HashMap;
use std::iter::Peekable;

#[derive(Debug)]
pub(crate) struct Spoken {
    pub(super) turn: ConversationTurn,
    pub(super) blocks: Vec<SpokenBlock>,
}

#[derive(Debug)]
pub(super) enum SpokenBlock {
    Text(String),
    Thinking(String),
    Call(Box<ConversationPair>),
    /// Another type, such as an image.
    Other(String),
}

/// Who speaks in what Claude Code wrote in the user's name.
pub(super) const WRITTEN_BY_CLAUDE_CODE: &str = "Claude Code";

/// Turns in reading order.
pub(super) type Turns<'a> = Peekable<&'a mut dyn Iterator<Item = Spoken>>;

impl SpokenBlock {
    /// Reads a block that is not a call; `None` if it says nothing.
    pub(super) fn of(block: &Value, role: TurnRole) -> Option<Self> {
        let text = |name: &str| block[name].as_str().unwrap_or_default().to_owned();
        match block["type"].as_str().unwrap_or_default() {
            "text" if role == TurnRole::User => {
                let said = typed(&text("text")).into_owned();
                // Such as the output of a command that printed nothing.
                (!said.trim().is_empty()).then_some(Self::Text(said))
            }
            "text" => Some(Self::Text(text("text"))),
            "thinking" => Some(Self::Thinking(text("thinking"))),
            kind => Some(Self::Other(kind.to_owned())),
        }
    }
}

pub(super) fn is_call(block: &Value) -> bool {
    let kind = block["type"].as_str().unwrap_or_default();
    kind.ends_with("tool_use")
}

impl Spoken {
    /// Reads the blocks of a turn, and takes its calls from `pairs`.
    pub(crate) fn of(
        mut turn: ConversationTurn,
        pairs: &mut HashMap<String, ConversationPair>,
    ) -> Self {
        let raw = std::mem::take(&mut turn.content_blocks);
        let blocks = raw.iter().filter_map(|raw| {
            let block: Value = serde_json::from_str(raw.get()).unwrap_or_default();
            if is_call(&block) {
                // If a record repeats a call, it is there once.
                let pair = pairs.remove(block["id"].as_str().unwrap_or_default());
                return pair.map(|pair| SpokenBlock::Call(Box::new(pair)));
            }
            SpokenBlock::of(&block, turn.role)
        });
        let blocks = blocks.collect();
        Self { turn, blocks }
    }

    /// True if nobody says anything: results are part of their calls.
    pub(super) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// True if there is more than calls, so that a reader wants to know who speaks.
    pub(super) fn has_text(&self) -> bool {
        let is_call = |block: &SpokenBlock| matches!(block, SpokenBlock::Call(_));
        self.turn.role == TurnRole::User || !self.blocks.iter().all(is_call)
    }

    pub(super) fn has_id(&self, id: &str) -> bool {
        let mut records = self.turn.records.iter();
        self.turn.message_id == id || records.any(|one| one.uuid().is_some_and(|uuid| uuid == id))
    }
}

/// Returns the model without `claude-`, and the time, as far as they are known.
pub(super) fn model_and_time(turn: &ConversationTurn) -> Vec<String> {
    let model = turn.model.as_deref().unwrap_or_default();
    let model = model.strip_prefix("claude-").unwrap_or(model).to_owned();
    let time = moment(turn.timestamp.as_deref().unwrap_or_default());
    let mut parts = vec![model, time];
    parts.retain(|part| !part.is_empty());
    parts
}

/// Sub-agents that are deeper are written as if their calls were missing. Claude Code starts them five deep.
const MAX_DEPTH: usize = 50;

/// Returns the next turn if it is one of the sub-agent that this call of a turn at `depth` started.
pub(super) fn next_of(turns: &mut Turns<'_>, call: &str, depth: usize) -> Option<Spoken> {
    turns.next_if(|next| depth < MAX_DEPTH && next.turn.parent_tool_use_id.as_deref() == Some(call))
}
