//! What Claude Code prints with `--output-format stream-json`, folded into facts.

mod calls;
mod facts;
mod fold;
mod outcome;
mod reader;
#[cfg(test)]
mod stream_tests;

pub use calls::{Denial, DeniedCall, StreamCall, StreamCalls};
pub use facts::{StreamFacts, Tokens};
pub use outcome::TurnOutcome;
pub use reader::StreamReader;
