//! Tokens of a conversation.

use super::records::Record;
use crate::line::Usage;
pub use ccd_protocol::conversation::ConversationTotals as Totals;
use std::collections::{HashMap, HashSet};

/// Returns the tokens of a conversation.
///
/// A message is counted by its record with the most output, the last one of these: a stream writes each block of a
/// message as a record, and only the last knows the tokens. A sub-agent whose records are not there counts by what
/// the result of its call says.
pub(super) fn totals(records: &[&Record], parents: &[Option<&str>]) -> Totals {
    let mut messages: HashMap<&str, (Usage, bool)> = HashMap::new();
    for (record, parent) in records.iter().zip(parents) {
        let Some(usage) = record.usage else { continue };
        let (known, is_main) = messages.entry(&record.message_id).or_insert((usage, false));
        if usage.output_tokens >= known.output_tokens {
            *known = usage;
        }
        *is_main |= parent.is_none();
    }
    let mut totals = Totals::default();
    for (usage, is_main) in messages.values() {
        add(&mut totals, usage, *is_main);
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
            add(&mut totals, usage, false);
        }
    }
    totals
}

fn add(totals: &mut Totals, usage: &Usage, is_main: bool) {
    totals.total += usage;
    match is_main {
        true => totals.main += usage,
        false => totals.subagents += usage,
    }
}
