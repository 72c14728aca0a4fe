//! Which tape answers in place of Claude Code, and what is written to one.

mod deck;
mod key;

pub(crate) use deck::{Answer, Deck, RunEnd};
pub(crate) use key::run_of;
