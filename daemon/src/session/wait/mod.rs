//! Waiting for patterns, for silence, for a prompt, for the end.

mod condition;
mod expect;
mod hits;

pub(crate) use condition::{TUI_QUIET, is_fresh, is_of_tape, last_line, wait_idle};
pub(crate) use expect::{PIECE_BYTES, process_ended};
pub(crate) use hits::{Hits, LineHit};
