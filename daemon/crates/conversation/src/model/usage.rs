//! Tokens of a conversation.

use super::records::Record;
use crate::line::Usage;
use serde::Serialize;
use std::collections::{HashMap, HashSet};

/// Tokens, each message once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    pub total: Usage,
    /// Without sub-agents.
    pub main: Usage,
    pub subagents: Usage,
}

impl Totals {
    /// A message is counted by its record with the most output, the last one of these: a stream writes each block of a
    /// message as a record, and only the last knows the tokens. A sub-agent whose records are not there counts by what
    /// the result of its call says.
    pub(super) fn of(records: &[&Record], parents: &[Option<&str>]) -> Self {
        let mut messages: HashMap<&str, (Usage, bool)> = HashMap::new();
        for (record, parent) in records.iter().zip(parents) {
            let Some(usage) = record.usage else { continue };
            let (known, is_main) = messages.entry(&record.message_id).or_insert((usage, false));
            if usage.output_tokens >= known.output_tokens {
                *known = usage;
            }
            *is_main |= parent.is_none();
        }
        let mut totals = Self::default();
        for (usage, is_main) in messages.values() {
            totals.add(usage, *is_main);
        }
        let present: HashSet<&str> = parents.iter().flatten().copied().collect();
        let mut reported = HashSet::new();
        for record in records {
            let (Some((_, Some(usage))), [outcome]) = (&record.agent_report, &record.outcomes[..])
            else {
                continue;
            };
            let id = outcome.tool_use_id.as_str();
            if !present.contains(id) && reported.insert(id) {
                totals.add(usage, false);
            }
        }
        totals
    }

    fn add(&mut self, usage: &Usage, is_main: bool) {
        self.total += usage;
        match is_main {
            true => self.main += usage,
            false => self.subagents += usage,
        }
    }
}
