//! The pattern library: what prompts, errors, help and data look like, and what a text is.
//!
//! - `library`: [`Library`], the patterns in force: built-in ones and those of `patterns.json`
//! - `built_in`, `overrides`: where they come from
//! - `compiled`: [`Compiled`], the same ready to be looked for
//! - `seen`: which patterns match which lines
//! - `classify`, `help`, `formats`: what a text is
//!
//! Pure but for the file: no sessions, no protocol errors.

mod built_in;
mod classify;
#[cfg(test)]
mod classify_tests;
mod compiled;
mod error;
#[cfg(test)]
mod error_tests;
mod formats;
mod help;
#[cfg(test)]
mod help_tests;
mod library;
mod lines;
mod overrides;
#[cfg(test)]
mod prompt_tests;
mod seen;

pub(crate) use classify::MAX_TEXT_BYTES;
pub(crate) use compiled::Compiled;
pub(crate) use library::Library;
