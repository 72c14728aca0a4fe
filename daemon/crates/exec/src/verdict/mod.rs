//! How a run ended.

mod ending;
mod judge;
mod unusable;
#[cfg(test)]
mod verdict_tests;

pub(crate) use ending::{EndCause, RunEnding, exit_code};
#[cfg(test)]
pub(crate) use judge::RunVerdict;
pub(crate) use judge::verdict;
