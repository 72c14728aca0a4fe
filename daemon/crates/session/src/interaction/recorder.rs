//! Receives events without delaying the calls, and writes their rows in batches.

use super::event::{HistoryEvent, JUDGEMENT, NotedEvent, Subject};
use super::row::rows_of;
use super::table::{InteractionRow, Interactions};
use crate::peer::Peer;
use ccd_store::Store;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

const QUEUE_LEN: usize = 4096;

/// Accepts events; never waits, never blocks.
#[derive(Debug, Clone)]
pub struct InteractionRecorder {
    events: mpsc::Sender<RecorderMessage>,
    dropped: Arc<AtomicU64>,
}

enum RecorderMessage {
    Noted(NotedEvent),
    /// Reply once everything before is written.
    Flush(oneshot::Sender<()>),
}

#[derive(Debug)]
pub struct PendingInteractions {
    events: mpsc::Receiver<RecorderMessage>,
    dropped: Arc<AtomicU64>,
}

impl InteractionRecorder {
    pub fn new() -> (Self, PendingInteractions) {
        let (sender, receiver) = mpsc::channel(QUEUE_LEN);
        let dropped = Arc::new(AtomicU64::new(0));
        let recorder = Self {
            events: sender,
            dropped: Arc::clone(&dropped),
        };
        let pending = PendingInteractions {
            events: receiver,
            dropped,
        };
        (recorder, pending)
    }

    /// Adds an event; drops and counts it if the queue is full.
    pub fn note(&self, session: Arc<dyn Subject>, peer: Option<&Peer>, event: HistoryEvent) {
        let noted = NotedEvent {
            session,
            time: SystemTime::now(),
            at: Instant::now(),
            client: peer.map(|peer| (Arc::clone(peer.name()), peer.pid)),
            event,
        };
        if self.events.try_send(RecorderMessage::Noted(noted)).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Returns once all events so far are in the database: after at most [`JUDGEMENT`], unless the task is behind.
    pub async fn flush(&self) {
        let (done, written) = oneshot::channel();
        if self.events.send(RecorderMessage::Flush(done)).await.is_ok() {
            let _ = written.await;
        }
    }

    /// Returns the number of events that were dropped since the start.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    pub fn queue_len(&self) -> usize {
        QUEUE_LEN - self.events.capacity()
    }
}

impl PendingInteractions {
    /// Writes rows until `stop` is cancelled and no event waits. Sleeps while there are no events. `see` is shown all rows.
    pub async fn run(
        mut self,
        store: Store,
        stop: CancellationToken,
        mut see: impl FnMut(&[InteractionRow]),
    ) {
        let mut batch = Vec::new();
        let mut reported = 0;
        loop {
            let first = tokio::select! {
                first = self.events.recv() => first,
                () = stop.cancelled() => self.events.try_recv().ok(),
            };
            let Some(first) = first else {
                return;
            };
            let has_rows = matches!(first, RecorderMessage::Noted(_));
            batch.push(first);
            tokio::select! {
                () = tokio::time::sleep(JUDGEMENT), if has_rows => {}
                () = std::future::ready(()), if !has_rows => {}
                () = stop.cancelled() => {}
            }
            while let Ok(more) = self.events.try_recv() {
                batch.push(more);
            }
            let mut rows = Vec::with_capacity(batch.len() * 2);
            let mut waiting = Vec::new();
            for item in batch.drain(..) {
                match item {
                    RecorderMessage::Noted(noted) => rows_of(&noted, &mut rows).await,
                    RecorderMessage::Flush(done) => waiting.push(done),
                }
            }
            let dropped = self.dropped.load(Ordering::Relaxed);
            if dropped > reported {
                tracing::warn!(
                    dropped,
                    "history events were dropped: too much happened at once"
                );
                reported = dropped;
            }
            see(&rows);
            write(&store, rows).await;
            for done in waiting {
                // The caller may have been cancelled.
                let _ = done.send(());
            }
        }
    }
}

async fn write(store: &Store, rows: Vec<InteractionRow>) {
    if rows.is_empty() {
        return;
    }
    if let Err(error) = store.commit(Interactions(rows)).await {
        tracing::error!(%error, "could not write history events to the database");
    }
}
