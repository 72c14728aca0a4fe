//! `ccd.sqlite`: one writer task that commits in groups, and a few readers beside it.

mod interactions;
mod jobs;
mod sessions;
mod tapes;
mod writer;

pub(crate) use interactions::InteractionRow;
pub(crate) use jobs::{JobEntries, JobEntryRow, JobRow};
pub(crate) use sessions::SessionRow;
pub(crate) use tapes::TapeUseRow;
pub(crate) use writer::Write;

use ccd_protocol::{ErrorCode, Reportable};
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use writer::WriteError;

/// Writes that may wait for the writer.
const WRITE_QUEUE_LEN: usize = 4096;

/// Why the database could not do its work.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    #[error(
        "the database {path:?} was made by a newer ccd (schema {found}, this one supports {known}): start that version, or move the file away"
    )]
    Newer {
        path: PathBuf,
        found: i64,
        known: i64,
    },
    #[error("the database {path:?} could not be opened: {source}")]
    Open { path: PathBuf, source: sqlx::Error },
    #[error("the database {path:?} is damaged: {verdict}")]
    Damaged { path: PathBuf, verdict: String },
    #[error("the database {path:?} could not be upgraded: {source}")]
    Migrate {
        path: PathBuf,
        source: sqlx::migrate::MigrateError,
    },
    #[error("the database could not be read: {0}")]
    Read(#[from] sqlx::Error),
    #[error("the disk of the database {path:?} is full: free some space")]
    Full { path: PathBuf },
    #[error("the database {path:?} rejected the change: {reason}")]
    Write { path: PathBuf, reason: String },
    #[error("the database is closed")]
    Closed,
}

impl Reportable for StoreError {
    fn code(&self) -> ErrorCode {
        ErrorCode::Storage
    }

    fn hint(&self) -> Option<&str> {
        matches!(self, Self::Full { .. })
            .then_some("free some space, then repeat the call: nothing was done")
    }
}

/// Handle to the database.
#[derive(Debug, Clone)]
pub(crate) struct Store {
    readers: SqlitePool,
    writes: mpsc::Sender<writer::Request>,
    path: PathBuf,
}

/// What opening the database found.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) store: Store,
    pub(crate) writer: JoinHandle<()>,
    /// Where a corrupt file was moved to.
    pub(crate) set_aside: Option<PathBuf>,
    /// There was no file, or it was moved away.
    pub(crate) is_new: bool,
}

/// The newest form of the database that this build knows.
pub(crate) fn newest_schema() -> i64 {
    let versions = MIGRATIONS.iter().map(|migration| migration.version);
    versions.max().unwrap_or(0)
}

/// What is known of the database before it is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opening {
    /// Nothing.
    First,
    /// A process of this daemon had it open a moment ago, and sessions wait for us.
    Again,
    /// Likewise, and a newer build may have added to it, which changes nothing for this one.
    RolledBack,
}

static MIGRATIONS: sqlx::migrate::Migrator = sqlx::migrate!("./migrations");

impl Store {
    /// Opens the database, makes or migrates it, and starts its writer.
    ///
    /// A corrupt file is moved aside and a new one begun.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the file is of a newer version or cannot be used.
    pub(crate) async fn open(path: &Path, how: Opening) -> Result<Opened, StoreError> {
        let is_new = !path.exists();
        match Self::open_once(path, how).await {
            Ok((store, writer)) => Ok(Opened {
                store,
                writer,
                set_aside: None,
                is_new,
            }),
            Err(error) if is_corrupt(&error) => {
                let aside = set_aside(path)?;
                let (store, writer) = Self::open_once(path, how).await?;
                Ok(Opened {
                    store,
                    writer,
                    set_aside: Some(aside),
                    is_new: true,
                })
            }
            Err(error) => Err(error),
        }
    }

    async fn open_once(path: &Path, how: Opening) -> Result<(Self, JoinHandle<()>), StoreError> {
        let open_error = |source| StoreError::Open {
            path: path.to_owned(),
            source,
        };
        make_private(path).map_err(|source| open_error(sqlx::Error::Io(source)))?;
        let options = SqliteConnectOptions::new()
            .filename(path)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Normal)
            .busy_timeout(Duration::from_secs(5))
            .foreign_keys(true);
        let writer_pool = SqlitePoolOptions::new()
            .max_connections(1)
            .idle_timeout(None)
            .max_lifetime(None)
            .connect_with(options.clone())
            .await
            .map_err(open_error)?;
        if how != Opening::RolledBack {
            refuse_newer(path, &writer_pool).await?;
            MIGRATIONS
                .run(&writer_pool)
                .await
                .map_err(|source| StoreError::Migrate {
                    path: path.to_owned(),
                    source,
                })?;
        }
        if how == Opening::First {
            check_quickly(path, &writer_pool).await?;
        }
        let readers = SqlitePoolOptions::new()
            .min_connections(0)
            .max_connections(3)
            .idle_timeout(Duration::from_secs(60))
            .connect_lazy_with(options.read_only(true));
        let (writes, inbox) = mpsc::channel(WRITE_QUEUE_LEN);
        let writer = tokio::spawn(writer::run(writer_pool, inbox));
        let store = Self {
            readers,
            writes,
            path: path.to_owned(),
        };
        Ok((store, writer))
    }

    /// Commits one change; it survives a kill of the daemon once this returns.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the queue is full or the database refuses.
    pub(crate) async fn commit(&self, write: Write) -> Result<(), StoreError> {
        let (done, answer) = oneshot::channel();
        let request = writer::Request {
            write,
            done: Some(done),
        };
        self.writes
            .send(request)
            .await
            .map_err(|_| StoreError::Closed)?;
        answer
            .await
            .map_err(|_| StoreError::Closed)?
            .map_err(|error| self.refusal(error))
    }

    fn refusal(&self, error: WriteError) -> StoreError {
        let path = self.path.clone();
        match error {
            WriteError::Full => StoreError::Full { path },
            WriteError::Other(reason) => StoreError::Write { path, reason },
        }
    }

    /// Changes that wait for the writer.
    pub(crate) fn queue_len(&self) -> usize {
        WRITE_QUEUE_LEN - self.writes.capacity()
    }

    /// Bytes of the database with its write-ahead log.
    pub(crate) fn size_bytes(&self) -> u64 {
        let size = |suffix: &str| {
            let mut name = self.path.clone().into_os_string();
            name.push(suffix);
            std::fs::metadata(name).map_or(0, |meta| meta.len())
        };
        size("") + size("-wal")
    }

    /// Returns SQLite's verdict on the file: empty when it is sound.
    pub(crate) async fn check(&self) -> Result<Vec<String>, StoreError> {
        let lines: Vec<String> = sqlx::query_scalar("PRAGMA integrity_check(20)")
            .fetch_all(&self.readers)
            .await?;
        Ok(lines.into_iter().filter(|line| line != "ok").collect())
    }

    /// Closes the readers; the writer ends when the last handle is dropped.
    pub(crate) async fn close(self) {
        self.readers.close().await;
    }
}

async fn check_quickly(path: &Path, pool: &SqlitePool) -> Result<(), StoreError> {
    let verdict: String = sqlx::query_scalar("PRAGMA quick_check(1)")
        .fetch_one(pool)
        .await
        .map_err(|source| StoreError::Open {
            path: path.to_owned(),
            source,
        })?;
    if verdict == "ok" {
        return Ok(());
    }
    Err(StoreError::Damaged {
        path: path.to_owned(),
        verdict,
    })
}

/// A file whose newest migration is unknown here is left alone.
async fn refuse_newer(path: &Path, pool: &SqlitePool) -> Result<(), StoreError> {
    let known = newest_schema();
    let open_error = |source| StoreError::Open {
        path: path.to_owned(),
        source,
    };
    let tables: i64 =
        sqlx::query_scalar("SELECT count(*) FROM sqlite_master WHERE name = '_sqlx_migrations'")
            .fetch_one(pool)
            .await
            .map_err(open_error)?;
    if tables == 0 {
        return Ok(());
    }
    let found: Option<i64> = sqlx::query_scalar("SELECT max(version) FROM _sqlx_migrations")
        .fetch_one(pool)
        .await
        .map_err(open_error)?;
    match found {
        Some(found) if found > known => Err(StoreError::Newer {
            path: path.to_owned(),
            found,
            known,
        }),
        _ => Ok(()),
    }
}

fn is_corrupt(error: &StoreError) -> bool {
    let source = match error {
        StoreError::Damaged { .. } => return true,
        StoreError::Open { source, .. } => source,
        StoreError::Migrate {
            source: sqlx::migrate::MigrateError::Execute(source),
            ..
        } => source,
        _ => return false,
    };
    // SQLITE_CORRUPT and SQLITE_NOTADB
    source
        .as_database_error()
        .and_then(|error| error.code())
        .is_some_and(|code| code == "11" || code == "26")
}

/// Makes sure that the file is there and its user's alone; SQLite gives its journals the same mode.
///
/// The process has no file mask of its own for that: its programs would inherit it.
fn make_private(path: &Path) -> std::io::Result<()> {
    std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .open(path)
        .map(drop)
}

fn set_aside(path: &Path) -> Result<PathBuf, StoreError> {
    let stamp = crate::clock::now().replace([':', '.'], "-");
    let with = |suffix: &str, tail: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        name.push(tail);
        PathBuf::from(name)
    };
    let aside = with("", &format!(".corrupt-{stamp}"));
    std::fs::rename(path, &aside).map_err(|source| StoreError::Open {
        path: path.to_owned(),
        source: sqlx::Error::Io(source),
    })?;
    for suffix in ["-wal", "-shm"] {
        let _ = std::fs::rename(with(suffix, ""), with(suffix, &format!(".corrupt-{stamp}")));
    }
    Ok(aside)
}
