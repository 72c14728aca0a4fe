//! Sub-agents inside an old transcript: their records name neither a call nor an agent, only the record before them.

use super::recent::Recent;
use crate::line::{Line, LineType, text_of};
use crate::model::{hash, prompt_of_call};
use serde_json::value::RawValue;
use std::collections::VecDeque;

/// Prompts and records that are known, the last ones.
const LEN: usize = 1000;

/// What the lines so far say of them.
#[derive(Debug, Default)]
pub(super) struct InlineAgents {
    /// Calls that start sub-agents and have none yet, by their prompts.
    calls: Recent<VecDeque<String>, LEN>,
    /// The call of each record.
    known: Recent<String, LEN>,
}

impl InlineAgents {
    pub(super) fn note_call(&mut self, id: &str, tool: &str, input: Option<&RawValue>) {
        let Some(prompt) = input.and_then(|input| prompt_of_call(tool, input)) else {
            return;
        };
        let prompt = prompt.to_string();
        match self.calls.get_mut(&prompt) {
            Some(calls) => calls.push_back(id.to_owned()),
            None => drop(self.calls.insert(&prompt, VecDeque::from([id.to_owned()]))),
        }
    }

    /// Returns the call that started the sub-agent of such a record, or the sub-agent's first record if the call is not known.
    pub(super) fn parent(&mut self, line: &Line<'_>) -> Option<String> {
        let says_whose = line.parent_tool_use_id.is_some() || line.agent_id.is_some();
        let uuid = line.uuid.as_deref()?;
        if !line.is_sidechain || says_whose {
            return None;
        }
        let before = line.parent_uuid.as_deref();
        let known = before.and_then(|before| self.known.get_mut(before).cloned());
        let called = || {
            let message = line
                .message
                .as_ref()
                .filter(|_| line.kind == LineType::User)?;
            let prompt = hash(&text_of(message.content)).to_string();
            self.calls.get_mut(&prompt)?.pop_front()
        };
        let parent = known.or_else(called).unwrap_or_else(|| uuid.to_owned());
        self.known.insert(uuid, parent.clone());
        Some(parent)
    }
}
