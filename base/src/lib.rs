//! What every part needs once: times, texts for people, command lines, JSON as others write it, files that are whole. No
//! runtime.
//!
//! Layers, top first; none uses one before it: `about`, `clip`, `clock`, `json5`, `nearest`, `number`, `shell`, `surrogate`, `visible`,
//! `whole_file`.

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "tests fail by panicking"))]

pub mod about;
pub mod clip;
pub mod clock;
pub mod json5;
pub mod nearest;
pub mod number;
pub mod shell;
pub mod surrogate;
pub mod visible;
pub mod whole_file;
