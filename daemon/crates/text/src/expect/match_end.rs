//! What a search finds first.

use regex_automata::PatternID;

/// The end of a match and its pattern; the engines do not know the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MatchEnd {
    pub(super) end: u64,
    pub(super) pattern: PatternID,
}
