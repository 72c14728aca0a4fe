//! Tapes as asciicasts, the recordings of asciinema, versions 2 and 3, and asciicasts as tapes.
//!
//! <https://docs.asciinema.org/manual/asciicast/v3/>

mod export;
mod import;

pub use export::{Version, export};
pub use import::{CastError, Facts, MAX_CAST_BYTES, import};

/// Marks of an asciicast stand under this name in the annotations of the exchange in which they were set: `at_ms` counts
/// from the exchange's begin.
const MARKERS: &str = "markers";

/// Mark of an asciicast.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct Marker {
    at_ms: u64,
    label: String,
}

#[cfg(test)]
mod tests;
