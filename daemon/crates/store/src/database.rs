//! A handle to an open database.

use crate::error::full;
use crate::writer::Request;
use crate::{AnyWrite, StoreError};
use sqlx::sqlite::SqlitePool;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fmt, io};

use tokio::sync::{Notify, mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// An open database, whose changes are of type `W`. Clones are handles to the same database.
/// Changes go through one writer, which commits all waiting changes together. Readers have connections of their own and
/// see committed changes.
pub struct Database<W: ?Sized>(pub(crate) Arc<Inner<W>>);

/// A database to which several areas write, each with types of its own.
pub type Store = Database<dyn AnyWrite>;

pub(crate) struct Inner<W: ?Sized> {
    pub(crate) path: PathBuf,
    /// Device and inode of the file.
    pub(crate) identity: (u64, u64),
    pub(crate) readers: SqlitePool,
    /// Readers use the writer's connection: the disk was full when the file was opened.
    pub(crate) shares_connection: bool,
    pub(crate) writes: mpsc::Sender<Request<W>>,
    pub(crate) patience: std::time::Duration,
    pub(crate) writer: TaskTracker,
    pub(crate) closing: CancellationToken,
    pub(crate) tidy: Arc<Notify>,
}

impl<W: AnyWrite + ?Sized> Database<W> {
    /// Commits one change. Once this returns, the change survives a kill of the daemon, and with
    /// [`Synchronous::Full`](crate::Synchronous) a power failure.
    /// [`StoreError::Busy`] if the queue stays full.
    pub async fn commit(&self, write: impl Into<Box<W>>) -> Result<(), StoreError> {
        self.request(Some(write.into())).await
    }

    /// Returns once every change that is waiting now was committed or refused.
    pub async fn flush(&self) -> Result<(), StoreError> {
        self.request(None).await
    }

    async fn request(&self, write: Option<Box<W>>) -> Result<(), StoreError> {
        let path = || self.0.path.clone();
        let place = tokio::time::timeout(self.0.patience, self.0.writes.reserve()).await;
        let place = place.map_err(|_| StoreError::Busy { path: path() })?;
        let place = place.map_err(|_| StoreError::Closed { path: path() })?;
        let (done, answer) = oneshot::channel();
        place.send(Request { write, done });
        let committed = answer.await;
        let committed = committed.map_err(|_| StoreError::Closed { path: path() })?;
        committed.map_err(|source| {
            full(&source, &self.0.path).unwrap_or_else(|| StoreError::Write {
                path: path(),
                source,
            })
        })
    }
}

impl<W: ?Sized> Database<W> {
    /// Returns connections that can only read, for `query` and similar functions.
    #[must_use]
    pub fn readers(&self) -> &SqlitePool {
        &self.0.readers
    }

    /// Makes the file smaller soon, after much was deleted: the writer gives free pages back to the file system between
    /// changes, in small steps. A failure is logged.
    pub fn tidy(&self) {
        self.0.tidy.notify_one();
    }

    #[must_use]
    pub fn queue_len(&self) -> usize {
        self.0.writes.max_capacity() - self.0.writes.capacity()
    }

    /// Returns the size of the file including its write-ahead log in bytes.
    #[must_use]
    pub fn size_bytes(&self) -> u64 {
        let size =
            |suffix| std::fs::metadata(with(&self.0.path, suffix)).map_or(0, |meta| meta.len());
        size("") + size("-wal")
    }

    /// Returns whether its file is still where it was opened. Blocks.
    #[must_use]
    pub fn is_in_place(&self) -> bool {
        let found = std::fs::metadata(&self.0.path);
        found.is_ok_and(|found| (found.dev(), found.ino()) == self.0.identity)
    }

    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Returns SQLite's report on the file: empty if there are no errors.
    pub async fn check(&self) -> Result<Vec<String>, StoreError> {
        let verdict = sqlx::query_scalar("PRAGMA integrity_check(20)");
        let lines: Vec<String> = verdict.fetch_all(self.readers()).await?;
        Ok(lines.into_iter().filter(|line| line != "ok").collect())
    }

    /// Commits the waiting changes, checkpoints and closes the file. Later changes are refused.
    pub async fn close(&self) {
        // The last connection to be closed removes the write-ahead log; it must be the writer's.
        if !self.0.shares_connection {
            self.0.readers.close().await;
        }
        self.0.closing.cancel();
        self.0.writer.wait().await;
    }

    /// Closes the database and deletes its file, for one that is damaged and can be made again.
    pub async fn delete(&self) -> io::Result<()> {
        self.close().await;
        delete(&self.0.path)
    }
}

pub fn delete(path: &Path) -> io::Result<()> {
    for suffix in ["-wal", "-shm", ""] {
        match std::fs::remove_file(with(path, suffix)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Returns the path of a database's file, or of one of its journals.
fn with(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

impl<W: ?Sized> Clone for Database<W> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<W: ?Sized> fmt::Debug for Database<W> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_tuple("Database")
            .field(&self.0.path)
            .finish()
    }
}
