//! The parts of a session that change while it lives and ends.

use ccd_protocol::session::{EndReason, SessionState};
use ccd_terminal::holder::{Exit, Process};
use ccd_terminal::probe::{LastTyped, Reader};
use std::time::Duration;

/// The parts of a session that change while it lives and ends.
#[derive(Debug, Clone)]
pub struct CurrentState {
    pub phase: SessionState,
    pub exit: Option<Exit>,
    pub end_reason: Option<EndReason>,
    pub ended_at: Option<String>,
    pub rows: u16,
    pub cols: u16,
    /// The processes that had to be killed at the end.
    pub killed: Vec<i32>,
    /// The processes that could not be killed.
    pub left: Vec<Process>,
    /// See [`Session::judge`](crate::session::Session::judge).
    pub success: Option<bool>,
}

/// Which task was waiting for input, and what was last typed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Looks {
    /// The task that was waiting for input at the last check.
    pub reader: Option<Reader>,
    pub typed: Option<LastTyped>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct CloseOrder {
    pub reason: EndReason,
    pub grace: Duration,
}
