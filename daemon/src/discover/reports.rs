//! Reports on disk, for async code.

use crate::job::JobHandle;
use ccd_discover::Keep;
use ccd_discover::reports::{Report, ReportError, Reports};
use ccd_store::blocking;
use serde::Serialize;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// Reports the progress of a job, and passes its report on to [`follow`].
pub(super) struct KeepOfJob<R> {
    handle: JobHandle,
    latest: watch::Sender<R>,
}

impl<R> KeepOfJob<R> {
    pub(super) fn new(handle: &JobHandle, latest: watch::Sender<R>) -> Self {
        let handle = handle.clone();
        Self { handle, latest }
    }
}

impl<P: Serialize, R: Send + Sync> Keep<P, R> for KeepOfJob<R> {
    fn progress(&self, progress: &P) {
        self.handle.progress(json!(progress));
    }

    fn keep(&self, report: R) {
        self.latest.send_replace(report);
    }
}

/// For work that keeps its report itself.
pub(super) struct KeepNothing;

impl<P, R> Keep<P, R> for KeepNothing {
    fn progress(&self, _: &P) {}

    fn keep(&self, _: R) {}
}

pub(super) async fn add<R>(reports: &Arc<Reports<R>>, report: R) -> Result<PathBuf, ReportError>
where
    R: Report + Send + Sync + 'static,
{
    let reports = Arc::clone(reports);
    blocking(move || reports.save(&report)).await
}

/// Writes a report over an earlier form of it.
pub(super) async fn replace<R>(
    reports: &Arc<Reports<R>>,
    path: &Path,
    report: R,
) -> Result<(), ReportError>
where
    R: Report + Send + Sync + 'static,
{
    let (reports, path) = (Arc::clone(reports), path.to_owned());
    blocking(move || reports.replace(&path, &report)).await
}

/// Does the work, and writes each newer form of its report. No write is left behind when this returns.
pub(super) async fn follow<R, T>(
    reports: &Arc<Reports<R>>,
    path: &Path,
    mut latest: watch::Receiver<R>,
    work: impl Future<Output = T>,
) -> T
where
    R: Report + Clone + Send + Sync + 'static,
{
    let is_done = CancellationToken::new();
    let work = async {
        let result = work.await;
        is_done.cancel();
        result
    };
    let writes = async {
        loop {
            tokio::select! {
                () = is_done.cancelled() => return,
                changed = latest.changed() => if changed.is_err() {
                    return;
                },
            }
            let report = latest.borrow_and_update().clone();
            if let Err(error) = replace(reports, path, report).await {
                tracing::warn!(%error, "could not keep the report so far");
            }
        }
    };
    tokio::join!(work, writes).0
}
