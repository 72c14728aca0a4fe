//! Runs that an earlier process did not finish. Their supervisors end them once that process is gone.

use super::Executor;
use crate::error::ExecError;
use crate::record::{OpenRun, Reader, RunOutcome};
use crate::run::after;
use crate::run::before::{Before, STASH_MESSAGE};
use crate::run::in_work_tree;
use ccd_protocol::exec::ExecutionStatus;
use ccd_protocol::{Reportable as _, Umask};
use ccd_repository::{Lock, LockError, RepositoryError, WorkTree};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

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
        for run in Reader(self.database().await?).open_runs().await? {
            // The git folder is the key of the work tree; if it is gone, nobody can start a run there either.
            let path = run.repo_path.clone();
            let tree = in_work_tree(UMASK, move || WorkTree::find(Path::new(&path))).await;
            let keys = tree
                .iter()
                .map(|tree| tree.git_dir.to_string_lossy().into_owned());
            let place = self.queue.enter(keys.collect());
            let executor = Arc::clone(self);
            self.tracker.spawn(async move {
                place.turn(usize::MAX, |_| ()).await;
                let (id, session_id) = (run.request_id.clone(), run.session_id.clone());
                let ended = executor.end_open(run, tree).await;
                executor.write_end(&id, &session_id, ended).await;
                drop(place);
            });
        }
        Ok(())
    }

    async fn end_open(&self, run: OpenRun, tree: Result<WorkTree, RepositoryError>) -> RunOutcome {
        let told = match &*run.status {
            "queued" => "the daemon ended before the run started".to_owned(),
            _ => format!(
                "the daemon ended while the run was in progress, so the run was ended; what it printed: ccctl job get {}",
                run.job
            ),
        };
        let mut ended = RunOutcome {
            status: ExecutionStatus::Failed,
            error_message: Some(told),
            ..RunOutcome::default()
        };
        // A stash may have been saved just before its id would have been written down.
        if run.status == "queued" && run.dirty_worktree != "stash" {
            return ended;
        }
        match self.settle(&run, tree).await {
            Ok((changes, restored)) => {
                ended.take_changes(changes);
                match restored {
                    Ok(()) if run.stash.is_some() => {
                        let told = "the changes that were stashed before the run were restored";
                        ended.warnings.push(told.into());
                    }
                    Ok(()) => {}
                    Err((why, kind)) => ended.spoil(why, kind),
                }
            }
            Err(error) => {
                let why = match &run.stash {
                    Some(stash) => format!(
                        "{error}. What was put away before the run is in the stash {stash}: git stash pop --index brings it back"
                    ),
                    None => error.to_string(),
                };
                ended.spoil(why, error.code().kind());
            }
        }
        ended
    }

    /// Waits until nothing of the run is left, compares, and gives back what was put away.
    async fn settle(
        &self,
        run: &OpenRun,
        tree: Result<WorkTree, RepositoryError>,
    ) -> Result<(after::Changes, Result<(), (String, &'static str)>), ExecError> {
        let tree = tree?;
        let deadline = Instant::now() + LOCK_PATIENCE;
        let note = format!("ccd run {}", run.request_id);
        let lock = loop {
            let (tree, note) = (tree.clone(), note.clone());
            match in_work_tree(UMASK, move || Lock::try_acquire(&tree, &note)).await {
                Err(LockError::Held { .. }) if Instant::now() < deadline => {
                    tokio::time::sleep(LOCK_PAUSE).await;
                }
                taken => break taken?,
            }
        };
        let run = run.clone();
        in_work_tree(UMASK, move || {
            let _lock = lock;
            let before = run.tree_before.map(|snapshot| Before {
                snapshot,
                head: run.head_before,
                tips: serde_json::from_str(&run.tips).unwrap_or_default(),
                more: None,
            });
            let changes = before.map(|before| after::changes(&tree, &before));
            // The stash counts more than the diff.
            let stash = match run.stash {
                Some(stash) => Some(stash),
                None => tree.stash_find(&format!("{STASH_MESSAGE}{}", run.request_id))?,
            };
            let restored = stash.map_or(Ok(()), |stash| after::restore(&tree, &stash, true));
            let changes = match changes.transpose() {
                Ok(changes) => changes.unwrap_or_default(),
                Err(error) if restored.is_ok() => return Err(error.into()),
                Err(_) => after::Changes::default(),
            };
            Ok((changes, restored))
        })
        .await
    }
}

/// Removes the files of runs of an earlier process: their programs have read them, or are being ended.
fn remove_stale(runtime: &Path) {
    // There is none unless a run was killed.
    let _ = std::fs::remove_dir_all(runtime);
}
