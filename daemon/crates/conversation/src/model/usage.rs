//! Tokens of a conversation.

use super::records::{LineLocation, Record};
use super::runs::{Runs, add as add_use};
use crate::line::{ModelUse, Usage};
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

/// Returns what the runs of a stream used, if it says so.
pub(super) fn runs(
    records: &[&Record],
    parents: &[Option<&str>],
    ends: &[&(LineLocation, Vec<ModelUse>)],
) -> Option<Runs> {
    let mut runs: Option<Runs> = None;
    for (end, used) in ends {
        let before = records.partition_point(|record| record.order < *end);
        let mut counted = Vec::new();
        for message in messages(&records[..before], &parents[..before]) {
            let record = records[message.record];
            let one = ModelUse {
                model: record.model.clone().unwrap_or_default(),
                usage: record.all_usage().unwrap_or_default(),
                cost_usd: None,
                is_sub: !message.is_main,
            };
            add_use(&mut counted, &one);
        }
        runs.get_or_insert_default().end(used.clone(), counted);
    }
    runs
}

/// Returns the tokens of a conversation, the records that have those of a message each, and whether there are sub-agents whose
/// records are not there: what these cost is not known.
/// Each message counts once. A sub-agent whose records are not there counts by what the result of its call says, unless the end
/// of the run says what everything used. What a call's result says is the last message of a sub-agent, which the main
/// conversation does not have among its progress.
pub(super) fn totals(
    records: &[&Record],
    parents: &[Option<&str>],
    runs: Option<&Runs>,
) -> (Totals, Vec<usize>, bool) {
    let messages = messages(records, parents);
    let mut totals = Totals::default();
    for message in &messages {
        let usage = records[message.record].all_usage().unwrap_or_default();
        add(&mut totals, &usage, message.is_main);
    }
    for one in runs.into_iter().flat_map(Runs::rest) {
        add(&mut totals, &one.usage, !one.is_sub);
    }
    // An old transcript has records of sub-agents that do not say whose they are: what results say is in these.
    let is_inline = |record: &&Record| record.inline.is_some() && record.usage.is_some();
    if runs.is_some() || records.iter().any(is_inline) {
        let billed = messages.into_iter().map(|message| message.record);
        return (totals, billed.collect(), false);
    }
    let own = (records.iter().zip(parents)).filter(|(record, _)| !record.is_progress);
    let present: HashSet<&str> = own.filter_map(|(_, parent)| *parent).collect();
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
    (totals, billed.collect(), !reported.is_empty())
}

fn is_main(record: &Record, parent: Option<&str>) -> bool {
    parent.is_none() && !record.is_sidechain
}

pub(crate) fn add(totals: &mut Totals, usage: &Usage, is_main: bool) {
    totals.total += usage;
    if is_main {
        totals.main += usage;
    } else {
        totals.subagents += usage;
    }
}
