//! What messages used, as rows.

use super::extract::Entry;
use crate::line::Usage;

ccd_store::row! {
    #[derive(Debug)]
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
    }
}

/// Returns the tokens of a message, and those of the other models that it took, whose ids have a `#`.
pub(super) fn message_rows(file_id: i64, entry: &Entry) -> Vec<MessageRow> {
    let own = entry.usage.as_ref().map(|usage| MessageRow {
        message_id: entry.message_id.clone(),
        model: entry.model.clone(),
        cost_usd: entry.cost,
        ..tokens_row(file_id, entry, usage)
    });
    let side_calls = entry.side_calls.iter().enumerate();
    let side_calls = side_calls.map(|(number, (model, usage, cost))| MessageRow {
        message_id: format!("{}#{number}", entry.message_id),
        model: Some(model.clone()),
        cost_usd: *cost,
        ..tokens_row(file_id, entry, usage)
    });
    own.into_iter().chain(side_calls).collect()
}

pub(super) fn tokens_row(file_id: i64, entry: &Entry, usage: &Usage) -> MessageRow {
    MessageRow {
        message_id: String::new(),
        file_id,
        at: entry.at,
        model: None,
        is_sub: entry.is_sub,
        input_tokens: usage.input_tokens.cast_signed(),
        output_tokens: usage.output_tokens.cast_signed(),
        cache_creation_input_tokens: usage.cache_creation_input_tokens.cast_signed(),
        cache_read_input_tokens: usage.cache_read_input_tokens.cast_signed(),
        ephemeral_5m_input_tokens: usage.cache_creation.ephemeral_5m_input_tokens.cast_signed(),
        ephemeral_1h_input_tokens: usage.cache_creation.ephemeral_1h_input_tokens.cast_signed(),
        web_search_requests: usage.web_search_requests.cast_signed(),
        cost_usd: None,
    }
}
