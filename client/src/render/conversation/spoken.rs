//! Turns with their calls, in the order in which they are read, for every form in which a conversation is written.

use crate::fields::Fields as _;
use ccd_protocol::conversation::typed;
use serde_json::Value;
use std::collections::HashMap;
use std::io;
use std::iter::Peekable;

#[derive(Debug)]
pub(crate) struct Spoken {
    pub(super) turn: Value,
    pub(super) blocks: Vec<SpokenBlock>,
}

#[derive(Debug)]
pub(super) enum SpokenBlock {
    Text(String),
    Thinking(String),
    Call(Value),
    /// Another type, such as an image.
    Other(String),
}

/// Turns in reading order.
pub(super) type Turns<'a> = Peekable<&'a mut dyn Iterator<Item = Spoken>>;

impl SpokenBlock {
    /// Reads a block that is not a call; `None` if it says nothing.
    pub(super) fn of(block: &Value, turn: &Value) -> Option<Self> {
        match block.text("type") {
            "text" if turn.text("role") == "user" => {
                let said = typed(block.text("text")).into_owned();
                // Such as the output of a command that printed nothing.
                (!said.trim().is_empty()).then_some(Self::Text(said))
            }
            "text" => Some(Self::Text(block.text("text").to_owned())),
            "thinking" => Some(Self::Thinking(block.text("thinking").to_owned())),
            kind => Some(Self::Other(kind.to_owned())),
        }
    }
}

pub(super) fn is_call(block: &Value) -> bool {
    block.text("type").ends_with("tool_use")
}

impl Spoken {
    /// Reads the blocks of a turn, and takes its calls from `pairs`.
    pub(crate) fn of(turn: Value, pairs: &mut HashMap<String, Value>) -> Self {
        let blocks = turn.list("contentBlocks").iter().filter_map(|block| {
            if is_call(block) {
                // If a record repeats a call, it is there once.
                return pairs.remove(block.text("id")).map(SpokenBlock::Call);
            }
            SpokenBlock::of(block, &turn)
        });
        let blocks = blocks.collect();
        Self { turn, blocks }
    }

    /// True if there is more than calls, so that a reader wants to know who speaks. Results are part of their calls.
    pub(super) fn has_text(&self) -> bool {
        let is_call = |block: &SpokenBlock| matches!(block, SpokenBlock::Call(_));
        let is_user = self.turn.text("role") == "user";
        !self.blocks.is_empty() && (is_user || !self.blocks.iter().all(is_call))
    }

    pub(super) fn has_id(&self, id: &str) -> bool {
        let mut records = self.turn.list("records").iter();
        self.turn.text("messageId") == id || records.any(|one| one == id)
    }

    fn parent(&self) -> Option<String> {
        self.turn["parentToolUseId"].as_str().map(str::to_owned)
    }
}

/// A form in which a conversation is written. `depth` is 0 for the main conversation, and one more for each sub-agent.
pub(super) trait Form {
    fn turn(&mut self, turn: &Spoken, depth: usize) -> io::Result<()>;
    fn block(&mut self, block: &SpokenBlock, depth: usize) -> io::Result<()>;
    /// The turns of a sub-agent follow whose call was not written before.
    fn apart(&mut self, call: &str) -> io::Result<()>;
    /// What follows is at this depth again.
    fn back_to(&mut self, depth: usize) -> io::Result<()>;
}

/// Writes turns, each as soon as it is there, with sub-agents below the calls that started them.
pub(super) fn write(turns: &mut Turns<'_>, form: &mut impl Form) -> io::Result<()> {
    while let Some(turn) = turns.next() {
        match turn.parent() {
            None => write_turn(turn, turns, 0, form)?,
            Some(call) => {
                form.apart(&call)?;
                write_turn(turn, turns, 1, form)?;
                write_sub_agents(&call, turns, 0, form)?;
            }
        }
    }
    Ok(())
}

fn write_turn(
    turn: Spoken,
    turns: &mut Turns<'_>,
    depth: usize,
    form: &mut impl Form,
) -> io::Result<()> {
    form.turn(&turn, depth)?;
    for block in &turn.blocks {
        form.block(block, depth)?;
        if let SpokenBlock::Call(pair) = block {
            write_sub_agents(pair.text("toolUse.id"), turns, depth, form)?;
        }
    }
    if depth == 0 { form.back_to(0) } else { Ok(()) }
}

fn write_sub_agents(
    call: &str,
    turns: &mut Turns<'_>,
    depth: usize,
    form: &mut impl Form,
) -> io::Result<()> {
    /// Sub-agents that are deeper are written as if their calls were missing. Claude Code starts them five deep.
    const MAX_DEPTH: usize = 50;
    let is_of = |next: &Spoken| depth < MAX_DEPTH && next.turn.text("parentToolUseId") == call;
    while let Some(turn) = turns.next_if(is_of) {
        write_turn(turn, turns, depth + 1, form)?;
    }
    form.back_to(depth)
}
