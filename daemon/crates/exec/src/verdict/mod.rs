//! How a run ended.

mod ending;
mod judge;
mod unusable;
#[cfg(test)]
mod verdict_tests;

pub use ending::{Cause, Ending, Exit};
pub use judge::{Verdict, verdict};
pub use unusable::Unusable;
