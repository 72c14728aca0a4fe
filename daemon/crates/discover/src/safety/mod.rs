//! What must not be sent to a program in safe mode.
//! A line that a shell would understand is judged exactly: `echo 'rm -rf x'` only prints. In a line that it would not
//! understand, such as one of Python, each word may be a command.

mod code;
mod files;
mod judge;
mod named;
mod programs;
mod rule;
mod said;
mod shell;
mod sql;
#[cfg(test)]
mod table_tests;
mod tables;

pub use judge::{refusal, refusal_of};
pub use rule::Rule;
