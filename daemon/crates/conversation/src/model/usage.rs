//! Tokens of a conversation.

use super::records::Record;
use crate::line::Usage;
pub use ccd_protocol::conversation::ConversationTotals as Totals;
use std::collections::{HashMap, HashSet};

/// A message that counts.
struct Billed {
    /// Its record with the most output: a stream writes each block of a message as a record, and only the last knows the
    /// tokens.
    record: usize,
    is_main: bool,
}

fn messages(records: &[&Record], parents: &[Option<&str>]) -> Vec<Billed> {
    let mut messages: Vec<Billed> = Vec::new();
    let mut by_id: HashMap<&str, usize> = HashMap::new();
    for (index, (record, parent)) in records.iter().zip(parents).enumerate() {
        if record.usage.is_none() {
            continue;
        }
        let at = *by_id.entry(&record.message_id).or_insert(messages.len());
        match messages.get_mut(at) {
            Some(message) => {
                if record.tokens_rank() > records[message.record].tokens_rank() {
                    message.record = index;
                }
                message.is_main |= is_main(record, *parent);
            }
            None => messages.push(Billed {
                record: index,
                is_main: is_main(record, *parent),
            }),
        }
    }
    messages
}

/// Returns the tokens of a conversation, and the records that have those of a message each.
///
/// Each message counts once. A sub-agent whose records are not there counts by what the result of its call says.
pub(super) fn totals(records: &[&Record], parents: &[Option<&str>]) -> (Totals, Vec<usize>) {
    let messages = messages(records, parents);
    let mut totals = Totals::default();
    for message in &messages {
        let usage = records[message.record].all_usage().unwrap_or_default();
        add(&mut totals, &usage, message.is_main);
    }
    // An old transcript has records of sub-agents that do not say whose they are: what results say is in these.
    if records.iter().zip(parents).any(|(record, parent)| {
        record.is_sidechain
            && record.agent_id.is_none()
            && parent.is_none()
            && record.usage.is_some()
    }) {
        let billed = messages.into_iter().map(|message| message.record);
        return (totals, billed.collect());
    }
    let present: HashSet<&str> = parents.iter().flatten().copied().collect();
    let mut reported = HashSet::new();
    for record in records {
        let (Some((_, Some(usage))), [outcome]) =
            (record.agent_report.as_deref(), &record.outcomes[..])
        else {
            continue;
        };
        let id = outcome.tool_use_id.as_str();
        if !present.contains(id) && reported.insert(id) {
            add(&mut totals, usage, false);
        }
    }
    let billed = messages.into_iter().map(|message| message.record);
    (totals, billed.collect())
}

fn is_main(record: &Record, parent: Option<&str>) -> bool {
    parent.is_none() && !record.is_sidechain
}

fn add(totals: &mut Totals, usage: &Usage, is_main: bool) {
    totals.total += usage;
    match is_main {
        true => totals.main += usage,
        false => totals.subagents += usage,
    }
}
