//! How a run ended.
//!
//! - `ending`: [`Ending`], the end of the process, and who caused it
//! - `judge`: [`Verdict`], from the ending and the stream
//! - `unusable`: [`Unusable`], why Claude Code could not work at all

mod ending;
mod judge;
mod unusable;
#[cfg(test)]
mod verdict_tests;

pub use ending::{Cause, Ending, Exit};
pub use judge::{Verdict, verdict};
pub use unusable::Unusable;
