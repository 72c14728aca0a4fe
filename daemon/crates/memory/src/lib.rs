//! wip
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "tests fail by panicking"))]

mod error;
mod file;
mod model;

pub use error::{MemoryError, Result};
pub use file::{Parsed, parse, write};
pub use model::{Cuts, MAX_BYTES, Provenance, fit, redact, shorten, validate};
