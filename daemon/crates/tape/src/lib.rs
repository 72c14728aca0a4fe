//! Tapes: recordings of terminal programs, which can be replayed in place of the program.
//!
//! Layers, top first; none uses one before it: `run` → `error` → `files`, `play`, `record` → `root`, `settings` →
//! `index`, `replay_defaults` → `tools`, `advice`, `decorate`, `name` → `key` → `format`, `telemetry`.

#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::print_stderr,
        reason = "tests fail by panicking and print what they skip"
    )
)]

pub mod advice;
pub mod decorate;
mod error;
pub mod files;
pub mod format;
pub mod index;
pub mod key;
pub mod name;
pub mod play;
pub mod record;
mod replay_defaults;
pub mod root;
pub mod run;
pub mod settings;
mod telemetry;
pub mod tools;

pub use error::TapeError;

/// The platform that a tape is recorded on, as compilers name it.
pub const PLATFORM: &str = env!("CCD_TARGET");
