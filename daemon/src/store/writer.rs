//! The one writer: takes what waits, commits it together, answers.

use super::{InteractionRow, JobRow, SessionRow, interactions, jobs, sessions};
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
    /// Deletes jobs that ended before the given time.
    DeleteJobsBefore(String),
}

/// A change and who waits for it.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) write: Write,
    pub(super) done: Option<oneshot::Sender<Result<(), String>>>,
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
        tracing::warn!(%error, "the database was not checkpointed");
    }
    pool.close().await;
}

fn answer(requests: impl Iterator<Item = Request>, result: &Result<(), String>) {
    for request in requests {
        match request.done {
            Some(done) => drop(done.send(result.clone())),
            None => {
                if let Err(error) = result {
                    tracing::error!(error, "a change did not reach the database");
                }
            }
        }
    }
}

async fn commit(pool: &SqlitePool, group: &[Request]) -> Result<(), String> {
    let mut connection = pool.acquire().await.map_err(|error| error.to_string())?;
    let mut transaction = connection
        .begin_with("BEGIN IMMEDIATE")
        .await
        .map_err(|error| error.to_string())?;
    for request in group {
        apply(&mut transaction, &request.write)
            .await
            .map_err(|error| error.to_string())?;
    }
    transaction
        .commit()
        .await
        .map_err(|error| error.to_string())
}

async fn apply(connection: &mut SqliteConnection, write: &Write) -> sqlx::Result<()> {
    match write {
        Write::Session(row) => sessions::replace(connection, row).await,
        Write::DeleteSession(id) => sessions::delete(connection, id).await,
        Write::Interactions(rows) => interactions::insert(connection, rows).await,
        Write::TrimInteractions { keep } => interactions::trim(connection, *keep).await,
        Write::Job(row) => jobs::replace(connection, row).await,
        Write::DeleteJobsBefore(time) => jobs::delete_before(connection, time).await,
    }
}
