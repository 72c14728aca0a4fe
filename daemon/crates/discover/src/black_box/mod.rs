//! Black-box tests: how a program behaves under inputs that it may not expect.

mod concurrent;
mod draft;
mod exit;
mod fuzz;
mod growth;
mod help;
mod invalid_input;
mod judge;
mod options;
mod refused;
mod resource;
mod sample;
mod startup;
mod tested_program;
mod tester;
mod usage;

pub use options::{Options, TestBounds};
pub use tester::Tester;
