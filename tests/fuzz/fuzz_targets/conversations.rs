//! Transcripts: never panics, and any pieces have the lines and the turns of the whole.
#![no_main]

use ccd_conversation::lines::{Counts, Lines};
use ccd_conversation::model::{LineLocation, Model, Records};
use ccd_fuzz::pieces;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let [seed, bytes @ ..] = bytes else { return };
    assert_eq!(read(&pieces(*seed, bytes)), read(&[bytes]));
});

fn read(pieces: &[&[u8]]) -> (Counts, Vec<String>) {
    let (mut lines, mut records, mut seen) = (Lines::default(), Records::default(), Vec::new());
    let mut take = |offset, len, line: ccd_conversation::line::Line<'_>| {
        let file = 0;
        records.insert(LineLocation { file, offset, len }, &line);
        seen.push(format!("{offset} {len} {line:?}"));
    };
    pieces.iter().for_each(|piece| lines.feed(piece, &mut take));
    lines.finish(&mut take);
    let _ = Model::new(&records).models();
    (lines.counts().clone(), seen)
}
