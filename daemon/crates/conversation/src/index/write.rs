//! Changes of the index.

use super::batch::Batch;
use super::extract::Entry;
use super::inbox::Inbox;
use super::mark::mark_results;
use super::runs::put_run;
use super::tokens::{MessageRow, Tokens};
use crate::source::FoundFile;
use ccd_store::{
    AssertSqlSafe, Connection, Database, Row, SqlResult, Write, insert, query, query_scalar,
};
use ccd_text::redact::redact;
use std::sync::Arc;
use tokio::sync::Mutex;

/// Text and rows after which a commit ends.
const COMMIT_BYTES: usize = 8 << 20;

pub(crate) type IndexDatabase = Database<IndexWrite>;

/// A change.
#[derive(Debug)]
pub(crate) enum IndexWrite {
    /// Files that become part of the index.
    New(Vec<FoundFile>),
    /// Files that are gone or were replaced, by id, with all that is known of them.
    Gone(Vec<i64>),
    /// Removes the words of files that are gone, which are only marked as deleted: everything that is searched is written anew.
    Erase,
    /// Files that have other names now, by id.
    Moved(Vec<(i64, FoundFile)>),
    /// The table of prices in force has this number.
    Prices(u64),
    /// Everything is read anew, with this table of prices.
    Anew(u64),
    /// Batches as they come in, until they have [`COMMIT_BYTES`]: what is searched is written in large pieces, or merging
    /// them would take most of the time.
    Batches(Arc<Mutex<Inbox>>),
}

struct TextRow {
    rowid: i64,
    body: String,
}

/// SQLite allows 32,766 values in a statement.
const TEXTS_PER_STATEMENT: usize = 10_000;

ccd_store::row! {
    struct ParentRow {
        tool_use_id: String,
        file_id: i64,
    }
}

impl Write for IndexWrite {
    async fn apply(&self, connection: &mut Connection) -> SqlResult<()> {
        match self {
            Self::New(files) => {
                for file in files {
                    add(connection, file).await?;
                }
                Ok(())
            }
            Self::Gone(ids) => {
                for id in ids {
                    forget(connection, *id).await?;
                }
                Ok(())
            }
            Self::Erase => {
                let erase = query("INSERT INTO texts (texts) VALUES ('optimize')");
                erase.execute(connection).await.map(drop)
            }
            Self::Moved(files) => {
                for (id, file) in files {
                    rename(connection, *id, file).await?;
                }
                Ok(())
            }
            Self::Prices(number) => put_prices(connection, *number).await,
            Self::Anew(number) => {
                forget_all(connection).await?;
                put_prices(connection, *number).await
            }
            Self::Batches(inbox) => put_all(connection, &mut *inbox.lock().await).await,
        }
    }
}

async fn add(connection: &mut Connection, file: &FoundFile) -> SqlResult<()> {
    let add = "INSERT INTO files (path, claude_dir, device, inode, agent_id, parent_tool_use_id, session_id)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (path) DO UPDATE SET device = ?3, inode = ?4";
    query(add)
        .bind(&*file.path.to_string_lossy())
        .bind(&*file.claude_dir.to_string_lossy())
        .bind(file.device.cast_signed())
        .bind(file.inode.cast_signed())
        .bind(&file.agent_id)
        .bind(&file.parent_tool_use_id)
        .bind(&file.session_id)
        .execute(&mut *connection)
        .await?;
    if let Some(parent) = &file.parent_tool_use_id {
        let add = "INSERT OR IGNORE INTO parents SELECT ?1, id FROM files WHERE path = ?2";
        let add = query(add).bind(parent).bind(&*file.path.to_string_lossy());
        add.execute(connection).await?;
    }
    Ok(())
}

async fn rename(connection: &mut Connection, id: i64, file: &FoundFile) -> SqlResult<()> {
    let rename =
        "UPDATE files SET path = ?2, claude_dir = ?3, session_id = ?4, agent_id = ?5 WHERE id = ?1";
    query(rename)
        .bind(id)
        .bind(&*file.path.to_string_lossy())
        .bind(&*file.claude_dir.to_string_lossy())
        .bind(&file.session_id)
        .bind(&file.agent_id)
        .execute(connection)
        .await
        .map(drop)
}

async fn forget(connection: &mut Connection, id: i64) -> SqlResult<()> {
    for delete in [
        "DELETE FROM texts WHERE rowid IN (SELECT id FROM records WHERE file_id = ?1)",
        "DELETE FROM calls WHERE record_id IN (SELECT id FROM records WHERE file_id = ?1)",
        "DELETE FROM results WHERE record_id IN (SELECT id FROM records WHERE file_id = ?1)",
        "DELETE FROM records WHERE file_id = ?1",
        "DELETE FROM messages WHERE file_id = ?1",
        "DELETE FROM parents WHERE file_id = ?1",
        "DELETE FROM files WHERE id = ?1",
    ] {
        query(delete).bind(id).execute(&mut *connection).await?;
    }
    Ok(())
}

async fn forget_all(connection: &mut Connection) -> SqlResult<()> {
    for delete in [
        "INSERT INTO texts (texts) VALUES ('delete-all')",
        "DELETE FROM records",
        "DELETE FROM calls",
        "DELETE FROM results",
        "DELETE FROM messages",
        "DELETE FROM parents",
        "DELETE FROM files",
    ] {
        query(delete).execute(&mut *connection).await?;
    }
    Ok(())
}

async fn put_prices(connection: &mut Connection, number: u64) -> SqlResult<()> {
    let put = "INSERT OR REPLACE INTO state (name, value) VALUES ('prices', ?1)";
    let put = query(put).bind(number.to_string());
    put.execute(connection).await.map(drop)
}

/// Returns the number of the table of prices that the index was made with, if it was made with one.
pub(crate) async fn prices_of(database: &IndexDatabase) -> SqlResult<Option<u64>> {
    let number = query_scalar("SELECT value FROM state WHERE name = 'prices'");
    let number: Option<String> = number.fetch_optional(database.readers()).await?;
    Ok(number.and_then(|number| number.parse().ok()))
}

/// Puts what comes in, until that is enough for a commit.
async fn put_all(connection: &mut Connection, inbox: &mut Inbox) -> SqlResult<()> {
    let (mut text_bytes, mut texts) = (0, Vec::new());
    while text_bytes < COMMIT_BYTES {
        let Some(batch) = inbox.next().await else {
            break;
        };
        text_bytes += batch.text_bytes;
        if batch.step.bytes > 0 {
            put(connection, batch, &mut texts).await?;
        }
    }
    put_texts(connection, texts).await
}

/// Puts all of a batch but the texts, which are added to `texts`.
async fn put(
    connection: &mut Connection,
    mut batch: Batch,
    texts: &mut Vec<TextRow>,
) -> SqlResult<()> {
    let file_id = batch.step.file_id;
    let (entries, mut done) = (&batch.entries[..], 0);
    for end in &batch.run_ends {
        put_tokens(connection, file_id, &entries[done..end.after]).await?;
        put_run(connection, file_id, end).await?;
        done = end.after;
    }
    put_tokens(connection, file_id, &entries[done..]).await?;
    put_about(connection, &batch).await?;
    mark_results(connection, &mut batch.entries).await?;
    let last = query_scalar("SELECT coalesce(max(id), 0) FROM records");
    let first: i64 = last.fetch_one(&mut *connection).await?;
    let (mut records, mut calls, mut results) = (vec![], vec![], vec![]);
    for (id, mut entry) in (first + 1..).zip(batch.entries) {
        (entry.record.id, entry.record.file_id) = (id, file_id);
        entry.calls.iter_mut().for_each(|call| call.record_id = id);
        let own = entry.results.iter_mut();
        own.for_each(|result| result.record_id = id);
        records.push(entry.record);
        calls.append(&mut entry.calls);
        results.append(&mut entry.results);
        if !entry.text.is_empty() {
            let body = entry.text;
            texts.push(TextRow { rowid: id, body });
        }
    }
    add_rows(connection, "records", &records).await?;
    add_rows(connection, "calls", &calls).await?;
    add_rows(connection, "results", &results).await
}

async fn add_rows<R: Row + Sync>(
    connection: &mut Connection,
    table: &str,
    rows: &[R],
) -> SqlResult<()> {
    let add = format!("INSERT INTO {table} ({{columns}}) {{values}}");
    insert(connection, &add, rows).await
}

/// Puts texts, last in a transaction and with few statements: FTS5 writes what it has in memory to disk before each
/// statement that may have to be undone alone, such as one with several rows, of whatever table.
async fn put_texts(connection: &mut Connection, mut texts: Vec<TextRow>) -> SqlResult<()> {
    while !texts.is_empty() {
        let later = texts.split_off(texts.len().min(TEXTS_PER_STATEMENT));
        let rows = vec!["(?, ?)"; texts.len()].join(", ");
        let statement = format!("INSERT INTO texts (rowid, body) VALUES {rows}");
        let mut statement = query(AssertSqlSafe(statement)).persistent(false);
        for text in texts {
            statement = statement.bind(text.rowid).bind(text.body);
        }
        statement.execute(&mut *connection).await?;
        texts = later;
    }
    Ok(())
}

async fn put_tokens(connection: &mut Connection, file_id: i64, entries: &[Entry]) -> SqlResult<()> {
    let mut tokens = Tokens::default();
    for entry in entries {
        tokens.take(file_id, entry);
    }
    let mut messages: Vec<MessageRow> = tokens.messages.into_values().collect();
    // Rows that are beside each other in the table are put together.
    messages.sort_unstable_by(|one, other| one.message_id.cmp(&other.message_id));
    let put = "INSERT INTO messages ({columns}) {values} ON CONFLICT (message_id, file_id) DO UPDATE SET
        is_sub = min(is_sub, excluded.is_sub), at = excluded.at, model = excluded.model, input_tokens = excluded.input_tokens,
        output_tokens = excluded.output_tokens, cache_creation_input_tokens = excluded.cache_creation_input_tokens,
        cache_read_input_tokens = excluded.cache_read_input_tokens, ephemeral_5m_input_tokens = excluded.ephemeral_5m_input_tokens,
        ephemeral_1h_input_tokens = excluded.ephemeral_1h_input_tokens, web_search_requests = excluded.web_search_requests,
        cost_usd = excluded.cost_usd, agent_id = excluded.agent_id
        WHERE excluded.output_tokens >= output_tokens";
    insert(connection, put, &messages).await?;
    let parents = tokens.parents.into_iter().map(|tool_use_id| ParentRow {
        tool_use_id,
        file_id,
    });
    let put = "INSERT OR IGNORE INTO parents ({columns}) {values}";
    insert(connection, put, &parents.collect::<Vec<_>>()).await
}

async fn put_about(connection: &mut Connection, batch: &Batch) -> SqlResult<()> {
    // Of what somebody said (kinds up to 2) the first is kept, of other titles the last.
    let put = "UPDATE files SET modified = ?10, stamp = ?11, read = ?2, skipped = ?3, cwd = coalesce(cwd, ?4), branch = coalesce(branch, ?5),
        title = iif(?7 > title_kind OR (?7 = title_kind AND ?7 > 2), ?6, title), title_kind = max(title_kind, ?7),
        started_at = min(coalesce(started_at, ?8), coalesce(?8, started_at)),
        ended_at = max(coalesce(ended_at, ?9), coalesce(?9, ended_at)), is_running = coalesce(?12, is_running) WHERE id = ?1";
    let about = &batch.about;
    let title = about.title(|title| redact(title).text.into_owned());
    query(put)
        .bind(batch.step.file_id)
        .bind(batch.step.read)
        .bind(batch.step.skipped)
        .bind(&about.cwd)
        .bind(&about.branch)
        .bind(title.as_ref().map(|(_, title)| title.as_str()))
        .bind(title.as_ref().map_or(-2, |(kind, _)| *kind as i64))
        .bind(about.started_at)
        .bind(about.ended_at)
        .bind(batch.step.modified)
        .bind(batch.step.stamp)
        .bind(batch.is_running)
        .execute(connection)
        .await
        .map(drop)
}
