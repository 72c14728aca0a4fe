//! What a session knows of its pipe.

use super::fifo::{Fifo, Inode};
use super::typed::InputQueue;
use crate::interaction::TypedText;
use ccd_protocol::SessionId;
use ccd_protocol::session::{NamedPipe, PipeRepeat, PipeState};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio_util::sync::CancellationToken;

/// A session's pipe, if there is or was one.
#[derive(Debug, Default)]
pub struct Pipe {
    last: Mutex<Option<Arc<OpenPipe>>>,
    /// One call at a time opens or closes it.
    pub(super) turn: tokio::sync::Mutex<()>,
}

/// One pipe from its creation to its end; its task also holds it.
#[derive(Debug)]
pub(super) struct OpenPipe {
    pub(super) facts: KeptPipe,
    pub(super) inode: Inode,
    /// Cancelled when the pipe is closed: the task then delivers what it has to the reader, and ends.
    pub(super) closing: CancellationToken,
    /// Input that is not written yet.
    pub(super) typed: InputQueue,
    /// Output that was dropped because nobody read it.
    pub(super) dropped_bytes: AtomicU64,
}

/// The facts of a pipe that the next worker needs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::live) struct KeptPipe {
    pub(super) path: PathBuf,
    pub(super) created_at: String,
    pub(super) raw: bool,
    /// Offset of the output with which the pipe starts.
    #[serde(default)]
    pub(super) start: u64,
    /// Where killed workers may have written bytes that were then written again.
    #[serde(default)]
    pub(super) repeats: Vec<PipeRepeat>,
}

impl OpenPipe {
    pub(super) fn new(fifo: &Fifo, facts: KeptPipe) -> Arc<Self> {
        Arc::new(Self {
            facts,
            inode: fifo.inode,
            closing: CancellationToken::new(),
            typed: InputQueue::default(),
            dropped_bytes: AtomicU64::new(0),
        })
    }
}

impl Pipe {
    /// Sets the pipe that was just opened, in place of the previous one.
    pub(super) fn opened(&self, open: Arc<OpenPipe>) {
        *self.last.lock() = Some(open);
    }

    pub(super) fn current(&self) -> Option<Arc<OpenPipe>> {
        let last = self.last.lock();
        last.clone().filter(|open| !open.closing.is_cancelled())
    }

    pub fn typed(&self, typed: &Arc<TypedText>) {
        if let Some(open) = self.current().filter(|open| !open.facts.raw) {
            open.typed.push(typed);
        }
    }

    pub(in crate::live) fn record(&self, session: &SessionId) -> Option<NamedPipe> {
        let last = self.last.lock();
        let open = last.as_ref()?;
        let facts = open.facts.clone();
        Some(NamedPipe {
            session_id: session.to_string(),
            pipe_path: facts.path.to_string_lossy().into_owned(),
            state: if open.closing.is_cancelled() {
                PipeState::Closed
            } else {
                PipeState::Active
            },
            created_at: facts.created_at,
            raw: facts.raw,
            start_offset: facts.start,
            repeats: facts.repeats,
            dropped_bytes: open.dropped_bytes.load(Ordering::Relaxed),
            dropped_inputs: open.typed.dropped(),
            warnings: Vec::new(),
        })
    }

    /// Returns the facts for the next worker; `None` if no pipe is open.
    pub(in crate::live) fn kept(&self) -> Option<KeptPipe> {
        self.current().map(|open| open.facts.clone())
    }
}
