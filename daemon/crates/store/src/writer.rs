//! The writer of a database: commits all waiting changes together, then answers; gives free space back in between.

use crate::tidy::{Tidy, checkpoint};
use crate::{AnyWrite, Connection};
use sqlx::Connection as _;
use sqlx::sqlite::SqlitePool;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

const GROUP_LEN: usize = 256;

/// A change and its caller; without a change, the caller waits for those before it.
pub(crate) struct Request<W: ?Sized> {
    pub(crate) write: Option<Box<W>>,
    pub(crate) done: oneshot::Sender<sqlx::Result<()>>,
}

/// Runs until `closing` or until every handle was dropped, then commits the waiting changes, checkpoints, and closes
/// the file.
pub(crate) async fn run<W: AnyWrite + ?Sized>(
    pool: SqlitePool,
    mut inbox: mpsc::Receiver<Request<W>>,
    closing: CancellationToken,
    mut tidy: Tidy,
) {
    let mut group = Vec::with_capacity(GROUP_LEN);
    loop {
        let taken = tokio::select! {
            biased;
            () = closing.cancelled(), if !inbox.is_closed() => {
                inbox.close();
                continue;
            }
            taken = inbox.recv_many(&mut group, GROUP_LEN) => taken,
            () = tidy.is_due() => {
                tidy.step(&pool).await;
                continue;
            }
        };
        if taken == 0 {
            break;
        }
        commit_and_answer(&pool, &mut group).await;
    }
    if let Err(error) = checkpoint(&pool).await {
        tracing::warn!(%error, "could not checkpoint the database");
    }
    pool.close().await;
}

async fn commit_and_answer<W: AnyWrite + ?Sized>(pool: &SqlitePool, group: &mut Vec<Request<W>>) {
    let result = commit(pool, group).await;
    if group.len() == 1 || result.is_ok() {
        let mut result = Some(result);
        for request in group.drain(..) {
            // The caller may have been cancelled.
            let _ = request.done.send(result.take().unwrap_or(Ok(())));
        }
        return;
    }
    // One bad change must not affect the others.
    for request in group.drain(..) {
        let result = commit(pool, std::slice::from_ref(&request)).await;
        let _ = request.done.send(result);
    }
}

async fn commit<W: AnyWrite + ?Sized>(pool: &SqlitePool, group: &[Request<W>]) -> sqlx::Result<()> {
    let mut connection = pool.acquire().await?;
    let committed = transact(&mut connection, group).await;
    if committed.is_err() {
        // SQLite rolls back by itself on some errors, such as a full disk. sqlx does not notice, and would take the
        // transaction for open on this connection for ever; the pool opens another one.
        if let Err(error) = connection.close().await {
            tracing::warn!(%error, "could not close a connection to the database cleanly");
        }
    }
    committed
}

async fn transact<W: AnyWrite + ?Sized>(
    connection: &mut Connection,
    group: &[Request<W>],
) -> sqlx::Result<()> {
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    for write in group.iter().filter_map(|request| request.write.as_ref()) {
        write.apply_boxed(&mut transaction).await?;
    }
    transaction.commit().await
}
