//! The parts of a session that change while it lives and ends.

use super::attach::Size;
use ccd_protocol::session::{EndReason, SessionState};
use ccd_terminal::holder::{Exit, Process};
use ccd_terminal::probe::{InputReader, LastTyped};
use std::time::Duration;

/// The parts of a session that change while it lives and ends.
#[derive(Debug, Clone)]
pub struct CurrentState {
    pub phase: SessionState,
    pub exit: Option<Exit>,
    pub end_reason: Option<EndReason>,
    pub ended_at: Option<String>,
    /// Rows and columns.
    pub size: Size,
    /// The processes that had to be killed at the end.
    pub killed: Vec<i32>,
    /// The processes that could not be killed.
    pub left: Vec<Process>,
    /// See [`Session::judge`](crate::live::Session::judge).
    pub success: Option<bool>,
}

impl CurrentState {
    pub(crate) fn new(phase: SessionState, size: Size) -> Self {
        Self {
            phase,
            exit: None,
            end_reason: None,
            ended_at: None,
            size,
            killed: Vec::new(),
            left: Vec::new(),
            success: None,
        }
    }
}

/// Which task was waiting for input, and what was last typed.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Looks {
    /// The task that was waiting for input at the last check, if that check was fresh and nothing was typed since.
    pub reader: Option<InputReader>,
    pub typed: Option<LastTyped>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct CloseOrder {
    pub reason: EndReason,
    pub grace: Duration,
}
