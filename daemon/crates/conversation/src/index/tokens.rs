//! What messages and sub-agents used, as rows.

use super::extract::Entry;
use crate::line::Usage;
use std::collections::{HashMap, HashSet};

ccd_store::row! {
    #[derive(Debug, Default)]
    pub(super) struct MessageRow {
        pub(super) message_id: String,
        pub(super) file_id: i64,
        pub(super) at: Option<i64>,
        pub(super) model: Option<String>,
        pub(super) is_sub: bool,
        pub(super) input_tokens: i64,
        pub(super) output_tokens: i64,
        pub(super) cache_creation_input_tokens: i64,
        pub(super) cache_read_input_tokens: i64,
        pub(super) ephemeral_5m_input_tokens: i64,
        pub(super) ephemeral_1h_input_tokens: i64,
        pub(super) web_search_requests: i64,
        pub(super) cost_usd: Option<f64>,
        /// The call whose result says that its sub-agent used this.
        pub(super) tool_use_id: Option<String>,
        /// That sub-agent.
        pub(super) agent_id: Option<String>,
    }
}

/// Stands for the call of a sub-agent in an old transcript whose records do not say whose they are: what results in this
/// file say of sub-agents is in these.
pub(super) const NOBODYS: &str = "";

/// What records say of tokens.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    /// Each message as the copy that says it has most output has it; of several such, that of the first file.
    pub(super) messages: HashMap<String, MessageRow>,
    /// Calls with records of a sub-agent, and [`NOBODYS`].
    pub(super) parents: HashSet<String>,
}

impl Tokens {
    pub(super) fn take(&mut self, file_id: i64, entry: &Entry) {
        for row in message_rows(file_id, entry) {
            self.take_message(row);
        }
        if let (Some((agent_id, Some(usage))), [result]) = (&entry.agent_report, &entry.results[..])
        {
            self.take_message(MessageRow {
                message_id: format!("agent {}", result.tool_use_id),
                is_sub: true,
                web_search_requests: 0,
                tool_use_id: Some(result.tool_use_id.clone()),
                agent_id: agent_id.clone(),
                ..tokens_row(file_id, entry, usage)
            });
        }
        if entry.is_progress {
            return; // what a result says is one more message
        }
        // An older transcript has the records of a sub-agent in it, with the agent's id instead of the call's.
        let agent = entry.agent_id.as_ref().filter(|_| entry.record.is_sub);
        if let Some(parent) = entry.parent_tool_use_id.as_ref().or(agent) {
            if !self.parents.contains(parent) {
                self.parents.insert(parent.clone());
            }
        } else if entry.record.is_sub && entry.usage.is_some() {
            self.parents.insert(NOBODYS.to_owned());
        }
    }

    fn take_message(&mut self, mut new: MessageRow) {
        let Some(known) = self.messages.get_mut(&new.message_id) else {
            self.messages.insert(new.message_id.clone(), new);
            return;
        };
        let is_sub = known.is_sub && new.is_sub;
        // In one file the last record counts, of several files the first.
        let is_better = if new.file_id == known.file_id {
            new.output_tokens >= known.output_tokens
        } else {
            (known.output_tokens, new.file_id) < (new.output_tokens, known.file_id)
        };
        if is_better {
            std::mem::swap(known, &mut new);
        }
        known.is_sub = is_sub;
    }

    /// Takes what the records of another file say.
    pub(super) fn merge(&mut self, other: Self) {
        for message in other.messages.into_values() {
            self.take_message(message);
        }
        self.parents.extend(other.parents);
    }
}

/// Returns the tokens of a message, and those of the other models that it took, whose ids have a `#`.
fn message_rows(file_id: i64, entry: &Entry) -> Vec<MessageRow> {
    let id = &entry.record.message_id;
    let own = entry.usage.as_ref().map(|usage| MessageRow {
        message_id: id.clone(),
        model: entry.record.model.clone(),
        cost_usd: entry.cost,
        ..tokens_row(file_id, entry, usage)
    });
    let side_calls = entry.side_calls.iter().enumerate();
    let side_calls = side_calls.map(|(number, (model, usage, cost))| MessageRow {
        message_id: format!("{id}#{number}"),
        model: Some(model.clone()),
        cost_usd: *cost,
        ..tokens_row(file_id, entry, usage)
    });
    own.into_iter().chain(side_calls).collect()
}

pub(super) fn tokens_row(file_id: i64, entry: &Entry, usage: &Usage) -> MessageRow {
    MessageRow {
        file_id,
        at: entry.record.at,
        is_sub: entry.record.is_sub,
        input_tokens: usage.input_tokens.cast_signed(),
        output_tokens: usage.output_tokens.cast_signed(),
        cache_creation_input_tokens: usage.cache_creation_input_tokens.cast_signed(),
        cache_read_input_tokens: usage.cache_read_input_tokens.cast_signed(),
        ephemeral_5m_input_tokens: usage.cache_creation.ephemeral_5m_input_tokens.cast_signed(),
        ephemeral_1h_input_tokens: usage.cache_creation.ephemeral_1h_input_tokens.cast_signed(),
        web_search_requests: usage.web_search_requests.cast_signed(),
        ..MessageRow::default()
    }
}
