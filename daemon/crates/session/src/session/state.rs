//! The parts of a session that change while it lives and ends.

use ccd_protocol::session::{EndReason, SessionState};
use ccd_terminal::holder::Exit;
use ccd_terminal::probe::Reader;
use std::time::{Duration, Instant};

/// The parts of a session that change while it lives and ends.
#[derive(Debug, Clone)]
pub struct State {
    pub phase: SessionState,
    pub exit: Option<Exit>,
    pub end_reason: Option<EndReason>,
    pub ended_at: Option<String>,
    pub rows: u16,
    pub cols: u16,
    /// Some process had to be killed at the end.
    pub forced: bool,
    pub killed: Vec<i32>,
    /// See [`Session::judge`](crate::session::Session::judge).
    pub success: Option<bool>,
}

/// When something was last typed, and which task was waiting for input.
#[derive(Debug, Clone, Copy, Default)]
pub struct Looks {
    /// The task that was waiting for input at the last check.
    pub reader: Option<Reader>,
    pub last_write: Option<Instant>,
    /// [`Looks::reader`] at the time of the last write.
    pub reader_before: Option<Reader>,
}

/// An order to end a session.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CloseOrder {
    pub reason: EndReason,
    pub grace: Duration,
}
