//! Rows of the tables `jobs` and `job_entries`.

use super::{Store, StoreError};
use sqlx::SqliteConnection;

/// A job as the database has it.
#[derive(Debug, Clone, sqlx::FromRow)]
pub(crate) struct JobRow {
    pub(crate) job: String,
    pub(crate) method: String,
    pub(crate) state: String,
    /// JSON.
    pub(crate) progress: Option<String>,
    pub(crate) created_at: String,
    pub(crate) ended_at: Option<String>,
    /// JSON, without the list.
    pub(crate) result: Option<String>,
    /// JSON.
    pub(crate) error: Option<String>,
    /// Name of the list in the result.
    pub(crate) list: Option<String>,
    /// Entries that the list had, also when they are no longer kept; only read.
    #[sqlx(default)]
    pub(crate) entry_count: i64,
}

/// An entry of a job's list as the database has it.
#[derive(Debug, Clone, sqlx::FromRow)]
pub(crate) struct JobEntryRow {
    pub(crate) seq: i64,
    /// Where it stands in the result.
    pub(crate) place: i64,
    pub(crate) at: String,
    /// JSON.
    pub(crate) value: String,
}

/// Entries that go to the end of a job's list.
#[derive(Debug)]
pub(crate) struct JobEntries {
    pub(crate) job: String,
    /// The first one that is still kept.
    pub(crate) first: i64,
    pub(crate) rows: Vec<JobEntryRow>,
}

/// The columns of [`JobRow`].
const COLUMNS: &str = "jobs.*, (SELECT COALESCE(MAX(seq) + 1, 0) FROM job_entries WHERE job_entries.job = jobs.job) \
                       AS entry_count";

pub(super) async fn replace(connection: &mut SqliteConnection, row: &JobRow) -> sqlx::Result<()> {
    sqlx::query(
        "INSERT INTO jobs (job, method, state, progress, created_at, ended_at, result, error, list) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (job) DO UPDATE SET state = ?3, progress = ?4, \
         ended_at = ?6, result = ?7, error = ?8",
    )
    .bind(&row.job)
    .bind(&row.method)
    .bind(&row.state)
    .bind(&row.progress)
    .bind(&row.created_at)
    .bind(&row.ended_at)
    .bind(&row.result)
    .bind(&row.error)
    .bind(&row.list)
    .execute(connection)
    .await
    .map(drop)
}

pub(super) async fn append(
    connection: &mut SqliteConnection,
    entries: &JobEntries,
) -> sqlx::Result<()> {
    for row in &entries.rows {
        sqlx::query(
            "INSERT OR REPLACE INTO job_entries (job, seq, place, at, value) VALUES (?1, ?2, ?3, ?4, ?5)",
        )
        .bind(&entries.job)
        .bind(row.seq)
        .bind(row.place)
        .bind(&row.at)
        .bind(&row.value)
        .execute(&mut *connection)
        .await?;
    }
    sqlx::query("DELETE FROM job_entries WHERE job = ?1 AND seq < ?2")
        .bind(&entries.job)
        .bind(entries.first)
        .execute(connection)
        .await
        .map(drop)
}

pub(super) async fn delete_before(
    connection: &mut SqliteConnection,
    time: &str,
) -> sqlx::Result<()> {
    sqlx::query("DELETE FROM jobs WHERE ended_at < ?1")
        .bind(time)
        .execute(connection)
        .await
        .map(drop)
}

pub(super) async fn delete_over(connection: &mut SqliteConnection, bytes: i64) -> sqlx::Result<()> {
    sqlx::query(
        "DELETE FROM jobs WHERE job IN (SELECT job FROM (SELECT job, ended_at, SUM(bytes) OVER (ORDER BY ended_at IS NULL \
         DESC, ended_at DESC, job ROWS UNBOUNDED PRECEDING) AS sum FROM (SELECT jobs.job, jobs.ended_at, \
         (SELECT COALESCE(SUM(OCTET_LENGTH(value)), 0) FROM job_entries WHERE job_entries.job = jobs.job) AS bytes \
         FROM jobs)) WHERE sum > ?1 AND ended_at IS NOT NULL)",
    )
    .bind(bytes)
    .execute(connection)
    .await
    .map(drop)
}

impl Store {
    /// Returns the first `limit` ids of jobs that begin with `start`, which has no sign of a pattern.
    pub(crate) async fn job_ids(&self, start: &str, limit: i64) -> Result<Vec<String>, StoreError> {
        let query =
            "SELECT job FROM jobs WHERE job >= ?1 AND job < ?1 || 'g' ORDER BY job LIMIT ?2";
        Ok(sqlx::query_scalar(query)
            .bind(start)
            .bind(limit)
            .fetch_all(&self.readers)
            .await?)
    }

    /// Returns how many bytes the lists of all jobs take.
    pub(crate) async fn job_bytes(&self) -> Result<i64, StoreError> {
        let query = "SELECT COALESCE(SUM(OCTET_LENGTH(value)), 0) FROM job_entries";
        Ok(sqlx::query_scalar(query).fetch_one(&self.readers).await?)
    }

    /// Returns one job.
    pub(crate) async fn job(&self, job: &str) -> Result<Option<JobRow>, StoreError> {
        let query = format!("SELECT {COLUMNS} FROM jobs WHERE job = ?1");
        Ok(sqlx::query_as(sqlx::AssertSqlSafe(query))
            .bind(job)
            .fetch_optional(&self.readers)
            .await?)
    }

    /// Returns the newest `limit` jobs, newest first.
    pub(crate) async fn jobs(&self, limit: i64) -> Result<Vec<JobRow>, StoreError> {
        let query = format!("SELECT {COLUMNS} FROM jobs ORDER BY created_at DESC, job LIMIT ?1");
        Ok(sqlx::query_as(sqlx::AssertSqlSafe(query))
            .bind(limit)
            .fetch_all(&self.readers)
            .await?)
    }

    /// Returns the jobs that have not ended.
    pub(crate) async fn unfinished_jobs(&self) -> Result<Vec<JobRow>, StoreError> {
        let query = format!("SELECT {COLUMNS} FROM jobs WHERE ended_at IS NULL");
        Ok(sqlx::query_as(sqlx::AssertSqlSafe(query))
            .fetch_all(&self.readers)
            .await?)
    }

    /// Returns at most `limit` entries of a job's list from `since` on, in the order in which they came.
    pub(crate) async fn job_entries(
        &self,
        job: &str,
        since: i64,
        limit: i64,
    ) -> Result<Vec<JobEntryRow>, StoreError> {
        let query = "SELECT * FROM job_entries WHERE job = ?1 AND seq >= ?2 ORDER BY seq LIMIT ?3";
        Ok(sqlx::query_as(query)
            .bind(job)
            .bind(since)
            .bind(limit)
            .fetch_all(&self.readers)
            .await?)
    }
}
