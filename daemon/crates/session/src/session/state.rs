//! What changes while a session lives and ends.

use ccd_protocol::session::{EndReason, SessionState};
use ccd_terminal::holder::Exit;
use ccd_terminal::probe::Reader;
use std::time::{Duration, Instant};

/// What changes while a session lives and ends.
#[derive(Debug, Clone)]
pub struct State {
    pub phase: SessionState,
    pub exit: Option<Exit>,
    pub end_reason: Option<EndReason>,
    pub ended_at: Option<String>,
    pub rows: u16,
    pub cols: u16,
    /// Something had to be killed at the end.
    pub forced: bool,
    pub killed: Vec<i32>,
    /// See [`Session::judge`](crate::session::Session::judge).
    pub success: Option<bool>,
}

/// When something was last typed, and who waited for it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Looks {
    /// The task that waited for input at the last look.
    pub reader: Option<Reader>,
    pub last_write: Option<Instant>,
    /// [`Looks::reader`] as it was at the last write.
    pub reader_before: Option<Reader>,
}

/// An order to end a session.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CloseOrder {
    pub reason: EndReason,
    pub grace: Duration,
}
