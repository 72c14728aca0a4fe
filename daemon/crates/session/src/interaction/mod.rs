//! The interaction log: who typed what into a session, and what came back.
//!
//! Rows are made beside the calls, never on their way. They wait for a moment in memory, so that
//! typed text can be judged by what the terminal showed of it, and are written in batches.

mod form;
mod nearby;
mod row;
mod table;

pub use form::{Form, Inexact};
pub use row::{SEND_CHARS, shown_args, shown_command, shown_input, shown_output};
pub use table::{InteractionRow, TrimInteractions, interactions, recorded_upto};

use crate::output::Output;
use crate::peer::Peer;
use ccd_protocol::SessionId;
use ccd_store::Store;
use ccd_text::hidden::HiddenTexts;
use encoding_rs::Encoding;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use table::Interactions;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// Events that may wait for the recorder.
const QUEUE_LEN: usize = 4096;

/// Rows are written so long after the first of them happened.
pub const JUDGEMENT: Duration = Duration::from_millis(250);

/// A session, as its rows need it.
pub trait Subject: Send + Sync {
    fn id(&self) -> &SessionId;

    fn program(&self) -> &str;

    fn args(&self) -> &[String];

    fn encoding(&self) -> &'static Encoding;

    fn output(&self) -> &Output;

    /// What no row may show.
    fn hidden(&self) -> &HiddenTexts;

    /// Where the last RECV row ends.
    fn recorded_upto(&self) -> &AtomicU64;

    /// Secrets are taken out of its rows. What was typed hidden is never in them.
    fn redacts_log(&self) -> bool;
}

/// Something that happened to a session.
#[derive(Debug)]
pub enum Event {
    /// The program was started.
    Start,
    /// Something was typed.
    Send(Arc<Typed>),
    /// A pattern matched.
    Match {
        pattern: String,
        form: Form,
        matched: String,
        start: u64,
        end: u64,
    },
    /// Somebody read output up to an offset.
    Read { upto: u64 },
    /// A call failed, such as an expect that timed out.
    Failure(String),
    /// The daemon could not do something for the session.
    Trouble(String),
    /// The session has ended.
    End {
        /// The program ended by itself, or was closed.
        is_regular: bool,
        /// Why, and how its program ended.
        text: String,
    },
}

/// Input as it was written.
#[derive(Debug)]
pub struct Typed {
    /// What was typed, as the log may show it.
    pub text: String,
    /// Offset of the output when it was written.
    pub offset: u64,
    /// Never to be shown: asked for, or the terminal did not echo.
    pub hidden: bool,
    /// The program reads keys: the text counts as shown only if the terminal has shown each line of this.
    pub echo: Option<String>,
    pub form: Form,
}

/// An event with everything that a row needs.
struct Noted {
    session: Arc<dyn Subject>,
    timestamp: String,
    client: Option<(Arc<str>, Option<i32>)>,
    event: Event,
}

/// Takes events; never waits, never blocks.
#[derive(Debug, Clone)]
pub struct Recorder {
    events: mpsc::Sender<Item>,
    dropped: Arc<AtomicU64>,
}

/// What goes to the recorder's task.
#[derive(Debug)]
enum Item {
    Noted(Noted),
    /// Answer once everything before is written.
    Flush(oneshot::Sender<()>),
}

/// The other half of a [`Recorder`].
#[derive(Debug)]
pub struct Pending {
    events: mpsc::Receiver<Item>,
    dropped: Arc<AtomicU64>,
}

impl std::fmt::Debug for Noted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Noted")
            .field("session", self.session.id())
            .finish_non_exhaustive()
    }
}

impl Recorder {
    /// A recorder and what its task needs.
    pub fn new() -> (Self, Pending) {
        let (sender, receiver) = mpsc::channel(QUEUE_LEN);
        let dropped = Arc::new(AtomicU64::new(0));
        let recorder = Self {
            events: sender,
            dropped: Arc::clone(&dropped),
        };
        let pending = Pending {
            events: receiver,
            dropped,
        };
        (recorder, pending)
    }

    /// Notes that something happened; counted as dropped when too much waits already.
    pub fn note(&self, session: Arc<dyn Subject>, peer: Option<&Peer>, event: Event) {
        let noted = Noted {
            session,
            timestamp: ccd_text::clock::now(),
            client: peer.map(|peer| (Arc::clone(peer.name()), peer.pid)),
            event,
        };
        if self.events.try_send(Item::Noted(noted)).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Returns once all events so far are in the database, after [`JUDGEMENT`] at most if it keeps up.
    pub async fn flush(&self) {
        let (done, written) = oneshot::channel();
        if self.events.send(Item::Flush(done)).await.is_ok() {
            let _ = written.await;
        }
    }

    /// Events that were dropped since the start.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// Events that wait.
    pub fn queue_len(&self) -> usize {
        QUEUE_LEN - self.events.capacity()
    }
}

impl Pending {
    /// Writes rows until `stop` is cancelled and nothing waits any more. Sleeps while nothing happens.
    pub async fn run(mut self, store: Store, stop: CancellationToken) {
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
            let has_rows = matches!(first, Item::Noted(_));
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
                    Item::Noted(noted) => row::rows_of(&noted, &mut rows).await,
                    Item::Flush(done) => waiting.push(done),
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
            write(&store, rows).await;
            for done in waiting {
                // The caller may have gone away.
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
