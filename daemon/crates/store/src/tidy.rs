//! Gives free space in a database back to the file system.
//! Deleted rows leave free pages in the file. They are removed in small steps, because changes wait during each.

use sqlx::sqlite::SqlitePool;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;

/// Pages that one step removes: a megabyte takes milliseconds.
const STEP_PAGES: u32 = 256;

/// From one step to the next.
const PAUSE: Duration = Duration::from_millis(20);

/// `PRAGMA auto_vacuum` of a database that older builds have made, whose file cannot shrink.
const NONE: i64 = 0;

pub(crate) struct Tidy {
    path: PathBuf,
    wanted: Arc<Notify>,
    /// When the next step is due, while there is something to do.
    next: Option<Instant>,
}

impl Tidy {
    pub(crate) fn new(path: PathBuf, wanted: Arc<Notify>) -> Self {
        Self {
            path,
            wanted,
            next: None,
        }
    }

    /// Returns when a step should be taken. Cancel-safe.
    pub(crate) async fn is_due(&self) {
        match self.next {
            Some(next) => tokio::time::sleep_until(next).await,
            None => self.wanted.notified().await,
        }
    }

    /// Removes some free pages; after the last ones, empties the write-ahead log.
    pub(crate) async fn step(&mut self, pool: &SqlitePool) {
        self.next = match self.try_step(pool).await {
            Ok(true) => Some(Instant::now() + PAUSE),
            Ok(false) => None,
            Err(error) => {
                tracing::warn!(path = %self.path.display(), %error, "could not make the database smaller");
                None
            }
        };
    }

    /// Returns whether there is more to do.
    async fn try_step(&self, pool: &SqlitePool) -> sqlx::Result<bool> {
        if number(pool, "PRAGMA auto_vacuum").await? == NONE {
            self.convert(pool).await?;
        } else if number(pool, "PRAGMA freelist_count").await? > 0 {
            let remove = format!("PRAGMA incremental_vacuum({STEP_PAGES})");
            let remove = sqlx::query(sqlx::AssertSqlSafe(remove));
            remove.execute(pool).await?;
            return Ok(true);
        }
        checkpoint(pool).await?;
        Ok(false)
    }

    /// Writes the whole file anew, once in its life, so that it can shrink from then on. Needs twice its size for a
    /// moment; without that, the next call tries it again.
    async fn convert(&self, pool: &SqlitePool) -> sqlx::Result<()> {
        let bytes =
            number(pool, "PRAGMA page_count").await? * number(pool, "PRAGMA page_size").await?;
        let disk = rustix::fs::statvfs(&self.path).map_err(std::io::Error::from)?;
        let free_bytes = disk.f_bavail.saturating_mul(disk.f_frsize);
        if free_bytes < 2 * u64::try_from(bytes).unwrap_or(0) {
            return Ok(());
        }
        let mut connection = pool.acquire().await?;
        for statement in ["PRAGMA auto_vacuum = INCREMENTAL", "VACUUM"] {
            sqlx::query(statement).execute(&mut *connection).await?;
        }
        Ok(())
    }
}

/// Moves all changes from the write-ahead log to the database, and empties the log, unless a reader still needs it.
pub(crate) async fn checkpoint(pool: &SqlitePool) -> sqlx::Result<()> {
    let checkpoint = sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)");
    checkpoint.execute(pool).await.map(drop)
}

async fn number(pool: &SqlitePool, pragma: &'static str) -> sqlx::Result<i64> {
    sqlx::query_scalar(pragma).fetch_one(pool).await
}

#[cfg(test)]
mod tests {
    use crate::{Connection, Database, Opening, Schema, SqlResult, Synchronous, Write, query};
    use sqlx::Connection as _;
    use std::path::Path;
    use std::time::{Duration, Instant};

    const TEXTS: Schema<Sql> = Schema::new(
        Synchronous::Normal,
        &[("texts", "CREATE TABLE texts (text TEXT) STRICT")],
    );
    const FILL: &str =
        "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n LIMIT 20000)
        INSERT INTO texts SELECT hex(randomblob(50)) FROM n";

    struct Sql(&'static str);

    impl Write for Sql {
        async fn apply(&self, connection: &mut Connection) -> SqlResult<()> {
            query(self.0).execute(connection).await.map(drop)
        }
    }

    async fn open(path: &Path) -> Database<Sql> {
        let opened = TEXTS.open(path, Opening::First).await;
        opened.unwrap().database
    }

    async fn eventually_small(database: &Database<Sql>) {
        let deadline = Instant::now() + Duration::from_secs(60);
        while database.size_bytes() > 64 << 10 {
            assert!(Instant::now() < deadline, "{}", database.size_bytes());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    #[tokio::test]
    async fn deleted_rows_give_their_space_back_while_others_write() {
        let folder = tempfile::tempdir().unwrap();
        let database = open(&folder.path().join("a.sqlite")).await;
        database.commit(Sql(FILL)).await.unwrap();
        database.commit(Sql("DELETE FROM texts")).await.unwrap();
        assert!(database.size_bytes() > 1 << 20);
        database.tidy();
        for _ in 0..20 {
            let insert = Sql("INSERT INTO texts VALUES ('kept')");
            database.commit(insert).await.unwrap();
        }
        eventually_small(&database).await;
        let kept: i64 = crate::query_scalar("SELECT count(*) FROM texts")
            .fetch_one(database.readers())
            .await
            .unwrap();
        assert_eq!(kept, 20);
        assert_eq!(database.check().await.unwrap(), [""; 0]);
    }

    #[tokio::test]
    async fn a_file_of_an_older_build_learns_to_shrink() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.sqlite");
        let database = open(&path).await;
        database.commit(Sql(FILL)).await.unwrap();
        database.close().await;
        let url = format!("sqlite://{}", path.display());
        let mut older = Connection::connect(&url).await.unwrap();
        let forget = "PRAGMA auto_vacuum = NONE; VACUUM";
        sqlx::raw_sql(forget).execute(&mut older).await.unwrap();
        older.close().await.unwrap();

        let database = open(&path).await;
        for _ in 0..2 {
            database.commit(Sql("DELETE FROM texts")).await.unwrap();
            database.tidy();
            eventually_small(&database).await;
            // The second time, the file is already one that can shrink.
            database.commit(Sql(FILL)).await.unwrap();
        }
        let mode: i64 = crate::query_scalar("PRAGMA auto_vacuum")
            .fetch_one(database.readers())
            .await
            .unwrap();
        assert_eq!(mode, 2, "incremental");
    }
}
