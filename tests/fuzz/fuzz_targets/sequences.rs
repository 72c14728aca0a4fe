//! Events and queries in output: any pieces have those of the whole, and every query has its answer.
#![no_main]

use ccd_fuzz::pieces;
use ccd_screen::{EventKind, QueryStripper, Scanner, answer};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let [seed, bytes @ ..] = bytes else { return };
    let cut = pieces(*seed, bytes);
    assert_eq!(events(&cut), events(&[bytes]));
    assert_eq!(stripped(&cut), stripped(&[bytes]));
});

fn events(pieces: &[&[u8]]) -> Vec<String> {
    let (mut scanner, mut events, mut offset) = (Scanner::new(), Vec::new(), 0);
    for piece in pieces {
        scanner.feed(piece, offset, &mut events);
        offset += piece.len() as u64;
    }
    for event in &events {
        if let EventKind::Query(query) = &event.kind {
            answer(query, Some((3, 4)), (24, 80));
        }
    }
    events.iter().map(|event| format!("{event:?}")).collect()
}

fn stripped(pieces: &[&[u8]]) -> Vec<u8> {
    let mut stripper = QueryStripper::new();
    pieces
        .iter()
        .flat_map(|piece| stripper.strip(piece))
        .collect()
}
