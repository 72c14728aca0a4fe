//! Which tape answers in place of Claude Code, and what is written to one.
//!
//! - `key`: what a run is looked up by
//! - `deck`: [`Deck`], the tapes of a run

mod deck;
mod key;

pub(crate) use deck::{Answer, Deck, RunEnd};
pub(crate) use key::run_of;
