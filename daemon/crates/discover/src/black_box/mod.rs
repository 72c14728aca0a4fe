//! Black-box tests: how a program behaves under inputs that it may not expect.
//!
//! - `options`: what a run may do
//! - `tester`: [`Tester`], the order of the tests, time limits and the report
//! - `draft`: a result while its test runs
//! - `bench`: what all tests share: copies of the program, what is known of it
//! - `refused`: which made-up lines safe mode keeps from a program
//! - `judge`: what an answer says about the program: fine, ended, broken
//! - `startup`, `help`, `invalid_input`, `exit`, `resource`, `concurrent`, `fuzz`: a file for each type of test
//! - `usage`, `growth`: memory, processor time and descriptors of all processes of a copy
//! - `sample`: output and inputs as they are put into reports

mod bench;
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
mod tester;
mod usage;

pub use options::{Options, TestBounds};
pub use tester::Tester;
