//! Conversion between tapes and asciicasts, the recordings of asciinema, versions 2 and 3.
//!
//! <https://docs.asciinema.org/manual/asciicast/v3/>

mod export;
mod import;

pub use export::{Version, export};
pub use import::{CastError, Facts, MAX_CAST_BYTES, import};

/// The annotation of an exchange with the markers of an asciicast; `at_ms` counts from the start of the exchange.
const MARKERS: &str = "markers";

/// Marker of an asciicast.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct Marker {
    at_ms: u64,
    label: String,
}

#[cfg(test)]
mod tests;
