//! What a session knows of its pipe.

use super::fifo::{Fifo, Inode};
use super::typed::InputQueue;
use crate::interaction::Typed;
use ccd_protocol::SessionId;
use ccd_protocol::session::{NamedPipe, PipeState};
use ccd_terminal::lock::lock;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;

/// A session's pipe, if there is or was one.
#[derive(Debug, Default)]
pub struct Pipe {
    last: Mutex<Option<Arc<Open>>>,
    /// One call at a time opens or closes it.
    pub(super) turn: tokio::sync::Mutex<()>,
}

/// One pipe from its making to its end; its task holds it too.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) path: PathBuf,
    pub(super) inode: Inode,
    pub(super) created_at: String,
    pub(super) raw: bool,
    /// Cancelled when it is closed: the task brings what it has to who reads, and ends.
    pub(super) closing: CancellationToken,
    /// What was typed and is not written yet.
    pub(super) typed: InputQueue,
    /// Output that went by unread.
    pub(super) dropped_bytes: AtomicU64,
}

/// What the next worker needs of a pipe.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::session) struct KeptPipe {
    pub(super) path: PathBuf,
    pub(super) created_at: String,
    pub(super) raw: bool,
}

impl Open {
    pub(super) fn new(fifo: &Fifo, created_at: String, raw: bool) -> Arc<Self> {
        Arc::new(Self {
            path: fifo.path.clone(),
            inode: fifo.inode,
            created_at,
            raw,
            closing: CancellationToken::new(),
            typed: InputQueue::default(),
            dropped_bytes: AtomicU64::new(0),
        })
    }
}

impl Pipe {
    /// A pipe was made, and takes the place of the one before.
    pub(super) fn opened(&self, open: Arc<Open>) {
        *lock(&self.last) = Some(open);
    }

    /// The pipe that is open.
    pub(super) fn current(&self) -> Option<Arc<Open>> {
        let last = lock(&self.last);
        last.clone().filter(|open| !open.closing.is_cancelled())
    }

    /// Something was typed into the session.
    pub fn typed(&self, typed: &Arc<Typed>) {
        if let Some(open) = self.current().filter(|open| !open.raw) {
            open.typed.push(typed);
        }
    }

    /// For the session's record.
    pub(in crate::session) fn record(&self, session: &SessionId) -> Option<NamedPipe> {
        let last = lock(&self.last);
        let open = last.as_ref()?;
        Some(NamedPipe {
            session_id: session.to_string(),
            pipe_path: open.path.to_string_lossy().into_owned(),
            state: match open.closing.is_cancelled() {
                false => PipeState::Active,
                true => PipeState::Closed,
            },
            created_at: open.created_at.clone(),
            raw: open.raw,
            dropped_bytes: open.dropped_bytes.load(Ordering::Relaxed),
            dropped_inputs: open.typed.dropped(),
            warnings: Vec::new(),
        })
    }

    /// For the next worker; `None` when no pipe is open.
    pub(in crate::session) fn kept(&self) -> Option<KeptPipe> {
        self.current().map(|open| KeptPipe {
            path: open.path.clone(),
            created_at: open.created_at.clone(),
            raw: open.raw,
        })
    }
}
