//! The patterns of the signals: the built-in lists, and those of the configuration.

mod error;
mod group;
mod set;
#[cfg(test)]
mod set_tests;

pub(crate) use error::PatternError;
#[cfg(test)]
use error::{MAX_PATTERN_BYTES, MAX_PATTERNS};
pub(crate) use group::PatternGroup;
pub(crate) use set::{MatchedPattern, PatternSet};
