//! The screen is compared, cell by cell, with what tmux and avt make of the same output: it is the same wherever these
//! two agree. Where they do not, or where both are wrong, `differences.rs` says who is right.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "tests fail by panicking and print what they skip"
)]

mod capture;
mod differences;
#[path = "../terminfo/entry.rs"]
mod entry;
mod grid;
mod random;
mod recordings;
mod streams;
mod terminals;
mod tmux;
