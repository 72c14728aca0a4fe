//! Waiting for patterns in the output of a session. Pure: it is fed bytes and knows neither sessions nor time.

mod automaton;
mod cache;
mod clean_stream;
mod cleaned;
mod decode;
mod lines;
mod literals;
mod locate;
mod match_end;
mod matcher;
#[cfg(test)]
mod matcher_tests;
mod miss;
mod patterns;
mod search;
mod strip;
mod syntax;
mod text;
mod weight;

pub use cache::PatternCache;
pub use clean_stream::CleanStream;
pub use cleaned::Cleaned;
pub(crate) use cleaned::Runs;
pub use decode::encoding_for;
pub use lines::{LinePatterns, line_weights};
pub use matcher::{BEFORE_BYTES, Hit, Matcher};
pub use miss::closest_miss;
pub use patterns::{Pattern, PatternError, Patterns};
pub(crate) use strip::each_run;
pub use strip::{Stripper, clean_lossy};
