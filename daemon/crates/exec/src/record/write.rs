//! Changes to `exec.sqlite`.

use ccd_protocol::exec::ExecutionResult;
use ccd_store::{
    AssertSqlSafe, Connection, SqlResult, Write, insert, query, query_as, query_scalar,
};
use parking_lot::Mutex;
use serde::Serialize;
use std::slice;
use std::sync::Arc;

ccd_store::row! {
    #[derive(Debug, Clone)]
    pub(crate) struct ExecutionRow {
        pub(crate) request_id: String,
        pub(crate) job: String,
        pub(crate) status: String,
        pub(crate) instruction: String,
        pub(crate) session_id: String,
        pub(crate) timestamp: String,
        pub(crate) repo_path: String,
        pub(crate) repository: String,
        pub(crate) output_format: String,
        pub(crate) mode: String,
        pub(crate) tools: String,
        pub(crate) permission_mode: Option<String>,
        pub(crate) model: Option<String>,
        pub(crate) max_turns: Option<i64>,
        pub(crate) timeout: i64,
        pub(crate) dirty_worktree: String,
        pub(crate) client: Option<String>,
    }
}

/// What the recovery needs to know before anything is changed.
#[derive(Debug, Clone, Default)]
pub(crate) struct PreparedRun {
    pub(crate) repo_path: String,
    pub(crate) tree_before: Option<String>,
    pub(crate) head_before: Option<String>,
    pub(crate) tips: Vec<String>,
    pub(crate) stash: Option<String>,
}

/// How a run ended.
#[derive(Debug)]
pub(crate) struct RunOutcome {
    /// Its ids, and what is only known at its end.
    pub(crate) result: ExecutionResult,
    /// The last answer, for the conversation.
    pub(crate) answer: Option<String>,
}

#[derive(Debug)]
pub(crate) enum ExecWrite {
    Request(Box<ExecutionRow>),
    Prepared {
        request_id: String,
        prepared: PreparedRun,
    },
    /// The program is about to start. The conversation counts it.
    Started {
        request_id: String,
        session_id: String,
        repository: String,
        instruction: String,
        at: String,
    },
    Ended {
        at: String,
        ended: Box<RunOutcome>,
    },
    EndSession {
        session_id: String,
    },
    /// Deletes conversations with what was said, and ended runs.
    Cleanup {
        which: Outdated,
        removed: Arc<Mutex<RemovedRuns>>,
    },
}

#[derive(Debug)]
pub(crate) struct Outdated {
    /// Those that were last used before this time.
    pub(crate) conversations_before: String,
    pub(crate) runs_before: String,
    pub(crate) project: Option<String>,
    pub(crate) dry_run: bool,
}

/// What was deleted.
#[derive(Debug, Default)]
pub(crate) struct RemovedRuns {
    pub(crate) conversations: u64,
    pub(crate) runs: u64,
    /// When the oldest run was asked for.
    pub(crate) oldest: Option<String>,
}

impl Write for ExecWrite {
    async fn apply(&self, connection: &mut Connection) -> SqlResult<()> {
        match self {
            Self::Request(row) => {
                let put = "INSERT INTO executions ({columns}) {values}";
                insert(connection, put, slice::from_ref(&**row)).await
            }
            Self::Prepared {
                request_id,
                prepared,
            } => prepare(connection, request_id, prepared).await,
            Self::Started {
                request_id,
                session_id,
                repository,
                instruction,
                at,
            } => {
                start(connection, session_id, repository, at).await?;
                let message = ("user", &**instruction);
                say(connection, session_id, request_id, message, at).await
            }
            Self::Ended { at, ended } => end(connection, at, ended).await,
            Self::EndSession { session_id } => {
                let set = query("UPDATE sessions SET status = 'completed' WHERE session_id = ?1");
                set.bind(session_id).execute(connection).await.map(drop)
            }
            Self::Cleanup { which, removed } => {
                let done = clean(connection, which).await?;
                *removed.lock() = done;
                Ok(())
            }
        }
    }
}

async fn prepare(
    connection: &mut Connection,
    request_id: &str,
    prepared: &PreparedRun,
) -> SqlResult<()> {
    let set = query(
        "UPDATE executions SET status = 'running', repo_path = ?2, tree_before = ?3, head_before = ?4, tips = ?5, stash = ?6 \
         WHERE request_id = ?1",
    );
    set.bind(request_id)
        .bind(&prepared.repo_path)
        .bind(&prepared.tree_before)
        .bind(&prepared.head_before)
        .bind(json(&prepared.tips))
        .bind(&prepared.stash)
        .execute(connection)
        .await
        .map(drop)
}

async fn start(
    connection: &mut Connection,
    session_id: &str,
    repository: &str,
    at: &str,
) -> SqlResult<()> {
    let count = query(
        "INSERT INTO sessions (session_id, created_at, last_accessed, status, repo_path, execution_count) \
         VALUES (?1, ?2, ?2, 'active', ?3, 1) \
         ON CONFLICT (session_id) DO UPDATE SET last_accessed = ?2, execution_count = execution_count + 1",
    );
    let count = count.bind(session_id).bind(at).bind(repository);
    count.execute(connection).await.map(drop)
}

async fn say(
    connection: &mut Connection,
    session_id: &str,
    request_id: &str,
    (role, content): (&str, &str),
    at: &str,
) -> SqlResult<()> {
    let put = query(
        "INSERT INTO conversation_messages (session_id, request_id, role, content, created_at) VALUES (?1, ?2, ?3, ?4, ?5)",
    );
    put.bind(session_id)
        .bind(request_id)
        .bind(role)
        .bind(content)
        .bind(at)
        .execute(connection)
        .await
        .map(drop)
}

async fn end(connection: &mut Connection, at: &str, ended: &RunOutcome) -> SqlResult<()> {
    let set = query(
        "UPDATE executions SET status = ?2, diff = ?3, commit_hash = ?4, files_changed = ?5, stdout = ?6, stderr = ?7, \
         error_message = ?8, execution_time = ?9, commits = ?10, policy_violations = ?11, error_kind = ?12, \"usage\" = ?13, \
         warnings = ?14, logs = ?15, tree_after = ?16, ended_at = ?17, tape = ?18 WHERE request_id = ?1",
    );
    let result = &ended.result;
    set.bind(&result.request_id)
        .bind(result.status.name())
        .bind(&result.diff)
        .bind(&result.commit_hash)
        .bind(json(&result.files_changed))
        .bind(&result.stdout)
        .bind(&result.stderr)
        .bind(&result.error_message)
        .bind(result.execution_time)
        .bind(json(&result.commits))
        .bind(json(&result.policy_violations))
        .bind(&result.error_kind)
        .bind(json(&result.usage))
        .bind(json(&result.warnings))
        .bind(result.logs.as_ref().map(json))
        .bind(&result.tree_after)
        .bind(at)
        .bind(result.tape.as_ref().map(json))
        .execute(&mut *connection)
        .await?;
    let Some(answer) = &ended.answer else {
        return Ok(());
    };
    let message = ("assistant", &**answer);
    say(
        connection,
        &result.session_id,
        &result.request_id,
        message,
        at,
    )
    .await
}

/// Deletes what is selected, or only counts it. There are no foreign keys, so this is the cascade.
async fn clean(connection: &mut Connection, which: &Outdated) -> SqlResult<RemovedRuns> {
    const IN_PROJECT: &str =
        "(?2 IS NULL OR repo_path = ?2 OR substr(repo_path, 1, length(?2) + 1) = ?2 || '/')";
    let conversations = format!(
        "SELECT session_id FROM sessions WHERE last_accessed < ?1 AND {IN_PROJECT} AND session_id NOT IN \
         (SELECT session_id FROM executions WHERE status IN ('queued', 'running'))"
    );
    // Runs are the audit log: they stay longer than their conversations.
    let runs = format!(
        "FROM executions WHERE status NOT IN ('queued', 'running') AND timestamp < ?1 AND {IN_PROJECT}"
    );
    let old: Vec<String> = query_scalar(AssertSqlSafe(conversations))
        .bind(&which.conversations_before)
        .bind(&which.project)
        .fetch_all(&mut *connection)
        .await?;
    let count = query_as(AssertSqlSafe(format!(
        "SELECT count(*), min(timestamp) {runs}"
    )));
    let (count, oldest): (i64, Option<String>) = count
        .bind(&which.runs_before)
        .bind(&which.project)
        .fetch_one(&mut *connection)
        .await?;
    let removed = RemovedRuns {
        conversations: old.len() as u64,
        runs: count.unsigned_abs(),
        oldest,
    };
    if which.dry_run {
        return Ok(removed);
    }
    let ids = json(&old);
    for statement in [
        "DELETE FROM conversation_messages WHERE session_id IN (SELECT value FROM json_each(?1))",
        "DELETE FROM sessions WHERE session_id IN (SELECT value FROM json_each(?1))",
    ] {
        query(statement)
            .bind(&ids)
            .execute(&mut *connection)
            .await?;
    }
    query(AssertSqlSafe(format!("DELETE {runs}")))
        .bind(&which.runs_before)
        .bind(&which.project)
        .execute(&mut *connection)
        .await?;
    Ok(removed)
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
