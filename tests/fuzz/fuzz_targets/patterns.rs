//! Patterns in output: the first line is the pattern, the rest is output, and any pieces find what the whole has. A group
//! that asks for the end of the output, or of a word, may depend on what has arrived.
#![no_main]

use ccd_fuzz::pieces;
use ccd_text::expect::{Hit, Matcher, Pattern, Patterns, encoding_for};
use libfuzzer_sys::fuzz_target;
use std::sync::Arc;

fuzz_target!(|bytes: &[u8]| {
    let [seed, bytes @ ..] = bytes else { return };
    let Some(end) = bytes.iter().position(|byte| *byte == b'\n') else {
        return;
    };
    let Ok(regex) = std::str::from_utf8(&bytes[..end]) else {
        return;
    };
    let Ok(patterns) = Patterns::compile(&[Pattern::Regex(regex.into())], seed % 2 == 1) else {
        return;
    };
    let patterns = Arc::new(patterns);
    let output = &bytes[end + 1..];
    let cut = found(&patterns, &pieces(*seed, output));
    let whole = found(&patterns, &[output]);
    if ["$", "\\z", "\\b", "\\B"]
        .iter()
        .any(|end| regex.contains(end))
    {
        assert_eq!(cut.map(place), whole.map(place));
    } else {
        assert_eq!(cut, whole);
    }
});

fn found(patterns: &Arc<Patterns>, pieces: &[&[u8]]) -> Option<Hit> {
    let encoding = encoding_for("utf-8").unwrap();
    let mut matcher = Matcher::new(Arc::clone(patterns), 0, encoding);
    let hit = pieces.iter().find_map(|piece| matcher.feed(piece));
    hit.or_else(|| matcher.pause())
}

fn place(hit: Hit) -> (usize, u64, u64) {
    (hit.index, hit.start, hit.end)
}
