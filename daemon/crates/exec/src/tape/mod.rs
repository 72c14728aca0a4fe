//! Which tape answers in place of Claude Code, and what is written to one.

mod key;
mod run_tapes;

pub(crate) use key::run_of;
pub(crate) use run_tapes::{Answer, RunTapes};
