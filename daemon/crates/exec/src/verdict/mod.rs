//! How a run ended.

mod ending;
mod judge;
mod unusable;
#[cfg(test)]
mod verdict_tests;

pub(crate) use ending::{Cause, Ending, exit_code};
#[cfg(test)]
pub(crate) use judge::Verdict;
pub(crate) use judge::verdict;
