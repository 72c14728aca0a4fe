//! What is read from `exec.sqlite`.

use super::ExecWrite;
use crate::error::{ExecError, system};
use ccd_protocol::exec::{
    ConversationMessage, ExecListParams, ExecSessionInfo, ExecutionResult, ExecutionStatus,
    ExecutionSummary,
};
use ccd_store::{Database, query_as, query_scalar};
use serde::de::DeserializeOwned;
use std::io;
use std::path::PathBuf;

const MAX_ROWS: i64 = 1000;

/// Characters of an instruction in a list.
const SHOWN_CHARS: i64 = 1000;

const MIN_PREFIX: usize = 4;

pub(crate) struct RecordReader<'a>(pub(crate) &'a Database<ExecWrite>);

ccd_store::row! {
    /// A run that an earlier process did not finish.
    #[derive(Debug, Clone)]
    pub(crate) struct OpenRun {
        pub(crate) request_id: String,
        pub(crate) status: String,
        pub(crate) dirty_worktree: String,
        pub(crate) session_id: String,
        pub(crate) repo_path: String,
        pub(crate) timeout: i64,
        pub(crate) tree_before: Option<String>,
        pub(crate) head_before: Option<String>,
        pub(crate) tips: String,
        pub(crate) stash: Option<String>,
        pub(crate) job: String,
    }
}

impl RecordReader<'_> {
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

    /// Returns a run without `diff_info`. Columns are named as members are, so the database makes the JSON, but for the long
    /// texts.
    pub(crate) async fn execution(&self, request_id: &str) -> Result<ExecutionResult, ExecError> {
        let find = "SELECT diff, stdout, stderr, json_object('request_id', request_id, 'status', status, 'instruction', instruction, \
                    'commit_hash', commit_hash, 'files_changed', json(files_changed), 'error_message', error_message, \
                    'execution_time', execution_time, 'session_id', session_id, 'timestamp', timestamp, 'commits', json(commits), \
                    'policy_violations', json(policy_violations), 'error_kind', error_kind, 'repo_path', repo_path, \
                    'output_format', output_format, 'mode', mode, 'job', job, 'usage', json(\"usage\"), 'warnings', json(warnings), \
                    'logs', json(logs), 'tape', json(tape), 'tree_before', tree_before, 'tree_after', tree_after) \
                    FROM executions WHERE request_id = ?1";
        let row: Option<(String, String, String, String)> = query_as(find)
            .bind(request_id)
            .fetch_optional(self.0.readers())
            .await?;
        let row = row.ok_or_else(|| ExecError::NoExecution(request_id.to_owned()))?;
        let (diff, stdout, stderr, rest) = row;
        let rest = serde_json::from_str(&rest).map_err(io::Error::other);
        Ok(ExecutionResult {
            diff,
            stdout,
            stderr,
            ..rest.map_err(system("the record of the run cannot be read"))?
        })
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
        let find = "SELECT json_object('request_id', request_id, 'instruction', substr(instruction, 1, ?5), 'status', status, \
                    'session_id', session_id, 'timestamp', timestamp, 'execution_time', execution_time, 'repo_path', repo_path, \
                    'files_changed_count', iif(json_valid(files_changed), json_array_length(files_changed), 0), \
                    'commit_count', iif(json_valid(commits), json_array_length(commits), 0), \
                    'violation_count', iif(json_valid(policy_violations), json_array_length(policy_violations), 0), \
                    'error_message', error_message, 'error_kind', error_kind, 'job', job, \
                    'cost_usd', iif(json_valid(\"usage\"), json_extract(\"usage\", '$.cost_usd'), NULL)) \
                    FROM executions \
                    WHERE (?1 IS NULL OR repository = ?1) AND (?2 IS NULL OR session_id = ?2) AND (?3 IS NULL OR status = ?3) \
                    AND (?6 IS NULL OR request_id = ?6) \
                    ORDER BY timestamp DESC, rowid DESC LIMIT ?4";
        let rows: Vec<String> = query_scalar(find)
            .bind(repository)
            .bind(&params.session_id)
            .bind(params.status.map(ExecutionStatus::name))
            .bind(limit)
            .bind(SHOWN_CHARS)
            .bind(request_id)
            .fetch_all(self.0.readers())
            .await?;
        Ok(read_all(&rows))
    }

    /// Returns conversations, the last used first. `expired` is the time before which one has expired.
    pub(crate) async fn sessions(
        &self,
        repository: Option<&str>,
        session_id: Option<&str>,
        expired: &str,
    ) -> Result<Vec<ExecSessionInfo>, ExecError> {
        let find = "SELECT json_object('session_id', session_id, 'created_at', created_at, 'last_accessed', last_accessed, \
                    'status', iif(status = 'completed', status, iif(last_accessed < ?1, 'expired', 'active')), \
                    'repo_path', repo_path, 'execution_count', execution_count) FROM sessions \
                    WHERE (?2 IS NULL OR repo_path = ?2) AND (?3 IS NULL OR session_id = ?3) \
                    ORDER BY last_accessed DESC, rowid DESC LIMIT ?4";
        let rows: Vec<String> = query_scalar(find)
            .bind(expired)
            .bind(repository)
            .bind(session_id)
            .bind(MAX_ROWS)
            .fetch_all(self.0.readers())
            .await?;
        Ok(read_all(&rows))
    }

    pub(crate) async fn session(
        &self,
        session_id: &str,
        expired: &str,
    ) -> Result<ExecSessionInfo, ExecError> {
        let found = self.sessions(None, Some(session_id), expired).await?;
        let first = found.into_iter().next();
        first.ok_or_else(|| ExecError::NoSession(session_id.to_owned()))
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

/// Reads records that the database has made; one that somebody has spoiled by hand is left out.
fn read_all<T: DeserializeOwned>(records: &[String]) -> Vec<T> {
    let records = records.iter();
    let records = records.filter_map(|record| serde_json::from_str(record).ok());
    records.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{EXEC, ExecutionRow, RunOutcome};
    use ccd_protocol::exec::{
        ExecSessionStatus, ExecutionLog, ExecutionUsage, OutputFormat, PolicyViolation,
    };
    use ccd_store::Opening;
    use serde_json::json;

    const RUN: &str = "11111111-a";
    const SESSION: &str = "22222222-b";
    const ODD: &str = "\"quoted\" \\ \u{0}\u{1}\u{2028}\u{1f44d}\n";

    fn result() -> ExecutionResult {
        let odd = || ODD.to_owned();
        ExecutionResult {
            request_id: RUN.into(),
            status: ExecutionStatus::Success,
            instruction: odd(),
            diff: odd(),
            commit_hash: Some("c".into()),
            files_changed: vec![odd()],
            stdout: odd(),
            stderr: odd(),
            error_message: Some(odd()),
            execution_time: 1.5,
            session_id: SESSION.into(),
            timestamp: "2026-01-02".into(),
            commits: vec!["b".into(), "c".into()],
            policy_violations: vec![PolicyViolation {
                tool_name: odd(),
                tool_use_id: "t".into(),
                tool_input: json!({"a": [1, ODD]}),
            }],
            error_kind: Some("internal".into()),
            repo_path: "/p".into(),
            output_format: OutputFormat::StreamJson,
            mode: "all".into(),
            usage: ExecutionUsage {
                turns: 3,
                cost_usd: Some(0.25),
                ..ExecutionUsage::default()
            },
            warnings: vec![odd()],
            tree_after: Some("t".into()),
            job: "job-1".into(),
            logs: Some(vec![ExecutionLog {
                at: "now".into(),
                level: "debug".into(),
                message: odd(),
            }]),
            ..ExecutionResult::default()
        }
    }

    #[tokio::test]
    async fn a_run_is_read_as_it_was_written_whatever_its_texts_are() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("exec.sqlite");
        let opened = EXEC.open(&path, Opening::First).await.unwrap();
        let (database, result) = (opened.database, result());
        let row = ExecutionRow {
            request_id: RUN.into(),
            job: "job-1".into(),
            status: "queued".into(),
            instruction: ODD.into(),
            session_id: SESSION.into(),
            timestamp: result.timestamp.clone(),
            repo_path: "/p".into(),
            repository: "/p".into(),
            output_format: "stream-json".into(),
            mode: "all".into(),
            tools: "[]".into(),
            permission_mode: None,
            model: None,
            max_turns: None,
            timeout: 600,
            dirty_worktree: "block".into(),
            client: None,
        };
        let at = "2026-01-03".to_owned();
        let started = ExecWrite::Started {
            request_id: RUN.into(),
            session_id: SESSION.into(),
            repository: "/p".into(),
            instruction: ODD.into(),
            at: at.clone(),
        };
        let ended = Box::new(RunOutcome {
            result: result.clone(),
            answer: Some(ODD.into()),
        });
        let request = ExecWrite::Request(Box::new(row));
        for write in [request, started, ExecWrite::Ended { at, ended }] {
            database.commit(write).await.unwrap();
        }
        let reader = RecordReader(&database);
        assert_eq!(reader.request_id("1111").await.unwrap(), RUN);
        assert_eq!(reader.execution(RUN).await.unwrap(), result);
        let summary = reader.summary(RUN).await.unwrap();
        assert_eq!(summary.error_message.as_deref(), Some(ODD));
        assert_eq!((summary.files_changed_count, summary.commit_count), (1, 2));
        assert_eq!((summary.violation_count, summary.cost_usd), (1, Some(0.25)));
        for (expired, status) in [
            ("2026-01-01", ExecSessionStatus::Active),
            ("2026-02-01", ExecSessionStatus::Expired),
        ] {
            let session = reader.session(SESSION, expired).await.unwrap();
            assert_eq!((session.status, session.execution_count), (status, 1));
        }
        let said = reader.messages(SESSION).await.unwrap();
        assert!(said.len() == 2 && said.iter().all(|one| one.content == ODD));
    }
}
