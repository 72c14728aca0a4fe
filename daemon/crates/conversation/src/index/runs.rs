//! What the runs of a stream used, among the tokens of messages.

use super::batch::RunEnd;
use super::extract::Entry;
use super::tokens::{MessageRow, tokens_row};
use crate::line::{ModelUse, Usage};
use crate::model::{Runs, add_use};
use ccd_store::{AssertSqlSafe, Connection, SqlResult, insert, query, query_as};

/// Ids of rows that have what the runs of a file used besides its messages start with this.
pub(super) const RUNS: &str = "runs ";

/// Selects the rows of messages.
const MESSAGES: &str = "substr(message_id, 1, 5) <> 'runs ' AND tool_use_id IS NULL";

/// Puts what the runs of a stream used until the end of one.
pub(super) async fn put_run(
    connection: &mut Connection,
    file_id: i64,
    end: &RunEnd,
) -> SqlResult<()> {
    let (session_id, runs): (String, Option<String>) =
        query_as("SELECT session_id, runs FROM files WHERE id = ?1")
            .bind(file_id)
            .fetch_one(&mut *connection)
            .await?;
    let counted: Vec<MessageRow> = query_as(AssertSqlSafe(format!(
        "SELECT * FROM messages WHERE file_id = ?1 AND {MESSAGES}"
    )))
    .bind(file_id)
    .fetch_all(&mut *connection)
    .await?;
    let runs = runs.and_then(|runs| serde_json::from_str(&runs).ok());
    let mut runs: Runs = runs.unwrap_or_default();
    runs.end(end.used.clone(), uses(&counted));
    let rows = run_rows(file_id, &session_id, end.at, &runs);
    insert(
        connection,
        "INSERT OR REPLACE INTO messages ({columns}) {values}",
        &rows,
    )
    .await?;
    // Claude Code has a price for each of its messages.
    let priced = "UPDATE messages SET cost_usd = 0 WHERE file_id = ?1 AND cost_usd IS NULL AND ?2";
    query(priced)
        .bind(file_id)
        .bind(runs.cost_usd().is_some())
        .execute(&mut *connection)
        .await?;
    query("UPDATE files SET runs = ?2 WHERE id = ?1")
        .bind(file_id)
        .bind(serde_json::to_string(&runs).unwrap_or_default())
        .execute(connection)
        .await
        .map(drop)
}

/// Returns what messages used, by model.
pub(super) fn uses<'a>(rows: impl IntoIterator<Item = &'a MessageRow>) -> Vec<ModelUse> {
    let mut uses = Vec::new();
    for row in rows {
        let one = ModelUse {
            model: row.model.clone().unwrap_or_default(),
            usage: Usage {
                input_tokens: row.input_tokens.cast_unsigned(),
                output_tokens: row.output_tokens.cast_unsigned(),
                cache_creation_input_tokens: row.cache_creation_input_tokens.cast_unsigned(),
                cache_read_input_tokens: row.cache_read_input_tokens.cast_unsigned(),
                web_search_requests: row.web_search_requests.cast_unsigned(),
                ..Usage::default()
            },
            cost_usd: row.cost_usd,
            is_sub: row.is_sub,
        };
        add_use(&mut uses, &one);
    }
    uses
}

/// Returns what the runs of a file used besides its messages, by model.
pub(super) fn run_rows(
    file_id: i64,
    session_id: &str,
    at: Option<i64>,
    runs: &Runs,
) -> Vec<MessageRow> {
    let mut entry = Entry::default();
    entry.record.at = at;
    let row = |one: ModelUse| MessageRow {
        is_sub: one.is_sub,
        message_id: format!("{RUNS}{session_id}#{}", one.model),
        cost_usd: one.cost_usd,
        model: Some(one.model),
        ..tokens_row(file_id, &entry, &one.usage)
    };
    runs.rest().into_iter().map(row).collect()
}
