//! The patterns of the signals: the built-in lists, and those of the configuration.

mod built_in;
mod error;
mod group;
mod set;
#[cfg(test)]
mod set_tests;

pub use error::PatternError;
pub use group::PatternGroup;
pub use set::{MAX_PATTERN_BYTES, MAX_PATTERNS, MatchedPattern, PatternSet};
