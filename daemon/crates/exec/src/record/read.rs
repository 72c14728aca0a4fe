//! What is read from `exec.sqlite`.

use super::ExecWrite;
use crate::error::ExecError;
use ccd_protocol::exec::{
    ConversationMessage, ExecListParams, ExecSessionInfo, ExecSessionStatus, ExecutionResult,
    ExecutionStatus, ExecutionSummary, OutputFormat,
};
use ccd_store::{Database, query_as, query_scalar};
use serde::de::DeserializeOwned;
use std::path::PathBuf;

const MAX_ROWS: i64 = 1000;

/// Characters of an instruction in a list.
const SHOWN_CHARS: i64 = 1000;

const MIN_PREFIX: usize = 4;

pub(crate) struct Reader<'a>(pub(crate) &'a Database<ExecWrite>);

ccd_store::row! {
    struct ResultRow {
        request_id: String,
        status: String,
        instruction: String,
        diff: String,
        commit_hash: Option<String>,
        files_changed: String,
        stdout: String,
        stderr: String,
        error_message: Option<String>,
        execution_time: f64,
        session_id: String,
        timestamp: String,
        repo_path: String,
        output_format: String,
        mode: String,
        job: String,
        commits: String,
        policy_violations: String,
        error_kind: Option<String>,
        usage: String,
        warnings: String,
        logs: Option<String>,
        tape: Option<String>,
        tree_before: Option<String>,
        tree_after: Option<String>,
    }
}

ccd_store::row! {
    struct SummaryRow {
        request_id: String,
        instruction: String,
        status: String,
        session_id: String,
        timestamp: String,
        execution_time: f64,
        repo_path: String,
        files: i64,
        commits: i64,
        violations: i64,
        error_message: Option<String>,
        error_kind: Option<String>,
        cost_usd: Option<f64>,
        job: String,
    }
}

ccd_store::row! {
    struct SessionRow {
        session_id: String,
        created_at: String,
        last_accessed: String,
        status: String,
        repo_path: String,
        execution_count: i64,
    }
}

ccd_store::row! {
    /// A run that an earlier process did not finish.
    #[derive(Debug, Clone)]
    pub(crate) struct OpenRun {
        pub(crate) request_id: String,
        pub(crate) status: String,
        pub(crate) dirty_worktree: String,
        pub(crate) session_id: String,
        pub(crate) repo_path: String,
        pub(crate) tree_before: Option<String>,
        pub(crate) head_before: Option<String>,
        pub(crate) tips: String,
        pub(crate) stash: Option<String>,
        pub(crate) job: String,
    }
}

impl Reader<'_> {
    /// Returns the id of the run that `start` is the only prefix of.
    pub(crate) async fn request_id(&self, start: &str) -> Result<String, ExecError> {
        let find = "SELECT request_id FROM executions WHERE request_id >= ?1 AND request_id < ?1 || 'g' LIMIT 3";
        self.id(find, start, ExecError::NoExecution).await
    }

    /// As [`Self::request_id`], of a conversation.
    pub(crate) async fn session_id(&self, start: &str) -> Result<String, ExecError> {
        let find = "SELECT session_id FROM sessions WHERE session_id >= ?1 AND session_id < ?1 || 'g' LIMIT 3";
        self.id(find, start, ExecError::NoSession).await
    }

    async fn id(
        &self,
        find: &'static str,
        start: &str,
        missing: impl Fn(String) -> ExecError,
    ) -> Result<String, ExecError> {
        let prefix = start.trim().to_ascii_lowercase();
        let is_id = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
        if prefix.len() < MIN_PREFIX || !prefix.bytes().all(is_id) {
            return Err(missing(start.to_owned()));
        }
        let find = query_scalar(find).bind(prefix);
        let found: Vec<String> = find.fetch_all(self.0.readers()).await?;
        match <[String; 1]>::try_from(found) {
            Ok([id]) => Ok(id),
            Err(found) if found.is_empty() => Err(missing(start.to_owned())),
            Err(found) => Err(ExecError::Ambiguous {
                start: start.to_owned(),
                found,
            }),
        }
    }

    /// Returns a run without `diff_info`.
    pub(crate) async fn execution(&self, request_id: &str) -> Result<ExecutionResult, ExecError> {
        let find = "SELECT * FROM executions WHERE request_id = ?1";
        let row: Option<ResultRow> = query_as(find)
            .bind(request_id)
            .fetch_optional(self.0.readers())
            .await?;
        let row = row.ok_or_else(|| ExecError::NoExecution(request_id.to_owned()))?;
        Ok(result_of(row))
    }

    pub(crate) async fn summary(&self, request_id: &str) -> Result<ExecutionSummary, ExecError> {
        let all = ExecListParams::default();
        let found = self.executions(&all, None, Some(request_id), 1).await?;
        let first = found.into_iter().next();
        first.ok_or_else(|| ExecError::NoExecution(request_id.to_owned()))
    }

    pub(crate) async fn executions(
        &self,
        params: &ExecListParams,
        repository: Option<String>,
        request_id: Option<&str>,
        limit: i64,
    ) -> Result<Vec<ExecutionSummary>, ExecError> {
        let find = "SELECT request_id, substr(instruction, 1, ?5) AS instruction, status, session_id, timestamp, execution_time, \
                    repo_path, iif(json_valid(files_changed), json_array_length(files_changed), 0) AS files, \
                    iif(json_valid(commits), json_array_length(commits), 0) AS commits, \
                    iif(json_valid(policy_violations), json_array_length(policy_violations), 0) AS violations, error_message, \
                    error_kind, iif(json_valid(\"usage\"), json_extract(\"usage\", '$.cost_usd'), NULL) AS cost_usd, job \
                    FROM executions \
                    WHERE (?1 IS NULL OR repository = ?1) AND (?2 IS NULL OR session_id = ?2) AND (?3 IS NULL OR status = ?3) \
                    AND (?6 IS NULL OR request_id = ?6) \
                    ORDER BY timestamp DESC, rowid DESC LIMIT ?4";
        let rows: Vec<SummaryRow> = query_as(find)
            .bind(repository)
            .bind(&params.session_id)
            .bind(params.status.map(ExecutionStatus::name))
            .bind(limit)
            .bind(SHOWN_CHARS)
            .bind(request_id)
            .fetch_all(self.0.readers())
            .await?;
        Ok(rows.into_iter().map(summary_of).collect())
    }

    /// Returns conversations, the last used first. `expired` is the time before which one has expired.
    pub(crate) async fn sessions(
        &self,
        repository: Option<&str>,
        status: Option<ExecSessionStatus>,
        expired: &str,
    ) -> Result<Vec<ExecSessionInfo>, ExecError> {
        let find = "SELECT * FROM sessions WHERE ?1 IS NULL OR repo_path = ?1 ORDER BY last_accessed DESC, rowid DESC LIMIT ?2";
        let rows: Vec<SessionRow> = query_as(find)
            .bind(repository)
            .bind(MAX_ROWS)
            .fetch_all(self.0.readers())
            .await?;
        let sessions = rows.into_iter().map(|row| session_of(row, expired));
        Ok(sessions
            .filter(|session| status.is_none_or(|status| session.status == status))
            .collect())
    }

    pub(crate) async fn session(
        &self,
        session_id: &str,
        expired: &str,
    ) -> Result<Option<ExecSessionInfo>, ExecError> {
        let find = "SELECT * FROM sessions WHERE session_id = ?1";
        let row: Option<SessionRow> = query_as(find)
            .bind(session_id)
            .fetch_optional(self.0.readers())
            .await?;
        Ok(row.map(|row| session_of(row, expired)))
    }

    pub(crate) async fn messages(
        &self,
        session_id: &str,
    ) -> Result<Vec<ConversationMessage>, ExecError> {
        let find = "SELECT role, content FROM conversation_messages WHERE session_id = ?1 ORDER BY id LIMIT ?2";
        let rows: Vec<(String, String)> = query_as(find)
            .bind(session_id)
            .bind(MAX_ROWS)
            .fetch_all(self.0.readers())
            .await?;
        let messages = rows
            .into_iter()
            .map(|(role, content)| ConversationMessage { role, content });
        Ok(messages.collect())
    }

    pub(crate) async fn places(&self) -> Result<Vec<PathBuf>, ExecError> {
        let find = query_scalar("SELECT DISTINCT repo_path FROM executions");
        let places: Vec<String> = find.fetch_all(self.0.readers()).await?;
        Ok(places.into_iter().map(PathBuf::from).collect())
    }

    pub(crate) async fn open_runs(&self) -> Result<Vec<OpenRun>, ExecError> {
        let find =
            "SELECT * FROM executions WHERE status IN ('queued', 'running') ORDER BY timestamp";
        Ok(query_as(find).fetch_all(self.0.readers()).await?)
    }
}

fn result_of(row: ResultRow) -> ExecutionResult {
    ExecutionResult {
        request_id: row.request_id,
        status: status_of(&row.status),
        instruction: row.instruction,
        diff: row.diff,
        commit_hash: row.commit_hash,
        files_changed: read(&row.files_changed),
        stdout: row.stdout,
        stderr: row.stderr,
        error_message: row.error_message,
        execution_time: row.execution_time,
        session_id: row.session_id,
        timestamp: row.timestamp,
        diff_info: Vec::new(),
        commits: read(&row.commits),
        policy_violations: read(&row.policy_violations),
        error_kind: row.error_kind,
        repo_path: row.repo_path,
        output_format: format_of(&row.output_format),
        mode: row.mode,
        job: row.job,
        usage: read(&row.usage),
        warnings: read(&row.warnings),
        logs: row.logs.as_deref().map(read),
        tape: row.tape.as_deref().map(read),
        tree_before: row.tree_before,
        tree_after: row.tree_after,
    }
}

fn summary_of(row: SummaryRow) -> ExecutionSummary {
    let count = |number: i64| u64::try_from(number).unwrap_or_default();
    ExecutionSummary {
        request_id: row.request_id,
        instruction: row.instruction,
        status: status_of(&row.status),
        session_id: row.session_id,
        timestamp: row.timestamp,
        execution_time: row.execution_time,
        repo_path: row.repo_path,
        files_changed_count: count(row.files),
        commit_count: count(row.commits),
        violation_count: count(row.violations),
        error_message: row.error_message,
        error_kind: row.error_kind,
        cost_usd: row.cost_usd,
        job: row.job,
    }
}

fn session_of(row: SessionRow, expired: &str) -> ExecSessionInfo {
    let status = match &*row.status {
        "completed" => ExecSessionStatus::Completed,
        _ if *row.last_accessed < *expired => ExecSessionStatus::Expired,
        _ => ExecSessionStatus::Active,
    };
    ExecSessionInfo {
        session_id: row.session_id,
        created_at: row.created_at,
        last_accessed: row.last_accessed,
        conversation_history: None,
        status,
        repo_path: row.repo_path,
        execution_count: u64::try_from(row.execution_count).unwrap_or_default(),
    }
}

/// Reads JSON that this crate has written; of a hand-edited database, the default.
fn read<T: DeserializeOwned + Default>(text: &str) -> T {
    serde_json::from_str(text).unwrap_or_default()
}

fn status_of(text: &str) -> ExecutionStatus {
    use ExecutionStatus::{Failed, Queued, Running, Success, Timeout};
    let all = [Queued, Running, Success, Timeout];
    all.into_iter()
        .find(|status| status.name() == text)
        .unwrap_or(Failed)
}

fn format_of(text: &str) -> OutputFormat {
    serde_json::from_value(text.into()).unwrap_or_default()
}
