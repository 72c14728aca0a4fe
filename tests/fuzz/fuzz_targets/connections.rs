//! Connections, whose first bytes select HTTP, a WebSocket, MCP or lines: each ends without a panic once the client has sent
//! everything. Lines in any pieces have the replies of the whole, and so have the messages of a WebSocket. Plain HTTP need
//! not: how much of a wrong request is read before the connection is closed depends on how it arrives. The replies of MCP
//! come in any order.
#![no_main]

use ccd_fuzz::pieces;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let [seed, bytes @ ..] = bytes else { return };
    let whole = replies(&[bytes]);
    let cut = replies(&pieces(*seed, bytes));
    let first = bytes.trim_ascii_start().first();
    let is_http = first.is_some_and(u8::is_ascii_uppercase);
    if first == Some(&b'm') {
        return;
    }
    let is_websocket = |replies: &str| replies.starts_with("HTTP/1.1 101");
    if !is_http || (is_websocket(&whole) && is_websocket(&cut)) {
        assert_eq!(cut, whole);
    }
});

/// Returns the replies without the dates of HTTP.
fn replies(pieces: &[&[u8]]) -> String {
    let replies = ccd::fuzzing::replies(pieces).expect("a socket");
    let replies = String::from_utf8_lossy(&replies);
    let lines = replies.split_inclusive('\n');
    lines.filter(|line| !line.starts_with("date: ")).collect()
}
