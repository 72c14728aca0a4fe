//! Investigations: what a program offers, found by asking it.

mod exits;
mod explain;
mod explore;
mod finding;
mod inside;
mod investigation;
mod learn;
mod notebook;
mod outside;
mod probe;
mod run;
mod state;

pub(crate) use exits::{KEYS, WORDS, ends_by_key, is_cut_short};
pub use investigation::{Investigation, Options};
pub use learn::{Learned, learn};
pub use notebook::Notebook;
