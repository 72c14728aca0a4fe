//! Conversion between tapes and asciicasts, the recordings of asciinema: from versions 1, 2 and 3, to versions 2 and 3.
//!
//! <https://docs.asciinema.org/manual/asciicast/v3/>

mod builder;
mod event;
mod export;
mod fault;
mod header;
mod import;

pub use export::{CastVersion, export};
pub use fault::{CastError, MAX_CAST_BYTES};
pub use import::{CastFacts, import};

#[cfg(test)]
mod refusal_tests;
#[cfg(test)]
mod tests;
