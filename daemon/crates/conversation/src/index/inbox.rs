//! Batches that wait to be written.

use super::batch::{Batch, Step};
use tokio::sync::mpsc;

/// Batches that come in, and what they were so far.
#[derive(Debug)]
pub(crate) struct Inbox {
    batches: mpsc::Receiver<Batch>,
    /// Nothing comes any more.
    pub(crate) is_empty: bool,
    /// What the last commit had.
    pub(crate) steps: Vec<Step>,
}

impl Inbox {
    pub(crate) fn new(batches: mpsc::Receiver<Batch>) -> Self {
        Self {
            batches,
            is_empty: false,
            steps: Vec::new(),
        }
    }

    /// Waits for the next batch; `None` if nothing comes any more.
    pub(super) async fn next(&mut self) -> Option<Batch> {
        let batch = self.batches.recv().await;
        match &batch {
            Some(batch) => self.steps.push(batch.step),
            None => self.is_empty = true,
        }
        batch
    }
}
