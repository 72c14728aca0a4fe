//! What Claude Code prints with `--output-format stream-json`, folded into facts.
//!
//! - `lines`: bytes into lines, of limited length
//! - `reader`: [`Reader`], which is fed with chunks and folds each line
//! - `fold`: one record after the other into the facts
//! - `facts`: [`Facts`], what is known of a run
//! - `calls`: the calls of tools, and which were denied
//! - `outcome`: [`Outcome`], a record that ends a turn

mod calls;
mod facts;
mod fold;
mod lines;
mod outcome;
mod reader;
#[cfg(test)]
mod stream_tests;

pub use calls::{Call, Calls, Denial, DeniedCall};
pub use facts::{Facts, Retry, Tokens};
pub use outcome::Outcome;
pub use reader::{MAX_LINE_BYTES, Reader};
