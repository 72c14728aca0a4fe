//! A work tree that is ready for a run, and what is known of it afterwards.

use crate::error::ExecError;
use crate::run::after::{self, Changes};
use crate::run::before::{Before, RunDirectory};
use crate::run::{answered, in_work_tree};
use ccd_protocol::ErrorCode;
use ccd_protocol::exec::{ExecutionResult, ExecutionStatus};
use ccd_repository::{Lock, LockError, RepositoryError, WorkTree};
use std::path::Path;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How long git may take for each step at least; more if the run has a longer time limit.
pub(super) const STEP_LIMIT: Duration = Duration::from_secs(30);

/// How long a step may take after the run was cancelled. Comparing gets half of it, and a step that writes [`STEP_LIMIT`].
const CANCELLED_LIMIT: Duration = Duration::from_secs(10);

/// What the steps of a run in its work tree need.
#[derive(Clone)]
pub(super) struct Steps {
    pub(super) umask: u32,
    /// How long each may take.
    pub(super) limit: Duration,
    pub(super) cancelled: CancellationToken,
    /// When the first step has noticed that the run was cancelled.
    cancelled_at: Arc<OnceLock<Instant>>,
}

pub(super) struct Ready {
    pub(super) steps: Steps,
    pub(super) place: RunDirectory,
    pub(super) before: Option<Before>,
    pub(super) stash: Option<String>,
    pub(super) lock: Arc<Lock>,
}

/// What is known of it after the run.
pub(super) struct Afterwards {
    pub(super) changes: Result<Changes, ExecError>,
    pub(super) restored: Result<(), (String, &'static str)>,
}

/// Takes the lock of a work tree for a run.
pub(super) async fn try_lock(
    umask: u32,
    tree: &WorkTree,
    request_id: &str,
) -> Result<Lock, LockError> {
    let (tree, note) = (tree.clone(), format!("ccd run {request_id}"));
    in_work_tree(umask, move || Lock::try_acquire(&tree, &note)).await
}

impl Steps {
    pub(super) fn new(umask: u32, limit: Duration, cancelled: CancellationToken) -> Self {
        Self {
            umask,
            limit,
            cancelled,
            cancelled_at: Arc::default(),
        }
    }

    /// Waits for one, at most as long as it may take. Where git does not answer, the thread is left to itself.
    pub(super) async fn wait<T, E>(
        &self,
        root: &Path,
        step: impl Future<Output = Result<T, E>>,
    ) -> Result<T, ExecError>
    where
        ExecError: From<E>,
    {
        self.wait_if_cancelled(CANCELLED_LIMIT, root, step).await
    }

    /// As [`Self::wait`], until `limit` after the run was cancelled.
    async fn wait_if_cancelled<T, E>(
        &self,
        limit: Duration,
        root: &Path,
        step: impl Future<Output = Result<T, E>>,
    ) -> Result<T, ExecError>
    where
        ExecError: From<E>,
    {
        let given_up = async {
            self.cancelled.cancelled().await;
            let cancelled_at = self.cancelled_at.get_or_init(Instant::now);
            tokio::time::sleep_until(*cancelled_at + limit).await;
        };
        tokio::select! {
            // Also after the limit, a step begins.
            biased;
            done = answered(root, self.limit, step) => done,
            () = given_up => Err(ExecError::NoAnswer {
                root: root.to_owned(),
                seconds: limit.as_secs(),
            }),
        }
    }

    /// Does a step that has to be taken back if nobody waits for it any more: one that takes too long takes itself back.
    pub(super) async fn unless_late<T: Send + 'static>(
        &self,
        root: &Path,
        step: impl FnOnce() -> Result<T, RepositoryError> + Send + 'static,
        take_back: impl FnOnce(&T) -> Result<(), RepositoryError> + Send + 'static,
    ) -> Result<T, ExecError> {
        // Whoever is second, the step or the time limit, lets the first one have its way.
        let is_settled = Arc::new(AtomicBool::new(false));
        let is_late = Arc::clone(&is_settled);
        let step = move || {
            let done = step()?;
            if is_late.swap(true, Ordering::AcqRel) {
                take_back(&done)?;
            }
            Ok::<_, RepositoryError>(done)
        };
        let mut doing = pin!(in_work_tree(self.umask, step));
        match self.wait(root, doing.as_mut()).await {
            Err(ExecError::NoAnswer { .. }) if is_settled.swap(true, Ordering::AcqRel) => {
                Ok(doing.await?)
            }
            done => done,
        }
    }
}

impl Ready {
    /// Does a step that writes. If the run was cancelled, it is waited for longer than others: the next step would find half of
    /// it. A thread that does not come back keeps the lock: it may write later.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&WorkTree) -> Result<T, RepositoryError> + Send + 'static,
    ) -> Result<T, ExecError> {
        let (tree, lock) = (self.place.tree.clone(), Arc::clone(&self.lock));
        let step = in_work_tree(self.steps.umask, move || {
            let _lock = lock;
            work(&tree)
        });
        let root = &self.place.tree.root;
        self.steps.wait_if_cancelled(STEP_LIMIT, root, step).await
    }

    /// Compares the work tree with what it was, and gives back what was put away.
    pub(super) async fn afterwards(&self, is_recovery: bool) -> Afterwards {
        let tree = self.place.tree.clone();
        let changes = match self.before.clone() {
            None => Ok(Changes::default()),
            Some(before) => {
                let lock = Arc::clone(&self.lock);
                let compare = move || {
                    let _lock = lock;
                    after::changes(&tree, &before)
                };
                let compared = in_work_tree(self.steps.umask, compare);
                let root = &self.place.tree.root;
                let limit = CANCELLED_LIMIT / 2;
                self.steps.wait_if_cancelled(limit, root, compared).await
            }
        };
        Afterwards {
            changes,
            restored: self.restore(is_recovery).await,
        }
    }

    /// Gives back what was put away. On an error, the stash is kept, and this says how to get it back.
    pub(super) async fn restore(&self, is_recovery: bool) -> Result<(), (String, &'static str)> {
        let Some(stash) = &self.stash else {
            return Ok(());
        };
        let id = stash.clone();
        let restored = self.write(move |tree| tree.stash_restore(&id)).await;
        after::restored(restored, stash, is_recovery)
    }
}

impl Afterwards {
    /// Adds it to a result. A run whose changes or whose user's changes are in doubt is no success.
    pub(super) fn add_to(self, result: &mut ExecutionResult) {
        let changes = self.changes.unwrap_or_else(|error| {
            let told = format!("what the run changed is not known: {error}");
            spoil(result, told, ErrorCode::RepositoryError.kind());
            Changes::default()
        });
        if let Err((told, kind)) = self.restored {
            spoil(result, told, kind);
        }
        result.diff = changes.diff;
        result.commit_hash = changes.commit_hash;
        result.files_changed = changes.files;
        result.commits = changes.commits;
        result.tree_after = changes.tree_after;
        result.warnings.extend(changes.warnings);
    }
}

/// Adds a failure of ours.
pub(super) fn spoil(result: &mut ExecutionResult, told: String, kind: &str) {
    if result.status == ExecutionStatus::Success {
        result.status = ExecutionStatus::Failed;
    }
    result.error_kind = Some(kind.to_owned());
    result.error_message = Some(match result.error_message.take() {
        Some(message) => format!("{message}; {told}"),
        None => told,
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::sync_channel;

    #[test]
    fn each_failure_of_ours_is_said_once() {
        let mut result = ExecutionResult {
            status: ExecutionStatus::Success,
            ..ExecutionResult::default()
        };
        for told in ["the diff is not known", "the stash is kept"] {
            spoil(&mut result, told.to_owned(), "stash_conflict");
        }
        let said = "the diff is not known; the stash is kept";
        assert_eq!(result.error_message.as_deref(), Some(said));
        assert_eq!(result.status, ExecutionStatus::Failed);
        assert_eq!(result.warnings, [""; 0]);
    }

    #[tokio::test]
    async fn a_stash_that_is_saved_too_late_is_taken_back() {
        for (limit, is_late) in [(Duration::ZERO, true), (Duration::MAX, false)] {
            let steps = Steps::new(0o22, limit, CancellationToken::new());
            let (given_up, waits) = sync_channel::<()>(0);
            let (taken_back, stashes) = sync_channel(1);
            let save = move || {
                if is_late {
                    let _ = waits.recv();
                }
                Ok("the stash".to_owned())
            };
            let take_back = move |stash: &String| {
                taken_back.send(stash.clone()).unwrap();
                Ok(())
            };
            let saved = steps.unless_late(Path::new("/p"), save, take_back).await;
            drop(given_up);
            assert_eq!(saved.is_err(), is_late, "{saved:?}");
            assert_eq!(stashes.recv().is_ok(), is_late);
        }
    }

    #[tokio::test]
    async fn all_steps_after_a_cancel_share_one_limit() {
        const LIMIT: Duration = Duration::from_millis(300);
        const STEPS: u32 = 10;
        let steps = Steps::new(0o22, Duration::MAX, CancellationToken::new());
        steps.cancelled.cancel();
        let began = Instant::now();
        for _ in 0..STEPS {
            let hangs = std::future::pending::<Result<(), ExecError>>();
            let done = steps.wait_if_cancelled(LIMIT, Path::new("/p"), hangs);
            assert!(done.await.is_err());
        }
        assert!(began.elapsed() >= LIMIT);
        assert!(began.elapsed() < LIMIT * STEPS / 2);
    }
}
