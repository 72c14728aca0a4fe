//! What handlers call.

use crate::error::ExecError;
use crate::queue::RunQueue;
use crate::record::{EXEC, ExecWrite, Outdated, RecordReader, RemovedRuns, RunOutcome};
use crate::run::after::diff_info;
use crate::settings::{ExecPaths, ExecSettings};
use ccd_protocol::Reportable;
use ccd_protocol::data::{DataForgetParams, DataPart, DataSelected};
use ccd_protocol::exec::{
    ExecCleanupParams, ExecCleanupReply, ExecListParams, ExecListReply, ExecutionResult,
    ExecutionStatus, ExecutionSummary,
};
use ccd_store::{Database, Opening, blocking};
use ccd_tape::root::Roots;
use parking_lot::{Mutex, RwLock};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

const DEFAULT_LIST_LEN: u64 = 100;
const MAX_LIST_LEN: u64 = 1000;

const DAY_S: f64 = 86_400.0;

#[derive(Debug)]
pub struct Executor {
    pub(super) paths: ExecPaths,
    settings: RwLock<ExecSettings>,
    database: OnceCell<Database<ExecWrite>>,
    pub(super) tapes: Arc<Roots>,
    pub(super) queue: Arc<RunQueue>,
    /// Runs end in it, whatever becomes of their jobs.
    pub(super) tracker: TaskTracker,
    /// Cancelled when the daemon stops.
    pub(super) stop: CancellationToken,
}

impl Executor {
    #[must_use]
    pub fn new(
        paths: ExecPaths,
        settings: ExecSettings,
        tapes: Arc<Roots>,
        tracker: TaskTracker,
        stop: CancellationToken,
    ) -> Arc<Self> {
        Arc::new(Self {
            paths,
            settings: RwLock::new(settings),
            database: OnceCell::new(),
            tapes,
            queue: RunQueue::new(),
            tracker,
            stop,
        })
    }

    /// Puts settings in force, for runs that are requested from now on.
    pub fn set_settings(&self, settings: ExecSettings) {
        *self.settings.write() = settings;
    }

    pub(super) fn settings(&self) -> ExecSettings {
        self.settings.read().clone()
    }

    /// Returns the database, which is opened at its first use.
    pub(super) async fn database(&self) -> Result<&Database<ExecWrite>, ExecError> {
        let open = async || {
            let opened = EXEC.open(&self.paths.database, Opening::Again).await?;
            Ok::<_, ExecError>(opened.database)
        };
        self.database.get_or_try_init(open).await
    }

    pub async fn close(&self) {
        if let Some(database) = self.database.get() {
            database.close().await;
        }
    }

    /// Returns the id of a run by a prefix.
    pub async fn request_id(&self, start: &str) -> Result<String, ExecError> {
        RecordReader(self.database().await?).request_id(start).await
    }

    pub async fn get(&self, start: &str) -> Result<ExecutionResult, ExecError> {
        let reader = RecordReader(self.database().await?);
        let id = reader.request_id(start).await?;
        let mut result = reader.execution(&id).await?;
        if result.diff.is_empty() {
            return Ok(result);
        }
        Ok(blocking(move || {
            result.diff_info = diff_info(&result.diff);
            leave_out_long_diff(&mut result);
            result
        })
        .await)
    }

    /// Returns the job of a run that has not ended.
    pub async fn job_to_cancel(&self, start: &str) -> Result<String, ExecError> {
        let reader = RecordReader(self.database().await?);
        let id = reader.request_id(start).await?;
        let result = reader.execution(&id).await?;
        if result.status.has_ended() {
            return Err(ExecError::HasEnded(id));
        }
        Ok(result.job)
    }

    /// Records that a run is not carried out.
    pub async fn refuse(&self, request_id: &str, why: &(dyn Reportable + Sync)) {
        let result = ExecutionResult {
            request_id: request_id.to_owned(),
            status: ExecutionStatus::Failed,
            error_message: Some(why.to_string()),
            error_kind: Some(why.code().kind().to_owned()),
            ..ExecutionResult::default()
        };
        let ended = RunOutcome {
            result,
            answer: None,
        };
        self.write_end(ended).await;
    }

    pub(super) async fn write_end(&self, ended: RunOutcome) {
        let request_id = ended.result.request_id.clone();
        let write = ExecWrite::Ended {
            at: ccd_base::clock::now(),
            ended: Box::new(ended),
        };
        let commit = async || Ok::<_, ExecError>(self.database().await?.commit(write).await?);
        if let Err(error) = commit().await {
            // The next process will find the run unfinished, and say so.
            tracing::error!(run = request_id, %error, "the result of a run could not be written");
        }
    }

    pub async fn list(&self, params: ExecListParams) -> Result<ExecListReply, ExecError> {
        let repository = repository_of(params.repo_path.as_deref()).await?;
        let limit = params.limit.unwrap_or(DEFAULT_LIST_LEN).min(MAX_LIST_LEN);
        let reader = RecordReader(self.database().await?);
        let limit = i64::try_from(limit).unwrap_or_default();
        Ok(ExecListReply {
            executions: reader.executions(&params, repository, None, limit).await?,
        })
    }

    pub async fn cleanup(&self, params: ExecCleanupParams) -> Result<ExecCleanupReply, ExecError> {
        let settings = self.settings();
        let before = |days: u32| {
            let days = params.older_than_days.unwrap_or(days);
            ccd_base::clock::seconds_ago(f64::from(days) * DAY_S)
        };
        let outdated = Outdated {
            conversations_before: before(settings.session_days),
            runs_before: before(settings.keep_days),
            project: None,
            dry_run: false,
        };
        let removed = self.remove(outdated).await?;
        Ok(ExecCleanupReply {
            sessions: removed.conversations,
            executions: removed.runs,
        })
    }

    /// Carries out `data.forget` for conversations and ended runs.
    pub async fn forget(&self, which: &DataForgetParams) -> Result<DataSelected, ExecError> {
        let part = DataPart::Runs;
        if !self.has_database() {
            return Ok(DataSelected::none(part));
        }
        let before = which.before.clone();
        let before = before.unwrap_or_else(|| ccd_base::clock::seconds_ago(-DAY_S));
        let outdated = Outdated {
            conversations_before: before.clone(),
            runs_before: before,
            project: which.project.clone(),
            dry_run: which.dry_run,
        };
        let removed = self.remove(outdated).await?;
        let runs = DataSelected::of(part, removed.runs, ("run", "runs"), removed.oldest);
        let kind = ("conversation", "conversations");
        let running = RecordReader(self.database().await?)
            .open_runs()
            .await?
            .len() as u64;
        let worktrees = self.paths.worktrees.clone();
        let worktrees =
            blocking(move || std::fs::read_dir(worktrees).into_iter().flatten().count());
        let worktrees = worktrees.await as u64;
        Ok(runs
            .and(DataSelected::of(part, removed.conversations, kind, None))
            .leaving(
                running,
                ("run", "runs"),
                "in progress; ccctl job cancel ends one",
            )
            .leaving(
                worktrees,
                ("work tree", "work trees"),
                "git worktree remove deletes one",
            ))
    }

    /// Returns the last runs in the repository of `project`; none without a database.
    pub async fn last_runs(&self, project: &Path, limit: u64) -> Vec<ExecutionSummary> {
        if !self.has_database() {
            return Vec::new();
        }
        let params = ExecListParams {
            repo_path: Some(project.to_string_lossy().into_owned()),
            limit: Some(limit),
            ..ExecListParams::default()
        };
        self.list(params)
            .await
            .map(|reply| reply.executions)
            .unwrap_or_default()
    }

    pub async fn known_projects(&self) -> Vec<PathBuf> {
        if !self.has_database() {
            return Vec::new();
        }
        let places = async || RecordReader(self.database().await?).places().await;
        places().await.unwrap_or_default()
    }

    async fn remove(&self, which: Outdated) -> Result<RemovedRuns, ExecError> {
        let removed = Arc::new(Mutex::new(RemovedRuns::default()));
        let cleanup = ExecWrite::Cleanup {
            which,
            removed: Arc::clone(&removed),
        };
        let database = self.database().await?;
        database.commit(cleanup).await?;
        database.tidy();
        Ok(std::mem::take(&mut *removed.lock()))
    }

    /// As [`Self::cleanup`], if there is anything: a daemon that never ran Claude Code needs no database.
    pub async fn retain(&self) -> Result<(), ExecError> {
        if self.has_database() {
            self.cleanup(ExecCleanupParams::default()).await?;
        }
        Ok(())
    }

    pub(super) fn has_database(&self) -> bool {
        self.database.initialized() || self.paths.database.exists()
    }
}

pub(super) async fn repository_of(path: Option<&str>) -> Result<Option<String>, ExecError> {
    let Some(path) = path.map(str::to_owned) else {
        return Ok(None);
    };
    let tree = blocking(move || ccd_repository::WorkTree::find(Path::new(&path))).await?;
    Ok(Some(tree.repository().to_string_lossy().into_owned()))
}
/// A longer diff and output do not fit into a reply. The verdict and the files must, so the diff is left out, and named.
const REPLY_BYTES: usize = 48 << 20;

fn leave_out_long_diff(result: &mut ExecutionResult) {
    let len = result.diff.len();
    if len + result.stdout.len() <= REPLY_BYTES {
        return;
    }
    result.diff = String::new();
    let trees =
        [&result.tree_before, &result.tree_after].map(|tree| tree.as_deref().unwrap_or("?"));
    result.warnings.push(format!(
        "the diff has {len} bytes, too many for a reply; git diff {} {} prints it",
        trees[0], trees[1]
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_that_fits_into_no_reply_is_named_instead() {
        let mut result = ExecutionResult {
            diff: "+line\n".repeat(REPLY_BYTES / 6),
            tree_before: Some("a1".into()),
            tree_after: Some("b2".into()),
            ..ExecutionResult::default()
        };
        leave_out_long_diff(&mut result);
        assert!(!result.diff.is_empty() && result.warnings.is_empty());
        result.stdout = "x".repeat(100);
        leave_out_long_diff(&mut result);
        assert!(result.diff.is_empty());
        assert!(
            result.warnings[0].contains("git diff a1 b2"),
            "{:?}",
            result.warnings
        );
    }
}
