//! The one writer: takes what waits, commits it together, answers.

use super::{
    InteractionRow, JobEntries, JobRow, SessionRow, TapeUseRow, interactions, jobs, sessions, tapes,
};
use sqlx::sqlite::SqlitePool;
use sqlx::{Connection, SqliteConnection};
use tokio::sync::{mpsc, oneshot};

/// Changes of one transaction.
const GROUP_LEN: usize = 256;

/// A change to the database.
#[derive(Debug)]
pub(crate) enum Write {
    /// Inserts a session or replaces its row.
    Session(Box<SessionRow>),
    /// Deletes a session with its interactions.
    DeleteSession(String),
    /// Appends to the interaction log; rows of sessions that are gone are skipped.
    Interactions(Vec<InteractionRow>),
    /// Deletes the oldest rows of sessions that have more than `keep`.
    TrimInteractions { keep: i64 },
    /// Inserts a job or replaces its row.
    Job(Box<JobRow>),
    /// Appends to a job's list, and forgets its oldest entries.
    JobEntries(JobEntries),
    /// Deletes jobs that ended before the given time.
    DeleteJobsBefore(String),
    /// Deletes the oldest jobs that have ended, until the lists of the others take so many bytes at most.
    DeleteJobsOver(i64),
    /// Inserts how often tapes were played, or replaces it.
    TapeUse(Vec<TapeUseRow>),
    /// Deletes how often tapes of a root were played.
    ForgetTapeUse { root: String, tape_ids: Vec<String> },
}

/// A change and who waits for it.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) write: Write,
    pub(super) done: Option<oneshot::Sender<Result<(), WriteError>>>,
}

/// Why a change was not committed; all changes of a group share it.
#[derive(Debug, Clone, thiserror::Error)]
pub(super) enum WriteError {
    #[error("its disk is full")]
    Full,
    #[error("{0}")]
    Other(String),
}

impl From<sqlx::Error> for WriteError {
    fn from(error: sqlx::Error) -> Self {
        let code = error.as_database_error().and_then(|error| error.code());
        let code: Option<i32> = code.and_then(|code| code.parse().ok());
        // The low byte of an extended code is the code: SQLITE_FULL.
        if code.is_some_and(|code| code & 0xff == 13) {
            return Self::Full;
        }
        Self::Other(error.to_string())
    }
}

/// Runs until every handle is gone, then checkpoints and closes the file.
pub(super) async fn run(pool: SqlitePool, mut inbox: mpsc::Receiver<Request>) {
    let mut group = Vec::with_capacity(GROUP_LEN);
    while inbox.recv_many(&mut group, GROUP_LEN).await > 0 {
        let result = commit(&pool, &group).await;
        if result.is_ok() || group.len() == 1 {
            answer(group.drain(..), &result);
            continue;
        }
        // One bad change must not take the others with it.
        for request in group.drain(..) {
            let result = commit(&pool, std::slice::from_ref(&request)).await;
            answer(std::iter::once(request), &result);
        }
    }
    if let Err(error) = sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)")
        .execute(&pool)
        .await
    {
        tracing::warn!(%error, "could not checkpoint the database");
    }
    pool.close().await;
}

fn answer(requests: impl Iterator<Item = Request>, result: &Result<(), WriteError>) {
    for request in requests {
        match request.done {
            Some(done) => drop(done.send(result.clone())),
            None => {
                if let Err(error) = result {
                    tracing::error!(%error, "could not write a change to the database");
                }
            }
        }
    }
}

async fn commit(pool: &SqlitePool, group: &[Request]) -> Result<(), WriteError> {
    let mut connection = pool.acquire().await?;
    let committed = transact(&mut connection, group).await;
    if committed.is_err() {
        // SQLite rolls back by itself on some errors, as when the disk is full. sqlx does not notice, and would
        // take the transaction for open on this connection for ever; the pool opens another one.
        if let Err(error) = connection.close().await {
            tracing::warn!(%error, "could not close a connection to the database cleanly");
        }
    }
    Ok(committed?)
}

async fn transact(connection: &mut SqliteConnection, group: &[Request]) -> sqlx::Result<()> {
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    for request in group {
        apply(&mut transaction, &request.write).await?;
    }
    transaction.commit().await
}

async fn apply(connection: &mut SqliteConnection, write: &Write) -> sqlx::Result<()> {
    match write {
        Write::Session(row) => sessions::replace(connection, row).await,
        Write::DeleteSession(id) => sessions::delete(connection, id).await,
        Write::Interactions(rows) => interactions::insert(connection, rows).await,
        Write::TrimInteractions { keep } => interactions::trim(connection, *keep).await,
        Write::Job(row) => jobs::replace(connection, row).await,
        Write::JobEntries(entries) => jobs::append(connection, entries).await,
        Write::DeleteJobsBefore(time) => jobs::delete_before(connection, time).await,
        Write::DeleteJobsOver(bytes) => jobs::delete_over(connection, *bytes).await,
        Write::TapeUse(rows) => tapes::replace(connection, rows).await,
        Write::ForgetTapeUse { root, tape_ids } => tapes::forget(connection, root, tape_ids).await,
    }
}
