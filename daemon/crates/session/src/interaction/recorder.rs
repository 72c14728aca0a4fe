//! Receives events without delaying the calls, and writes their rows in batches.

use super::event::{HistoryEvent, JUDGEMENT, Judged, NotedEvent, Subject};
use super::row::rows_of;
use super::table::{InteractionRow, Interactions};
use crate::peer::Peer;
use ccd_protocol::SessionId;
use ccd_store::Store;
use std::collections::HashSet;
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
    /// Reply once everything of a session before is written.
    Flush(SessionId, oneshot::Sender<()>),
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
            judged: Judged::default(),
        };
        if self.events.try_send(RecorderMessage::Noted(noted)).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Returns once all events of a session so far are in the database: after at most [`JUDGEMENT`], unless the task is behind, or
    /// the session's program has not echoed yet what was typed.
    pub async fn flush(&self, session: &SessionId) {
        let (done, written) = oneshot::channel();
        let flush = RecorderMessage::Flush(session.clone(), done);
        if self.events.send(flush).await.is_ok() {
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
        let mut batch = Batch::default();
        let mut reported = 0;
        loop {
            if !self.collect(&mut batch, &stop).await {
                return;
            }
            let (rows, written) = batch.rows().await;
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
            for done in written {
                // The caller may have been cancelled.
                let _ = done.send(());
            }
        }
    }

    /// Waits for events, or until the first of those that were too early is due. Returns false if `stop` is cancelled and there
    /// are none.
    async fn collect(&mut self, batch: &mut Batch, stop: &CancellationToken) -> bool {
        let early_due = batch.due.take();
        let mut due = early_due;
        if due.is_none() {
            let first = tokio::select! {
                first = self.events.recv() => first,
                () = stop.cancelled() => self.events.try_recv().ok(),
            };
            let Some(first) = first else {
                return false;
            };
            let has_rows = matches!(first, RecorderMessage::Noted(_));
            due = has_rows.then(|| Instant::now() + JUDGEMENT);
            batch.events.push(first);
        }
        if let Some(due) = due {
            tokio::select! {
                () = tokio::time::sleep_until(due) => {}
                () = stop.cancelled(), if early_due.is_none() => {}
            }
        }
        while batch.events.len() < QUEUE_LEN
            && let Ok(more) = self.events.try_recv()
        {
            batch.events.push(more);
        }
        true
    }
}

/// Events whose rows are not written yet.
#[derive(Default)]
struct Batch {
    events: Vec<RecorderMessage>,
    /// When the first of those is due that were too early.
    due: Option<Instant>,
}

impl Batch {
    /// Returns the rows of all events, and who waits for them. An event that is too early stays, with those of its session after
    /// it: the rows of other sessions do not wait for it.
    async fn rows(&mut self) -> (Vec<InteractionRow>, Vec<oneshot::Sender<()>>) {
        let mut rows = Vec::with_capacity(self.events.len() * 2);
        let (mut early, mut written) = (Vec::new(), Vec::new());
        let mut waiting = HashSet::new();
        for item in std::mem::take(&mut self.events) {
            match item {
                RecorderMessage::Noted(noted) if waiting.contains(noted.session.about().id) => {
                    early.push(RecorderMessage::Noted(noted));
                }
                RecorderMessage::Noted(mut noted) => {
                    if let Some(again_at) = rows_of(&mut noted, &mut rows).await {
                        self.due = Some(self.due.map_or(again_at, |due| due.min(again_at)));
                        waiting.insert(noted.session.about().id.clone());
                        early.push(RecorderMessage::Noted(noted));
                    }
                }
                RecorderMessage::Flush(session, done) if !waiting.contains(&session) => {
                    written.push(done);
                }
                flush @ RecorderMessage::Flush(..) => early.push(flush),
            }
        }
        self.events = early;
        (rows, written)
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

#[cfg(test)]
mod tests {
    use super::super::event::{About, TypedText};
    use super::super::form::InputForm;
    use super::*;
    use crate::output::Output;
    use ccd_text::hidden::{HIDDEN, HiddenTexts};
    use std::time::Duration;

    struct Fake {
        id: SessionId,
        output: Output,
        hidden: HiddenTexts,
        recorded_upto: AtomicU64,
    }

    impl Subject for Fake {
        fn about(&self) -> About<'_> {
            About {
                id: &self.id,
                program: "fake",
                args: &[],
                encoding: encoding_rs::UTF_8,
                output: &self.output,
                hidden: &self.hidden,
                recorded_upto: &self.recorded_upto,
                redacts_log: true,
            }
        }
    }

    fn session(id: &str) -> Arc<Fake> {
        Arc::new(Fake {
            id: SessionId::parse(id).unwrap(),
            output: Output::ended("/nowhere".into(), 0, 0, Vec::new()),
            hidden: HiddenTexts::default(),
            recorded_upto: AtomicU64::new(0),
        })
    }

    /// Something that was typed so long ago; the terminal must show it if `echo` is set.
    fn typed(session: &Arc<Fake>, text: &str, echo: bool, ago: Duration) -> RecorderMessage {
        let typed = TypedText {
            text: text.to_owned(),
            offset: 0,
            hidden: false,
            echo: echo.then(|| text.to_owned()),
            form: InputForm::Line,
        };
        RecorderMessage::Noted(NotedEvent {
            session: Arc::clone(session) as Arc<dyn Subject>,
            time: SystemTime::now(),
            at: Instant::now() - ago,
            client: None,
            event: HistoryEvent::Send(Arc::new(typed)),
            judged: Judged::default(),
        })
    }

    #[tokio::test]
    async fn rows_wait_for_the_echo_of_their_own_session_only() {
        let [silent, other] = ["silent", "other"].map(session);
        let long_ago = Duration::from_secs(60);
        let flush = |session: &Arc<Fake>| {
            let (done, written) = oneshot::channel();
            (RecorderMessage::Flush(session.id.clone(), done), written)
        };
        let [(of_silent, mut silent_written), (of_other, _keep)] = [&silent, &other].map(flush);
        let mut batch = Batch {
            events: vec![
                typed(&silent, "first", true, Duration::ZERO),
                typed(&silent, "second", false, long_ago),
                typed(&other, "third", false, long_ago),
                of_silent,
                of_other,
            ],
            due: None,
        };
        let shown = |rows: Vec<InteractionRow>| -> Vec<(String, String)> {
            let shown = |row: InteractionRow| (row.session_id, row.input_text.unwrap());
            rows.into_iter().map(shown).collect()
        };
        let (rows, written) = batch.rows().await;
        assert_eq!(shown(rows), [("other".to_owned(), "third".to_owned())]);
        assert_eq!(written.len(), 1);
        assert!(silent_written.try_recv().is_err());
        assert!(batch.due.is_some() && batch.events.len() == 3);

        // Once it has been silent for long, it was not echoed.
        if let RecorderMessage::Noted(noted) = &mut batch.events[0] {
            noted.at -= long_ago;
        }
        batch.due = None;
        let (rows, written) = batch.rows().await;
        let expected = [HIDDEN, "second"].map(|text| ("silent".to_owned(), text.to_owned()));
        assert_eq!(shown(rows), expected);
        assert_eq!((written.len(), batch.due, batch.events.len()), (1, None, 0));
    }
}
