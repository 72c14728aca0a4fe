//! Rows of the tables `jobs` and `job_entries`.

use ccd_store::{
    AssertSqlSafe, Connection, SqlResult, Store, StoreError, Write, insert, query, query_as,
    query_scalar,
};
use std::slice;

ccd_store::row! {
    #[derive(Debug, Clone)]
    pub(super) struct JobRow {
        pub(super) job: String,
        pub(super) method: String,
        pub(super) state: String,
        /// JSON.
        pub(super) progress: Option<String>,
        pub(super) created_at: String,
        pub(super) ended_at: Option<String>,
        /// JSON, without the list.
        pub(super) result: Option<String>,
        /// JSON.
        pub(super) error: Option<String>,
        pub(super) list: Option<String>,
    }
    reads {
        /// Number of entries of the list, including those that are no longer kept.
        pub(super) entry_count: i64,
    }
}

ccd_store::row! {
    #[derive(Debug, Clone)]
    pub(super) struct JobEntryRow {
        pub(super) job: String,
        pub(super) seq: i64,
        /// Its position in the result.
        pub(super) place: i64,
        pub(super) at: String,
        /// JSON.
        pub(super) value: String,
    }
}

#[derive(Debug)]
pub(super) struct JobEntries {
    pub(super) job: String,
    /// The first one that is still kept.
    pub(super) first: i64,
    pub(super) rows: Vec<JobEntryRow>,
}

/// Selects the jobs that `rest`, what follows the table, chooses.
fn select_jobs(rest: &str) -> AssertSqlSafe<String> {
    AssertSqlSafe(format!(
        "SELECT jobs.*, (SELECT COALESCE(MAX(seq) + 1, 0) FROM job_entries WHERE job_entries.job = jobs.job) AS entry_count \
         FROM jobs {rest}"
    ))
}

/// Inserts the row, or updates the columns that may change.
impl Write for JobRow {
    async fn apply(&self, connection: &mut Connection) -> SqlResult<()> {
        let statement = "INSERT INTO jobs ({columns}) {values} ON CONFLICT (job) DO UPDATE SET state = excluded.state, \
            progress = excluded.progress, ended_at = excluded.ended_at, result = excluded.result, error = excluded.error";
        insert(connection, statement, slice::from_ref(self)).await
    }
}

/// Appends to the list, and removes its oldest entries.
impl Write for JobEntries {
    async fn apply(&self, connection: &mut Connection) -> SqlResult<()> {
        let statement = "INSERT OR REPLACE INTO job_entries ({columns}) {values}";
        insert(connection, statement, &self.rows).await?;
        let forget = query("DELETE FROM job_entries WHERE job = ?1 AND seq < ?2");
        let forget = forget.bind(&self.job).bind(self.first);
        forget.execute(connection).await.map(drop)
    }
}

pub(super) enum DeleteJobs {
    Before(String),
    /// The oldest, until the lists of the others have at most this many bytes.
    Over(i64),
}

impl Write for DeleteJobs {
    async fn apply(&self, connection: &mut Connection) -> SqlResult<()> {
        let delete = match self {
            Self::Before(time) => query("DELETE FROM jobs WHERE ended_at < ?1").bind(time),
            Self::Over(bytes) => query(
                "DELETE FROM jobs WHERE job IN (SELECT job FROM (SELECT job, ended_at, SUM(bytes) OVER (ORDER BY ended_at IS NULL \
                 DESC, ended_at DESC, job ROWS UNBOUNDED PRECEDING) AS sum FROM (SELECT jobs.job, jobs.ended_at, \
                 (SELECT COALESCE(SUM(OCTET_LENGTH(value)), 0) FROM job_entries WHERE job_entries.job = jobs.job) AS bytes \
                 FROM jobs)) WHERE sum > ?1 AND ended_at IS NOT NULL)",
            )
            .bind(bytes),
        };
        delete.execute(connection).await.map(drop)
    }
}

/// What was read.
type Read<T> = Result<T, StoreError>;

/// Counts the jobs that ended before a time; also returns when the oldest was created.
pub(super) async fn ended_before(store: &Store, time: &str) -> Read<(u64, Option<String>)> {
    let count =
        query_as("SELECT count(*), min(created_at) FROM jobs WHERE ended_at < ?1").bind(time);
    let (count, oldest): (i64, _) = count.fetch_one(store.readers()).await?;
    Ok((count.unsigned_abs(), oldest))
}

/// Returns the first `limit` ids of jobs that start with `start`, which contains no wildcard.
pub(super) async fn job_ids(store: &Store, start: &str, limit: i64) -> Read<Vec<String>> {
    let query = "SELECT job FROM jobs WHERE job >= ?1 AND job < ?1 || 'g' ORDER BY job LIMIT ?2";
    let ids = query_scalar(query).bind(start).bind(limit);
    Ok(ids.fetch_all(store.readers()).await?)
}

/// Returns the size of the lists of all jobs in bytes.
pub(super) async fn job_bytes(store: &Store) -> Read<i64> {
    let query = "SELECT COALESCE(SUM(OCTET_LENGTH(value)), 0) FROM job_entries";
    Ok(query_scalar(query).fetch_one(store.readers()).await?)
}

pub(super) async fn job(store: &Store, job: &str) -> Read<Option<JobRow>> {
    let row = query_as(select_jobs("WHERE job = ?1")).bind(job);
    Ok(row.fetch_optional(store.readers()).await?)
}

pub(super) async fn jobs(store: &Store, limit: i64) -> Read<Vec<JobRow>> {
    let rows = query_as(select_jobs("ORDER BY created_at DESC, job LIMIT ?1")).bind(limit);
    Ok(rows.fetch_all(store.readers()).await?)
}

pub(super) async fn unfinished_jobs(store: &Store) -> Read<Vec<JobRow>> {
    let rows = query_as(select_jobs("WHERE ended_at IS NULL"));
    Ok(rows.fetch_all(store.readers()).await?)
}

/// Returns at most `limit` entries of a job's list from `since` on, in the order of their arrival.
pub(super) async fn job_entries(
    store: &Store,
    job: &str,
    since: i64,
    limit: i64,
) -> Read<Vec<JobEntryRow>> {
    let query = "SELECT * FROM job_entries WHERE job = ?1 AND seq >= ?2 ORDER BY seq LIMIT ?3";
    let rows = query_as(query).bind(job).bind(since).bind(limit);
    Ok(rows.fetch_all(store.readers()).await?)
}
