//! Sub-agents inside an old transcript: their records name neither a call nor an agent, only the record before them.

use crate::line::{Line, LineType, text_of};
use crate::recent::Recent;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};

/// What tells sub-agents in an old transcript apart.
#[derive(Debug, Clone, Default)]
pub struct Inline {
    /// The record before it.
    pub parent_uuid: Option<String>,
    /// A hash of its text, if it may be a prompt.
    pub text: Option<u64>,
}

impl Inline {
    /// Returns what a record of a sub-agent that does not say whose it is has instead.
    pub(crate) fn from_line(line: &Line<'_>) -> Option<Self> {
        let says_whose = line.parent_tool_use_id.is_some() || line.agent_id.is_some();
        if !line.is_sidechain || says_whose {
            return None;
        }
        let message = line.message.as_ref();
        let prompt = message.filter(|_| line.kind == LineType::User);
        Some(Self {
            parent_uuid: line.parent_uuid.as_deref().map(str::to_owned),
            text: prompt.map(|message| hash(&text_of(message.content))),
        })
    }
}

/// The calls of such sub-agents, named by `T`; of calls and of records the last `LEN`.
#[derive(Debug, Default)]
pub(crate) struct InlineAgents<T, const LEN: usize> {
    /// Calls that start sub-agents and have none yet, by hashes of their prompts.
    calls: Recent<VecDeque<T>, LEN>,
    /// The call of each record.
    known: Recent<T, LEN>,
}

impl<T: Clone, const LEN: usize> InlineAgents<T, LEN> {
    pub(crate) fn note_call(&mut self, id: T, prompt: u64) {
        let prompt = prompt.to_string();
        match self.calls.get_mut(&prompt) {
            Some(calls) => calls.push_back(id),
            None => drop(self.calls.insert(&prompt, VecDeque::from([id]))),
        }
    }

    /// Returns the call that started the sub-agent of a record; `own` names the record, for a sub-agent that nobody called.
    pub(crate) fn parent(&mut self, inline: &Inline, uuid: &str, own: T) -> T {
        let before = inline.parent_uuid.as_deref();
        let known = before.and_then(|before| self.known.get_mut(before).cloned());
        let called = || {
            let calls = self.calls.get_mut(&inline.text?.to_string())?;
            calls.pop_front()
        };
        let parent = known.or_else(called).unwrap_or(own);
        self.known.insert(uuid, parent.clone());
        parent
    }
}

/// Names of the tool that starts a sub-agent.
const AGENT_TOOLS: [&str; 2] = ["Task", "Agent"];

/// Returns a hash of the prompt of the sub-agent that a call starts, if it starts one.
pub(crate) fn prompt_of_call(tool: &str, input: &RawValue) -> Option<u64> {
    #[derive(Deserialize)]
    struct Input<'a> {
        #[serde(borrow)]
        prompt: Cow<'a, str>,
    }
    let is_agent = AGENT_TOOLS.contains(&tool);
    let input: Input<'_> = serde_json::from_str(is_agent.then_some(input.get())?).ok()?;
    Some(hash(&input.prompt))
}

fn hash(text: &str) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(text.trim())
}
