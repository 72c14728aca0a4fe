//! A tape as a JSON5 format: its limits, and its faults.

use super::fault::{Fault, Stop};
use ccd_text::json5;

/// Maximum number of chunks on a tape. A tape written by ccd exceeds [`MAX_BYTES`](super::fault::MAX_BYTES) before it has as many.
pub(super) const MAX_CHUNKS: u32 = 1_300_000;

/// Maximum number of values in annotations and unknown keys.
pub(super) const MAX_VALUES: u32 = 1_000_000;

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
