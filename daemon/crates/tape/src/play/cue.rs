//! What a session asks of its tapes, and what it may be told.

use super::pace::Pace;
use crate::index::Miss;
use crate::key::{Invocation, Rules, StateHash};
use crate::root::Root;
use std::io;
use std::sync::Arc;

/// What a session asks of its tapes.
#[derive(Debug)]
pub struct Cue {
    pub root: Arc<Root>,
    pub rules: Rules,
    pub invocation: Invocation,
    pub pace: Pace,
    pub strict: bool,
    pub ignore_stdin: bool,
    /// The real program may go on where no tape answers: it will have to be typed again what was typed so far.
    pub may_leave: bool,
    /// The session is between pipes.
    pub is_piped: bool,
    /// The command line that records what no tape has.
    pub record_with: String,
    /// Each decision is told in the log, whatever its level.
    pub debug: bool,
}

/// Why no tape answers.
#[derive(Debug)]
pub enum PlayError {
    Miss {
        miss: Box<Miss>,
        /// What was typed and no exchange has taken.
        input: Vec<u8>,
    },
    /// The recorded program has ended.
    Ended,
    /// More was typed than any input has.
    TooLong,
    /// A tape cannot be read.
    Read(io::Error),
}

/// Where a conversation is.
#[derive(Debug)]
pub struct PlaceOfPlay {
    /// Offset at which everything that a tape answers is printed.
    pub queued_upto: u64,
    pub state: StateHash,
    /// What was typed so far, each input at its prompt.
    pub typed: Vec<(String, Vec<u8>)>,
    pub prompt: String,
}
