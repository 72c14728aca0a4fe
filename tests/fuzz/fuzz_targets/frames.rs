//! The frame parser with any bytes in any pieces: it must never panic, never keep more than its limit, and find the
//! same lines wherever the pieces end.
#![no_main]

use ccd_protocol::frame::{Frame, LineFrames};
use libfuzzer_sys::fuzz_target;

/// Small, so that the fuzzer easily exceeds it.
const LIMIT_BYTES: usize = 32;

fuzz_target!(|pieces: Vec<Vec<u8>>| {
    let whole = pieces.concat();
    let cut = frames(pieces.iter().map(Vec::as_slice));
    assert_eq!(cut, frames(std::iter::once(&*whole)));
    assert_eq!(cut, frames(whole.chunks(1)));
});

/// Returns the frames of `pieces`; one over the limit is `None`.
fn frames<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Vec<Option<Vec<u8>>> {
    let mut decoder = LineFrames::new(LIMIT_BYTES);
    let mut frames = Vec::new();
    for mut piece in pieces {
        while let Some(frame) = decoder.next(&mut piece) {
            frames.push(owned(frame));
        }
        assert!(piece.is_empty());
        assert!(decoder.kept_bytes() <= LIMIT_BYTES);
    }
    frames.extend(decoder.finish().map(owned));
    frames
}

fn owned(frame: Frame<'_>) -> Option<Vec<u8>> {
    match frame {
        Frame::Line(line) => Some(line.into_owned()),
        Frame::TooLong => None,
    }
}
