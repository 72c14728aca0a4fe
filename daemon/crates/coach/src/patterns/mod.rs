//! The patterns of the signals: the built-in lists, and those of the configuration.

mod group;
mod set;
#[cfg(test)]
mod set_tests;

pub(crate) use group::PatternGroup;
pub(crate) use set::{MatchedPattern, PatternSet};
