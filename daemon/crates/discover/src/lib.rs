//! Finds out what an unknown program offers and how it breaks. Pure code: it drives no program.
//!
//! - [`help`]: what a program's help says about itself
//! - [`safety`]: what must not be sent to a program

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "tests fail by panicking"))]

pub mod help;
pub mod safety;
