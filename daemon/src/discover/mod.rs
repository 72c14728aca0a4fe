//! Jobs that investigate and test programs.
//!
//! - `black_box`: tests
//! - `error`: why such a job was not started
//! - `start`: what all of them need: the program, throw-away folders, limits
//! - `investigate`: investigations
//! - `learn`: a report of what a person did in a session
//! - `reports`: reports on disk, for async code

mod black_box;
mod error;
mod investigate;
mod learn;
mod reports;
mod start;

pub(crate) use black_box::test;
pub(crate) use investigate::{investigate, probe};
pub(crate) use learn::learn;
