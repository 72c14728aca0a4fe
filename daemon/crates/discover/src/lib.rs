//! Finds out what an unknown program offers and how it breaks.
//!
//! - [`answer`]: what a program's answer says, and whether two answers are the same
//! - [`black_box`]: tests: help, exits, bad and random inputs, memory
//! - [`drive`]: copies of a program that run in sessions; the rest of the crate is pure
//! - [`fuzz`]: inputs that could break a program, and how they are made small
//! - [`help`]: what a program's help says about itself
//! - [`investigate`]: investigations: prompts, help, commands, states, exits
//! - [`safety`]: what must not be sent to a program

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "tests fail by panicking"))]

pub mod answer;
pub mod black_box;
pub mod drive;
pub mod fuzz;
pub mod help;
mod id;
pub mod investigate;
pub mod safety;

pub use id::new_uuid;
