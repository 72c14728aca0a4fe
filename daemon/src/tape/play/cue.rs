//! What a session asks of its tapes, and what it may be told.

use super::pace::Pace;
use crate::tape::index::Miss;
use crate::tape::key::{Invocation, Rules, StateHash};
use crate::tape::root::Root;
use std::io;
use std::sync::Arc;

/// What a session asks of its tapes.
#[derive(Debug)]
pub(crate) struct Cue {
    pub(crate) root: Arc<Root>,
    pub(crate) rules: Rules,
    pub(crate) invocation: Invocation,
    pub(crate) pace: Pace,
    pub(crate) strict: bool,
    pub(crate) ignore_stdin: bool,
    /// The real program may go on where no tape answers: it will have to be typed again what was typed so far.
    pub(crate) may_leave: bool,
    /// The session is between pipes.
    pub(crate) is_piped: bool,
    /// The command line that records what no tape has.
    pub(crate) record_with: String,
    /// Each decision is told in the log, whatever its level.
    pub(crate) debug: bool,
}

/// Why no tape answers.
#[derive(Debug)]
pub(crate) enum PlayError {
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
pub(crate) struct PlaceOfPlay {
    /// Offset at which everything that a tape answers is printed.
    pub(crate) queued_upto: u64,
    pub(crate) state: StateHash,
    /// What was typed so far, each input at its prompt.
    pub(crate) typed: Vec<(String, Vec<u8>)>,
    pub(crate) prompt: String,
}
