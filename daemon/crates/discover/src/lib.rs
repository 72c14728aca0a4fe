//! Finds out what an unknown program offers and how it breaks.
//!
//! - [`answer`]: what a program's answer says, and whether two answers are the same
//! - [`black_box`]: tests: help, exits, bad and random inputs, memory
//! - [`drive`]: copies of a program that run in sessions
//! - [`fuzz`]: inputs that could break a program, and how they are made small
//! - [`help`]: what a program's help says about itself
//! - [`investigate`]: investigations: prompts, help, commands, states, exits
//! - [`map`]: the states of a program, drawn
//! - [`markup`]: texts of programs in documents
//! - [`baseline`]: findings that are known
//! - [`diff`](mod@diff): what two reports differ in
//! - [`reports`]: reports on disk
//! - [`safety`]: what must not be sent to a program
//! - [`test_pages`]: reports of tests as JUnit XML and as a page
//!
//! Layers, top first; none uses one before it: `black_box` → `investigate` → `drive`, `safety`, `baseline` → `help`,
//! `map`, `test_pages` → `answer`, `diff`, `fuzz`, `id`, `keep`, `markup`, `reports`.

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "tests fail by panicking"))]

pub mod answer;
pub mod baseline;
pub mod black_box;
pub mod diff;
pub mod drive;
pub mod fuzz;
pub mod help;
mod id;
pub mod investigate;
mod keep;
pub mod map;
pub mod markup;
#[cfg(test)]
mod outside_tests;
pub mod reports;
pub mod safety;
pub mod test_pages;

pub use id::new_uuid;
pub use keep::Keep;
