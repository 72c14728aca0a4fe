//! What changes while a session lives and ends.

use crate::holder::Exit;
use crate::probe::Reader;
use ccd_protocol::session::{EndReason, SessionState};
use std::time::{Duration, Instant};

/// What changes while a session lives and ends.
#[derive(Debug, Clone)]
pub(crate) struct State {
    pub(crate) phase: SessionState,
    pub(crate) exit: Option<Exit>,
    pub(crate) end_reason: Option<EndReason>,
    pub(crate) ended_at: Option<String>,
    pub(crate) rows: u16,
    pub(crate) cols: u16,
    /// Something had to be killed at the end.
    pub(crate) forced: bool,
    pub(crate) killed: Vec<i32>,
    /// See [`Session::judge`].
    pub(crate) success: Option<bool>,
}

/// When something was last typed, and who waited for it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Looks {
    /// The task that waited for input at the last look.
    pub(crate) reader: Option<Reader>,
    pub(crate) last_write: Option<Instant>,
    /// [`Looks::reader`] as it was at the last write.
    pub(crate) reader_before: Option<Reader>,
}

/// An order to end a session.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CloseOrder {
    pub(crate) reason: EndReason,
    pub(crate) grace: Duration,
}
