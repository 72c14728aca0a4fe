//! Jobs that investigate and test programs.

mod black_box;
mod error;
mod investigate;
mod learn;
mod reports;
mod start;

pub(crate) use black_box::test;
pub(crate) use investigate::{investigate, probe};
pub(crate) use learn::learn;
