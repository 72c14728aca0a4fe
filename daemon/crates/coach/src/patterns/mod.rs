//! The patterns of the signals: the built-in lists, and those of the configuration.
//!
//! - `group`: [`PatternGroup`], the names of the lists
//! - `built_in`: the lists
//! - `set`: [`PatternSet`], all lists ready to be searched
//! - `error`: [`PatternError`]

mod built_in;
mod error;
mod group;
mod set;
#[cfg(test)]
mod set_tests;

pub use error::PatternError;
pub use group::PatternGroup;
pub use set::{Found, MAX_PATTERN_BYTES, MAX_PATTERNS, PatternSet};
