//! Runs of Claude Code: how one is requested and started, what its stream says, and how it ended. Pure code so far: no
//! runtime, no processes, no files.
//!
//! - `request`: a request, checked
//! - `command`: the arguments, standard input, environment and settings of Claude Code
//! - `stream`: what it prints, folded into facts
//! - `verdict`: success, failure or time-out, and why
//! - `stdout_as`: what it would have printed in another format

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "tests fail by panicking"))]

pub mod command;
#[cfg(test)]
mod fixture_tests;
pub mod request;
pub mod stdout_as;
pub mod stream;
pub mod verdict;
