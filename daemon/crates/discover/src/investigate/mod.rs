//! Investigations: what a program offers, found by asking it.
//!
//! - `run`: [`Investigation`], the order of the steps, their time limit, and what is left when they are cut off
//! - `notebook`: [`Notebook`], the report while it is written
//! - `outside`: help and version of the command line
//! - `inside`: the prompt and the help words at it
//! - `explain`: what it says about single commands
//! - `explore`: each command in a fresh copy of the program, breadth first
//! - `exits`: which words and keys end it
//! - `state`: how states are told apart and named
//! - `probe`: [`probe()`], the short form
//! - `learn`: [`learn()`], a report of what a person did

mod exits;
mod explain;
mod explore;
mod inside;
mod learn;
mod notebook;
mod outside;
mod probe;
mod run;
mod state;

pub(crate) use exits::{KEY, KEYS, WORDS, is_cut_short};
pub use learn::{Learned, learn};
pub use notebook::Notebook;
pub use probe::probe;
pub use run::{Investigation, Options};
