//! What a session needs to replay its tapes, and why a replay can fail.

use super::pace::ReplayPace;
use crate::index::Miss;
use crate::key::{ContextRules, Invocation, StateHash};
use crate::root::Root;
use std::io;
use std::sync::Arc;

#[derive(Debug)]
pub struct ReplayOptions {
    pub root: Arc<Root>,
    pub rules: ContextRules,
    pub invocation: Invocation,
    pub pace: ReplayPace,
    pub strict: bool,
    pub ignore_stdin: bool,
    /// The real program may take over where no tape answers, so the input typed so far must be kept to type it again.
    pub may_leave: bool,
    /// The session runs with pipes.
    pub is_piped: bool,
    /// The command line that would record an input that is on no tape.
    pub record_with: String,
    /// Each lookup is logged, whatever the log level.
    pub debug: bool,
}

#[derive(Debug)]
pub enum PlayError {
    Miss {
        miss: Box<Miss>,
        /// Typed bytes that no exchange has consumed.
        input: Vec<u8>,
    },
    /// The recorded program has ended.
    Ended,
    /// More was typed than the longest allowed input.
    TooLong,
    /// A tape cannot be read.
    Read(io::Error),
}

#[derive(Debug)]
pub struct PlaceOfPlay {
    /// Output offset at which everything that a tape answers has been printed.
    pub queued_upto: u64,
    pub state: StateHash,
    /// The input typed so far, each with its prompt.
    pub typed: Vec<(String, Vec<u8>)>,
    pub prompt: String,
}
