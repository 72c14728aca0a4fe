//! Opens a database: creates or migrates it, refuses it if it is newer, and sets it aside if it is corrupt.

use crate::database::Inner;
use crate::error::full;
use crate::limits::{QUEUE_LEN, QUEUE_PATIENCE};
use crate::tidy::Tidy;
use crate::{AnyWrite, Database, StoreError, Synchronous};
use crate::{own_file, writer};
use sqlx::SqlSafeStr as _;
use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};
use sqlx::sqlite::{
    SqliteAutoVacuum, SqliteConnectOptions, SqliteJournalMode, SqliteLockingMode, SqlitePool,
    SqlitePoolOptions,
};
use std::marker::PhantomData;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use time::macros::format_description;
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How long a connection waits for another program's lock on the file.
const LOCK_PATIENCE: Duration = Duration::from_secs(5);

const MAX_READERS: u32 = 3;

/// Suffixes of the files that SQLite makes beside a database.
const JOURNALS: [&str; 3] = ["-wal", "-shm", "-journal"];

const READER_IDLE: Duration = Duration::from_secs(60);

/// What SQLite itself uses.
const DEFAULT_CACHE_KIB: u32 = 2000;

/// Rows that a reader's thread reads ahead. With the default of 50, reading 100,000 rows wakes each side 2,000 times.
const ROW_BUFFER_LEN: usize = 1024;

/// The definition of a database, and the type `W` of its changes.
pub struct Schema<W: ?Sized> {
    migrations: &'static [(&'static str, &'static str)],
    synchronous: Synchronous,
    record: &'static str,
    columns: &'static [Column],
    cache_kib: u32,
    writes: PhantomData<fn(Box<W>)>,
}

/// A column that a table of another program's database may lack.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    pub table: &'static str,
    pub name: &'static str,
    /// Its type and default. SQLite adds no column whose default is not a constant.
    pub definition: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opening {
    First,
    /// A process of this daemon had it open a moment ago, and sessions are waiting.
    Again,
    /// As `Again`, and a newer build may have migrated it in a way that does not matter to this build.
    RolledBack,
}

pub struct Opened<W: ?Sized> {
    pub database: Database<W>,
    pub set_aside: Option<PathBuf>,
    /// There was no file, or it was set aside.
    pub is_new: bool,
}

impl<W: AnyWrite + ?Sized> Schema<W> {
    /// Defines a database. `migrations` are names with their SQL, in order: the first one creates version 1. Only
    /// append to them, and never change one: a database remembers those that it has applied.
    /// An acknowledged change survives a kill with [`Synchronous::Normal`], and a power failure too with
    /// [`Synchronous::Full`].
    #[must_use]
    pub const fn new(
        synchronous: Synchronous,
        migrations: &'static [(&'static str, &'static str)],
    ) -> Self {
        Self {
            migrations,
            synchronous,
            record: "_sqlx_migrations",
            columns: &[],
            cache_kib: DEFAULT_CACHE_KIB,
            writes: PhantomData,
        }
    }

    /// Takes over databases that another program has created: the applied migrations are recorded in the table `record`,
    /// and `columns` are added to tables that exist and lack them, before any migration.
    #[must_use]
    pub const fn shared_with_others(
        mut self,
        record: &'static str,
        columns: &'static [Column],
    ) -> Self {
        self.record = record;
        self.columns = columns;
        self
    }

    /// Lets each connection keep up to `cache_kib` of pages in memory, for changes that touch the whole database.
    #[must_use]
    pub const fn with_cache_kib(mut self, cache_kib: u32) -> Self {
        self.cache_kib = cache_kib;
        self
    }

    #[must_use]
    pub const fn newest(&self) -> i64 {
        self.migrations.len() as i64
    }

    /// Opens the database at `path`, creates or migrates it, and starts its writer.
    /// A corrupt file is set aside, which is logged, and a new one is created.
    pub async fn open(&self, path: &Path, how: Opening) -> Result<Opened<W>, StoreError> {
        let mut is_new = !path.exists();
        let mut set_aside = None;
        let mut opened = self.open_once(path, how).await;
        if let Err(error) = &opened
            && error.is_corrupt()
        {
            let aside = move_aside(path)?;
            tracing::error!(%error, path = %aside.display(), "the database was damaged and set aside; a new one was created");
            (is_new, set_aside) = (true, Some(aside));
            opened = self.open_once(path, how).await;
        }
        Ok(Opened {
            database: opened?,
            set_aside,
            is_new,
        })
    }

    async fn open_once(&self, path: &Path, how: Opening) -> Result<Database<W>, StoreError> {
        let (identity, is_empty) = make_private(path).map_err(|source| StoreError::File {
            path: path.to_owned(),
            source,
        })?;
        let pools = self.connect(path, is_empty).await;
        let pools = pools.map_err(open_error(path))?;
        if how != Opening::RolledBack {
            self.refuse_newer(path, &pools.writer).await?;
            let completed = self.complete(&pools.writer).await;
            completed.map_err(open_error(path))?;
            let migrated = self.migrator().run(&pools.writer).await;
            migrated.map_err(migrate_error(path))?;
        }
        if how == Opening::First {
            check_quickly(path, &pools.writer).await?;
        }
        let (writes, inbox) = mpsc::channel(QUEUE_LEN);
        let (writer, closing) = (TaskTracker::new(), CancellationToken::new());
        let tidy = Arc::new(Notify::new());
        let tidying = Tidy::new(path.to_owned(), Arc::clone(&tidy));
        writer.spawn(writer::run(pools.writer, inbox, closing.clone(), tidying));
        writer.close();
        Ok(Database(Arc::new(Inner {
            path: path.to_owned(),
            identity,
            readers: pools.readers,
            shares_connection: pools.are_one,
            writes,
            patience: QUEUE_PATIENCE,
            writer,
            closing,
            tidy,
        })))
    }

    /// Connects the writer, and the readers as soon as they are needed.
    /// On a full disk there may be no room for the memory that connections share (`-shm`). One connection alone needs none,
    /// so that what the file contains can be read and deleted. It can write once there is room again.
    async fn connect(&self, path: &Path, is_empty: bool) -> sqlx::Result<Pools> {
        let options = SqliteConnectOptions::new()
            .filename(path)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(self.synchronous)
            .busy_timeout(LOCK_PATIENCE)
            .row_buffer_size(ROW_BUFFER_LEN)
            .pragma("cache_size", format!("-{}", self.cache_kib))
            // Zeroes what is deleted within pages that are written anyway; free pages leave the file (see `tidy`).
            .pragma("secure_delete", "FAST")
            .foreign_keys(true);
        let only = |options| {
            let pool = SqlitePoolOptions::new().max_connections(1);
            let pool = pool.idle_timeout(None).max_lifetime(None);
            pool.connect_with(options)
        };
        // Only before the first table, because it is written to the file.
        let first = if is_empty {
            options.clone().auto_vacuum(SqliteAutoVacuum::Incremental)
        } else {
            options.clone()
        };
        match only(first).await {
            Err(error) if full(&error, path).is_some() => {
                tracing::warn!(path = %path.display(), %error, "the disk is full, or a limit on the size of files is reached: until the next start, the database has only one connection");
                let alone = options.locking_mode(SqliteLockingMode::Exclusive);
                let pool = only(alone).await?;
                Ok(Pools {
                    writer: pool.clone(),
                    readers: pool,
                    are_one: true,
                })
            }
            writer => Ok(Pools {
                writer: writer?,
                readers: SqlitePoolOptions::new()
                    .min_connections(0)
                    .max_connections(MAX_READERS)
                    .idle_timeout(READER_IDLE)
                    .connect_lazy_with(options.read_only(true)),
                are_one: false,
            }),
        }
    }

    fn migrator(&self) -> Migrator {
        let migrations = (1..).zip(self.migrations).map(|(version, (name, sql))| {
            let sql = sql.into_sql_str();
            Migration::new(version, (*name).into(), MigrationType::Simple, sql, false)
        });
        let mut migrator = Migrator::with_migrations(migrations.collect());
        migrator.dangerous_set_table_name(self.record);
        migrator
    }

    /// Adds the columns that tables of another program lack.
    async fn complete(&self, pool: &SqlitePool) -> sqlx::Result<()> {
        for column in self.columns {
            let names = sqlx::query_scalar("SELECT name FROM pragma_table_info(?1)");
            let names: Vec<String> = names.bind(column.table).fetch_all(pool).await?;
            if names.is_empty() || names.iter().any(|name| name == column.name) {
                continue;
            }
            let Column {
                table,
                name,
                definition,
            } = column;
            let add = format!("ALTER TABLE {table} ADD COLUMN {name} {definition}");
            sqlx::query(sqlx::AssertSqlSafe(add)).execute(pool).await?;
        }
        Ok(())
    }

    /// Refuses a file whose newest migration is unknown, without changing it.
    async fn refuse_newer(&self, path: &Path, pool: &SqlitePool) -> Result<(), StoreError> {
        let known = self.newest();
        let record = self.record;
        let number = async |query: String| {
            let query = sqlx::query_scalar::<_, Option<i64>>(sqlx::AssertSqlSafe(query));
            query.fetch_one(pool).await
        };
        let table = format!("SELECT count(*) FROM sqlite_master WHERE name = '{record}'");
        let found = match number(table).await {
            Ok(Some(0)) => Ok(None),
            Ok(_) => number(format!("SELECT max(version) FROM {record}")).await,
            Err(error) => Err(error),
        };
        let path = path.to_owned();
        match found {
            Ok(Some(found)) if found > known => Err(StoreError::Newer { path, found, known }),
            Ok(_) => Ok(()),
            Err(source) => Err(StoreError::Open { path, source }),
        }
    }
}

struct Pools {
    writer: SqlitePool,
    readers: SqlitePool,
    are_one: bool,
}

fn open_error(path: &Path) -> impl FnOnce(sqlx::Error) -> StoreError {
    let path = path.to_owned();
    move |source| full(&source, &path).unwrap_or(StoreError::Open { path, source })
}

fn migrate_error(path: &Path) -> impl FnOnce(MigrateError) -> StoreError {
    let path = path.to_owned();
    move |source| {
        let full = match &source {
            MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => {
                full(error, &path)
            }
            _ => None,
        };
        full.unwrap_or(StoreError::Migrate { path, source })
    }
}

async fn check_quickly(path: &Path, pool: &SqlitePool) -> Result<(), StoreError> {
    let check = sqlx::query_scalar("PRAGMA quick_check(1)");
    let verdict: sqlx::Result<String> = check.fetch_one(pool).await;
    let path = path.to_owned();
    match verdict {
        Ok(verdict) if verdict == "ok" => Ok(()),
        Ok(verdict) => Err(StoreError::Damaged { path, verdict }),
        Err(source) => Err(StoreError::Open { path, source }),
    }
}

/// Makes sure that the file exists, is ours and only its user can access it, and returns its device and inode, and whether
/// it is empty; SQLite gives its journals the same mode.
/// The process has no file mode mask for that, because its programs would inherit it.
fn make_private(path: &Path) -> std::io::Result<((u64, u64), bool)> {
    for suffix in JOURNALS {
        own_file::check(&with_suffix(path, suffix))?;
    }
    let file = own_file::append(path)?.metadata()?;
    Ok(((file.dev(), file.ino()), file.len() == 0))
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Moves a database aside if something else is in the place of one of its files; returns where to. For sessions that must
/// not end because of it: otherwise, opening the database is an error.
pub fn set_aside_replaced(path: &Path) -> Result<Option<PathBuf>, StoreError> {
    let files = JOURNALS.map(|suffix| with_suffix(path, suffix));
    let checked = files.iter().map(PathBuf::as_path).chain([path]);
    let Some(error) = checked.map(own_file::check).find_map(Result::err) else {
        return Ok(None);
    };
    let aside = move_aside(path)?;
    tracing::error!(%error, path = %aside.display(), "the database was replaced and is set aside; a new one is created");
    Ok(Some(aside))
}

fn move_aside(path: &Path) -> Result<PathBuf, StoreError> {
    let suffix = aside_suffix();
    let aside = with_suffix(path, &suffix);
    match std::fs::rename(path, &aside) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(StoreError::Open {
            path: path.to_owned(),
            source: error.into(),
        }),
        _ => Ok(()),
    }?;
    for journal in JOURNALS {
        // A database that was closed properly has none.
        let _ = std::fs::rename(
            with_suffix(path, journal),
            with_suffix(path, &format!("{journal}{suffix}")),
        );
    }
    Ok(aside)
}

/// Returns what is appended to the name of something that is set aside.
pub(crate) fn aside_suffix() -> String {
    let form =
        format_description!("[year]-[month]-[day]T[hour]-[minute]-[second]-[subsecond digits:3]Z");
    let now = time::OffsetDateTime::now_utc()
        .format(form)
        .unwrap_or_default();
    format!(".corrupt-{now}")
}
