//! Reports on disk, for async code.

use ccd_discover::reports::{Report, ReportError, Reports};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::watch;

/// The reports of one kind.
pub(crate) struct Kept<R>(Arc<Reports<R>>);

impl<R> Clone for Kept<R> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<R: Report + Clone + Send + Sync + 'static> Kept<R> {
    pub(crate) fn new(base: &Path) -> Self {
        Self(Arc::new(Reports::new(base)))
    }

    /// Works with the directory, which may be slow.
    ///
    /// # Errors
    ///
    /// Those of the work.
    pub(crate) async fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Reports<R>) -> Result<T, ReportError> + Send + 'static,
    ) -> Result<T, ReportError> {
        let reports = Arc::clone(&self.0);
        let done = tokio::task::spawn_blocking(move || work(&reports)).await;
        match done {
            Ok(done) => done,
            Err(panicked) => std::panic::resume_unwind(panicked.into_panic()),
        }
    }

    /// Writes a new report; returns its path.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub(crate) async fn add(&self, report: R) -> Result<PathBuf, ReportError> {
        self.with(move |reports| reports.save(&report)).await
    }

    /// Writes a report over an earlier form of it.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub(crate) async fn replace(&self, path: &Path, report: R) -> Result<(), ReportError> {
        let path = path.to_owned();
        self.with(move |reports| reports.replace(&path, &report))
            .await
    }

    /// Writes each newer form of a report; does not end.
    pub(crate) async fn follow(&self, path: &Path, mut latest: watch::Receiver<R>) {
        while latest.changed().await.is_ok() {
            let report = latest.borrow_and_update().clone();
            if let Err(error) = self.replace(path, report).await {
                tracing::warn!(%error, "could not keep the report so far");
            }
        }
        std::future::pending().await
    }
}
