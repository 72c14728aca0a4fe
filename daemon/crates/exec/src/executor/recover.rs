//! Runs that an earlier process did not finish. Their supervisors end them once that process is gone.

use super::Executor;
use super::plan::FIND_LIMIT;
use super::ready::{Afterwards, Ready, STEP_LIMIT, Steps, spoil, try_lock};
use crate::error::ExecError;
use crate::record::{OpenRun, RecordReader, RunOutcome};
use crate::run::before::{Before, RunDirectory, STASH_MESSAGE};
use crate::run::{answered, in_work_tree};
use ccd_protocol::exec::{ExecutionResult, ExecutionStatus};
use ccd_protocol::{Reportable as _, Umask};
use ccd_repository::{LockError, WorkTree};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// How long the supervisor of a run may take to end it; it has the lock until then.
const LOCK_PATIENCE: Duration = Duration::from_secs(30);

const LOCK_PAUSE: Duration = Duration::from_millis(100);

/// That of the caller is not recorded.
const UMASK: u32 = Umask::DEFAULT.bits();

impl Executor {
    /// Finds the runs that were not finished, and ends each as soon as nothing of it is left: in its work tree, no other run
    /// starts before. Returns at once.
    pub async fn recover(self: &Arc<Self>) -> Result<(), ExecError> {
        remove_stale(&self.paths.runtime);
        if !self.has_database() {
            return Ok(());
        }
        for run in RecordReader(self.database().await?).open_runs().await? {
            // The git folder is the key of the work tree; if it is gone, nobody can start a run there either.
            let path = PathBuf::from(&run.repo_path);
            let (root, find) = (path.clone(), move || WorkTree::find(&path));
            let tree = answered(&root, FIND_LIMIT, in_work_tree(UMASK, find)).await;
            let keys = tree
                .iter()
                .map(|tree| tree.git_dir.to_string_lossy().into_owned());
            let place = self.queue.enter(keys.collect());
            let executor = Arc::clone(self);
            self.tracker.spawn(async move {
                place.turn(usize::MAX, |_| ()).await;
                let result = end_open(&run, tree).await;
                let ended = RunOutcome {
                    result,
                    answer: None,
                };
                executor.write_end(ended).await;
                drop(place);
            });
        }
        Ok(())
    }
}

async fn end_open(run: &OpenRun, tree: Result<WorkTree, ExecError>) -> ExecutionResult {
    let told = match &*run.status {
        "queued" => "the daemon ended before the run started".to_owned(),
        _ => format!(
            "the daemon ended while the run was in progress, so the run was ended; what it printed: ccctl job get {}",
            run.job
        ),
    };
    let mut result = ExecutionResult {
        request_id: run.request_id.clone(),
        session_id: run.session_id.clone(),
        status: ExecutionStatus::Failed,
        error_message: Some(told),
        ..ExecutionResult::default()
    };
    // A stash may have been saved just before its id would have been written down.
    if run.status == "queued" && run.dirty_worktree != "stash" {
        return result;
    }
    match settle(run, tree).await {
        Ok(after) => {
            let is_restored = run.stash.is_some() && after.restored.is_ok();
            after.add_to(&mut result);
            if is_restored {
                let told = "the changes that were stashed before the run were restored";
                result.warnings.push(told.into());
            }
        }
        Err(error) => {
            let why = match &run.stash {
                Some(stash) => format!(
                    "{error}. What was put away before the run is in the stash {stash}: git stash pop --index brings it back"
                ),
                None => error.to_string(),
            };
            spoil(&mut result, why, error.code().kind());
        }
    }
    result
}

/// Waits until nothing of the run is left, compares, and gives back what was put away.
async fn settle(run: &OpenRun, tree: Result<WorkTree, ExecError>) -> Result<Afterwards, ExecError> {
    let tree = tree?;
    let deadline = Instant::now() + LOCK_PATIENCE;
    let lock = loop {
        match try_lock(UMASK, &tree, &run.request_id).await {
            Err(LockError::Held { .. }) if Instant::now() < deadline => {
                tokio::time::sleep(LOCK_PAUSE).await;
            }
            taken => break Arc::new(taken?),
        }
    };
    let limit = Duration::from_secs(run.timeout.unsigned_abs()).max(STEP_LIMIT);
    let stash = match run.stash.clone() {
        Some(stash) => Some(stash),
        None => {
            let (tree, message) = (tree.clone(), format!("{STASH_MESSAGE}{}", run.request_id));
            let find = in_work_tree(UMASK, move || tree.stash_find(&message));
            answered(Path::new(&run.repo_path), limit, find).await?
        }
    };
    let before = run.tree_before.clone().map(|snapshot| Before {
        snapshot,
        head: run.head_before.clone(),
        tips: serde_json::from_str(&run.tips).unwrap_or_default(),
        more: None,
    });
    let cwd = tree.root.clone();
    let ready = Ready {
        steps: Steps::new(UMASK, limit, CancellationToken::new()),
        place: RunDirectory { tree, cwd },
        before,
        stash,
        lock,
    };
    Ok(ready.afterwards(true).await)
}

/// Removes the files of runs of an earlier process: their programs have read them, or are being ended.
fn remove_stale(runtime: &Path) {
    // There is none unless a run was killed.
    let _ = std::fs::remove_dir_all(runtime);
}
