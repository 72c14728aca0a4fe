//! Changes to `exec.sqlite`.

use ccd_protocol::exec::{ExecutionStatus, ExecutionUsage, PolicyViolation};
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

ccd_store::row! {
    #[derive(Debug, Clone)]
    pub(crate) struct ConversationRow {
        pub(crate) session_id: String,
        pub(crate) created_at: String,
        pub(crate) last_accessed: String,
        pub(crate) status: String,
        pub(crate) repo_path: String,
    }
}

/// What the recovery needs to know before anything is changed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Prepared {
    pub(crate) repo_path: String,
    pub(crate) tree_before: Option<String>,
    pub(crate) head_before: Option<String>,
    pub(crate) tips: Vec<String>,
    pub(crate) stash: Option<String>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct RunOutcome {
    pub(crate) status: ExecutionStatus,
    pub(crate) diff: String,
    pub(crate) commit_hash: Option<String>,
    pub(crate) files_changed: Vec<String>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) error_message: Option<String>,
    pub(crate) execution_time: f64,
    pub(crate) commits: Vec<String>,
    pub(crate) policy_violations: Vec<PolicyViolation>,
    pub(crate) error_kind: Option<String>,
    pub(crate) usage: ExecutionUsage,
    pub(crate) warnings: Vec<String>,
    /// JSON.
    pub(crate) logs: Option<String>,
    /// JSON.
    pub(crate) tape: Option<String>,
    pub(crate) tree_after: Option<String>,
    /// The last answer, for the conversation.
    pub(crate) answer: Option<String>,
}

#[derive(Debug)]
pub(crate) enum ExecWrite {
    Request(Box<ExecutionRow>),
    Job {
        request_id: String,
        job: String,
    },
    Prepared {
        request_id: String,
        prepared: Prepared,
    },
    /// The program is about to start. The conversation counts it.
    Started {
        request_id: String,
        conversation: ConversationRow,
        instruction: String,
    },
    Ended {
        request_id: String,
        session_id: String,
        at: String,
        ended: Box<RunOutcome>,
    },
    EndSession {
        session_id: String,
    },
    /// Deletes conversations with what was said, and ended runs.
    Cleanup {
        which: Outdated,
        removed: Arc<Mutex<Removed>>,
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
pub(crate) struct Removed {
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
            Self::Job { request_id, job } => {
                let set = query("UPDATE executions SET job = ?2 WHERE request_id = ?1");
                set.bind(request_id)
                    .bind(job)
                    .execute(connection)
                    .await
                    .map(drop)
            }
            Self::Prepared {
                request_id,
                prepared,
            } => prepare(connection, request_id, prepared).await,
            Self::Started {
                request_id,
                conversation,
                instruction,
            } => start(connection, request_id, conversation, instruction).await,
            Self::Ended {
                request_id,
                session_id,
                at,
                ended,
            } => end(connection, request_id, session_id, at, ended).await,
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
    prepared: &Prepared,
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
    request_id: &str,
    conversation: &ConversationRow,
    instruction: &str,
) -> SqlResult<()> {
    let put = "INSERT INTO sessions ({columns}) {values} ON CONFLICT (session_id) DO NOTHING";
    insert(connection, put, slice::from_ref(conversation)).await?;
    let count = query(
        "UPDATE sessions SET last_accessed = ?2, execution_count = execution_count + 1 WHERE session_id = ?1",
    );
    count
        .bind(&conversation.session_id)
        .bind(&conversation.last_accessed)
        .execute(&mut *connection)
        .await?;
    let message = ("user", instruction);
    say(
        connection,
        &conversation.session_id,
        request_id,
        message,
        &conversation.last_accessed,
    )
    .await
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

async fn end(
    connection: &mut Connection,
    request_id: &str,
    session_id: &str,
    at: &str,
    ended: &RunOutcome,
) -> SqlResult<()> {
    let set = query(
        "UPDATE executions SET status = ?2, diff = ?3, commit_hash = ?4, files_changed = ?5, stdout = ?6, stderr = ?7, \
         error_message = ?8, execution_time = ?9, commits = ?10, policy_violations = ?11, error_kind = ?12, \"usage\" = ?13, \
         warnings = ?14, logs = ?15, tree_after = ?16, ended_at = ?17, tape = ?18 WHERE request_id = ?1",
    );
    set.bind(request_id)
        .bind(ended.status.name())
        .bind(&ended.diff)
        .bind(&ended.commit_hash)
        .bind(json(&ended.files_changed))
        .bind(&ended.stdout)
        .bind(&ended.stderr)
        .bind(&ended.error_message)
        .bind(ended.execution_time)
        .bind(json(&ended.commits))
        .bind(json(&ended.policy_violations))
        .bind(&ended.error_kind)
        .bind(serde_json::to_string(&ended.usage).unwrap_or_else(|_| "{}".to_owned()))
        .bind(json(&ended.warnings))
        .bind(&ended.logs)
        .bind(&ended.tree_after)
        .bind(at)
        .bind(&ended.tape)
        .execute(&mut *connection)
        .await?;
    match &ended.answer {
        Some(answer) => {
            say(
                connection,
                session_id,
                request_id,
                ("assistant", answer),
                at,
            )
            .await
        }
        None => Ok(()),
    }
}

/// Deletes what is selected, or only counts it. There are no foreign keys, so this is the cascade.
async fn clean(connection: &mut Connection, which: &Outdated) -> SqlResult<Removed> {
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
    let removed = Removed {
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

fn json(list: &[impl Serialize]) -> String {
    serde_json::to_string(list).unwrap_or_else(|_| "[]".to_owned())
}
