//! Reports on disk, for async code.

use crate::job::JobHandle;
use ccd_discover::Keep;
use ccd_discover::reports::{Report, ReportError, Reports};
use ccd_store::blocking;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// Reports the progress of a job, and passes its report on to [`follow`].
pub(super) struct KeepOfJob<R> {
    handle: JobHandle,
    latest: watch::Sender<R>,
}

impl<P: Serialize, R: Send + Sync> Keep<P, R> for KeepOfJob<R> {
    fn progress(&self, progress: &P) {
        self.handle.progress(progress);
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

/// Saves a report, does the work that completes it, and saves each newer form of it. Returns its file and its last form.
pub(super) async fn reported<R, F>(
    reports: &Arc<Reports<R>>,
    handle: &JobHandle,
    report: R,
    work: impl FnOnce(KeepOfJob<R>) -> F,
) -> Result<(PathBuf, R), ReportError>
where
    R: Report + Clone + Send + Sync + 'static,
    F: Future<Output = R>,
{
    let path = add(reports, report.clone()).await?;
    let (latest, changes) = watch::channel(report);
    let handle = handle.clone();
    let work = work(KeepOfJob { handle, latest });
    let report = follow(reports, &path, changes, work).await;
    replace(reports, &path, report.clone()).await?;
    Ok((path, report))
}

/// Writes a report over an earlier form of it.
async fn replace<R>(reports: &Arc<Reports<R>>, path: &Path, report: R) -> Result<(), ReportError>
where
    R: Report + Send + Sync + 'static,
{
    let (reports, path) = (Arc::clone(reports), path.to_owned());
    blocking(move || reports.replace(&path, &report)).await
}

/// Does the work, and writes each newer form of its report. No write is left behind when this returns.
async fn follow<R, T>(
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
