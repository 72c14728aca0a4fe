//! Queries in output: any pieces have those of the whole, and every query has its answer.
#![no_main]

use ccd_fuzz::pieces;
use ccd_screen::{QueryStripper, Scanner, answer};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let [seed, bytes @ ..] = bytes else { return };
    let cut = pieces(*seed, bytes);
    assert_eq!(queries(&cut), queries(&[bytes]));
    assert_eq!(stripped(&cut), stripped(&[bytes]));
});

fn queries(pieces: &[&[u8]]) -> Vec<String> {
    let (mut scanner, mut asked, mut offset) = (Scanner::new(), Vec::new(), 0);
    for piece in pieces {
        scanner.feed(piece, offset, &mut asked);
        offset += piece.len() as u64;
    }
    for asked in &asked {
        answer(&asked.query, Some((3, 4)), (24, 80));
    }
    asked.iter().map(|asked| format!("{asked:?}")).collect()
}

fn stripped(pieces: &[&[u8]]) -> Vec<u8> {
    let mut stripper = QueryStripper::new();
    pieces
        .iter()
        .flat_map(|piece| stripper.strip(piece))
        .collect()
}
