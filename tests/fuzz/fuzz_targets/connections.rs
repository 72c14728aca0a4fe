//! Connections, whose first bytes select HTTP, a WebSocket or lines: each ends without a panic once the client has sent
//! everything, and any pieces have the replies of the whole.
#![no_main]

use ccd_fuzz::pieces;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let [seed, bytes @ ..] = bytes else { return };
    let whole = replies(&[bytes]);
    assert_eq!(replies(&pieces(*seed, bytes)), whole);
});

/// Returns the replies without the dates of HTTP.
fn replies(pieces: &[&[u8]]) -> String {
    let replies = ccd::fuzzing::replies(pieces).expect("a socket");
    let replies = String::from_utf8_lossy(&replies);
    let lines = replies.split_inclusive('\n');
    lines.filter(|line| !line.starts_with("date: ")).collect()
}
