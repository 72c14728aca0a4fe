//! What a tape is as JSON5: its limits, and the words for its faults.

use super::fault::Fault;
use ccd_text::json5;

/// Largest file of a tape.
pub(super) const MAX_BYTES: usize = 64 << 20;

/// Most chunks of a tape. What ccd writes is larger than [`MAX_BYTES`] before it has so many.
pub(super) const MAX_CHUNKS: u32 = 1_300_000;

/// Most values in annotations and in keys that nobody knows.
pub(super) const MAX_VALUES: u32 = 1_000_000;

/// The format of a tape.
#[derive(Debug, Clone)]
pub(super) enum TapeText {}

impl json5::Format for TapeText {
    const WHOLE: &'static str = "the tape's object";
    const MAX_DEPTH: u32 = 64;
    const MAX_VALUES: u32 = MAX_VALUES;
    type Fault = Fault;

    fn path(fault: &mut Fault) -> Option<&mut String> {
        fault.path()
    }
}

pub(super) type Scanner<'a> = json5::Scanner<'a, TapeText>;
pub(super) type Scanned<T> = Result<T, Stop>;
pub(super) type Stop = json5::Stop<Fault>;
