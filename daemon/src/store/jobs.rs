//! Rows of the table `jobs`.

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
    /// JSON.
    pub(crate) result: Option<String>,
    /// JSON.
    pub(crate) error: Option<String>,
}

pub(super) async fn replace(connection: &mut SqliteConnection, row: &JobRow) -> sqlx::Result<()> {
    sqlx::query(
        "INSERT INTO jobs (job, method, state, progress, created_at, ended_at, result, error) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (job) DO UPDATE SET state = ?3, progress = ?4, \
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

impl Store {
    /// Returns one job.
    pub(crate) async fn job(&self, job: &str) -> Result<Option<JobRow>, StoreError> {
        Ok(sqlx::query_as("SELECT * FROM jobs WHERE job = ?1")
            .bind(job)
            .fetch_optional(&self.readers)
            .await?)
    }

    /// Returns the newest `limit` jobs, newest first.
    pub(crate) async fn jobs(&self, limit: i64) -> Result<Vec<JobRow>, StoreError> {
        Ok(
            sqlx::query_as("SELECT * FROM jobs ORDER BY created_at DESC, job LIMIT ?1")
                .bind(limit)
                .fetch_all(&self.readers)
                .await?,
        )
    }
}
