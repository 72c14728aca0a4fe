//! A work tree that is ready for a run, and what is known of it afterwards.

use crate::error::ExecError;
use crate::run::after::{self, Changes};
use crate::run::before::{Before, RunDirectory};
use crate::run::{answered, in_work_tree};
use ccd_protocol::ErrorCode;
use ccd_protocol::exec::{ExecutionResult, ExecutionStatus};
use ccd_repository::{Lock, LockError, WorkTree};
use std::sync::Arc;
use std::time::Duration;

/// How long comparing, and restoring, may take at least; more if the run has a longer time limit.
pub(super) const AFTER_LIMIT: Duration = Duration::from_secs(30);

pub(super) struct Ready {
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

impl Ready {
    /// Compares the work tree with what it was, and gives back what was put away.
    pub(super) async fn afterwards(
        &self,
        umask: u32,
        limit: Duration,
        is_recovery: bool,
    ) -> Afterwards {
        let tree = self.place.tree.clone();
        let changes = match self.before.clone() {
            None => Ok(Changes::default()),
            Some(before) => {
                let compare = in_work_tree(umask, move || after::changes(&tree, &before));
                answered(&self.place.tree.root, limit, compare).await
            }
        };
        Afterwards {
            changes,
            restored: self.restore(umask, limit, is_recovery).await,
        }
    }

    /// Gives back what was put away. On an error, the stash is kept, and this says how to get it back.
    pub(super) async fn restore(
        &self,
        umask: u32,
        limit: Duration,
        is_recovery: bool,
    ) -> Result<(), (String, &'static str)> {
        let Some(stash) = &self.stash else {
            return Ok(());
        };
        let (tree, id) = (self.place.tree.clone(), stash.clone());
        // A thread that does not come back keeps the lock: it may write later.
        let lock = Arc::clone(&self.lock);
        let restore = in_work_tree(umask, move || {
            let _lock = lock;
            tree.stash_restore(&id)
        });
        let restored = answered(&self.place.tree.root, limit, restore).await;
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
        None => told.clone(),
    });
    result.warnings.push(told);
}
