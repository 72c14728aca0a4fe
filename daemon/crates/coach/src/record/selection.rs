//! Which events or payloads are deleted.

use crate::json_rows::json;
use ccd_store::{AssertSqlSafe, Connection, ReadPool, SqlResult, query, query_as};

/// All that is given must hold. In SQL these are the parameters 1 to 3.
#[derive(Debug, Clone, Default)]
pub(crate) struct Selection {
    /// Any of these repositories.
    pub(crate) repo_ids: Option<Vec<String>>,
    pub(crate) session_id: Option<String>,
    pub(crate) before: Option<String>,
}

impl Selection {
    /// Returns the condition in SQL for rows whose time is in `column`.
    pub(super) fn condition(column: &str) -> String {
        format!(
            "(?1 IS NULL OR repo_id IN (SELECT value FROM json_each(?1)))
                AND (?2 IS NULL OR session_id = ?2) AND (?3 IS NULL OR {column} < ?3)"
        )
    }

    pub(super) async fn delete(&self, connection: &mut Connection, sql: String) -> SqlResult<()> {
        let delete = query(AssertSqlSafe(sql)).bind(self.repo_ids.as_ref().map(json));
        let delete = delete.bind(&self.session_id).bind(&self.before);
        delete.execute(connection).await.map(drop)
    }

    /// Returns the number of rows, and the time of the oldest.
    pub(super) async fn count(
        &self,
        readers: &ReadPool,
        sql: String,
    ) -> SqlResult<(u64, Option<String>)> {
        let count = query_as(AssertSqlSafe(sql)).bind(self.repo_ids.as_ref().map(json));
        let count = count.bind(&self.session_id).bind(&self.before);
        let (count, oldest): (i64, _) = count.fetch_one(readers).await?;
        Ok((count.unsigned_abs(), oldest))
    }
}
