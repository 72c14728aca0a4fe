//! The pattern library: what prompts, errors, help and data look like, and how a text is classified.
//! Pure: the file of the user's own patterns is read elsewhere.

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
mod lines;
mod overrides;
#[cfg(test)]
mod prompt_tests;
mod seen;

pub use classify::MAX_TEXT_BYTES;
pub use compiled::{Compiled, built_in};
pub use error::EntryError;
pub use overrides::{Entry, MAX_ENTRIES, Override, check_together, entries_of, usable};
