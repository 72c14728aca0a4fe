//! Waiting for patterns in the output of a session. Pure code: it is given
//! bytes and knows neither sessions nor time.

mod cache;
mod clean_stream;
mod cleaned;
mod decode;
mod lines;
mod locate;
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

pub(crate) use cache::PatternCache;
pub(crate) use clean_stream::CleanStream;
pub(crate) use cleaned::Cleaned;
pub(crate) use decode::encoding_for;
pub(crate) use lines::{LinePatterns, line_weights};
pub(crate) use matcher::{BEFORE_BYTES, Hit, Matcher};
pub(crate) use miss::closest_miss;
pub(crate) use patterns::{Pattern, PatternError, Patterns};
pub(crate) use strip::{Stripper, clean_lossy};
