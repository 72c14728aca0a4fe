//! Which events or payloads are deleted.

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
    /// JSON, as the parameter of SQL.
    fn repos(&self) -> Option<String> {
        let ids = self.repo_ids.as_ref()?;
        Some(serde_json::to_string(ids).unwrap_or_else(|_| "[]".to_owned()))
    }

    pub(super) async fn delete(&self, connection: &mut Connection, sql: String) -> SqlResult<()> {
        let delete = query(AssertSqlSafe(sql)).bind(self.repos());
        let delete = delete.bind(&self.session_id).bind(&self.before);
        delete.execute(connection).await.map(drop)
    }

    /// Returns the number of rows, and the time of the oldest.
    pub(super) async fn count(
        &self,
        readers: &ReadPool,
        sql: String,
    ) -> SqlResult<(u64, Option<String>)> {
        let count = query_as(AssertSqlSafe(sql)).bind(self.repos());
        let count = count.bind(&self.session_id).bind(&self.before);
        let (count, oldest): (i64, _) = count.fetch_one(readers).await?;
        Ok((count.unsigned_abs(), oldest))
    }
}
