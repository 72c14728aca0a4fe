//! Sessions: programs in terminals that outlive every client. Includes their output, their history and starting them by
//! name.
//! What clients wait for by the microsecond (`send`, `expect`, `read`, `run`, `find`) returns a boxed future: its code is
//! then compiled in this crate, for speed, and not in the crate that awaits it.
//!
//! Layers, top first; none uses one before it: `live` → `program` → `interaction` → `durations`, `keys`, `library`,
//! `output`, `peer`.

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
mod live;
pub mod output;
pub mod peer;
pub mod program;

pub use live::*;
