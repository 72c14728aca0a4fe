//! What Claude Code prints with `--output-format stream-json`, folded into facts.

mod calls;
mod facts;
mod fold;
mod outcome;
mod reader;
#[cfg(test)]
mod stream_tests;

pub use calls::{Call, Calls, Denial, DeniedCall};
pub use facts::{Facts, Tokens};
pub use outcome::Outcome;
pub use reader::Reader;
