//! Patterns in output: the first line is the pattern, the rest is output, and any pieces find what the whole has.
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
    assert_eq!(
        found(&patterns, &pieces(*seed, output)),
        found(&patterns, &[output])
    );
});

fn found(patterns: &Arc<Patterns>, pieces: &[&[u8]]) -> Option<Hit> {
    let encoding = encoding_for("utf-8").unwrap();
    let mut matcher = Matcher::new(Arc::clone(patterns), 0, encoding);
    let hit = pieces.iter().find_map(|piece| matcher.feed(piece));
    hit.or_else(|| matcher.pause())
}
