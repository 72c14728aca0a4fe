//! Batches that wait to be written.

use super::feed::Step;
use super::write::{Batch, put, put_texts};
use ccd_store::{Connection, SqlResult};
use tokio::sync::mpsc;

/// Text and rows after which a commit ends.
pub(super) const COMMIT_BYTES: usize = 8 << 20;

#[derive(Debug)]
pub(crate) struct Inbox {
    batches: mpsc::Receiver<Batch>,
    /// Nothing comes any more.
    pub(crate) is_empty: bool,
    /// What the last commit had.
    pub(crate) steps: Vec<Step>,
}

impl Inbox {
    pub(crate) fn of(batches: mpsc::Receiver<Batch>) -> Self {
        Self {
            batches,
            is_empty: false,
            steps: Vec::new(),
        }
    }

    /// Puts what comes in, until that is enough for a commit.
    pub(super) async fn put_all(&mut self, connection: &mut Connection) -> SqlResult<()> {
        let (mut text_bytes, mut texts) = (0, Vec::new());
        while text_bytes < COMMIT_BYTES {
            let Some(batch) = self.batches.recv().await else {
                self.is_empty = true;
                break;
            };
            self.steps.push(batch.step);
            text_bytes += batch.text_bytes;
            if batch.step.bytes > 0 {
                put(connection, batch, &mut texts).await?;
            }
        }
        put_texts(connection, texts).await
    }
}
