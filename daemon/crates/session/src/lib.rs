//! Sessions: programs in terminals that outlive every client. Includes their output, their history and starting them by
//! name.

#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::print_stderr,
        reason = "tests fail by panicking and print what they skip"
    )
)]

pub mod durations;
pub mod interaction;
pub mod keys;
pub mod library;
pub mod output;
pub mod peer;
pub mod program;
pub mod session;
