//! Investigations: what a program offers, found by asking it.

mod exits;
mod explain;
mod explore;
mod finding;
mod inside;
mod investigator;
mod learn;
mod notebook;
mod options;
mod outside;
mod probe;
mod run;
mod state;

pub(crate) use exits::{KEY, KEYS, WORDS, is_cut_short};
pub use learn::{Learned, learn};
pub use notebook::Notebook;
pub use options::Options;
pub use probe::probe;
pub use run::Investigation;
