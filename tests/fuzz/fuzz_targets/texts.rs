//! The classification of texts, and lines made clean: never panics, and any pieces are cleaned like the whole.
#![no_main]

use ccd_fuzz::pieces;
use ccd_text::expect::{CleanStream, encoding_for};
use ccd_text::pattern::Compiled;
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static PATTERNS: LazyLock<Compiled> = LazyLock::new(Compiled::built_in);

fuzz_target!(|bytes: &[u8]| {
    let [seed, bytes @ ..] = bytes else { return };
    assert_eq!(cleaned(&pieces(*seed, bytes)), cleaned(&[bytes]));
    let text = String::from_utf8_lossy(bytes);
    PATTERNS.classify(&text);
    PATTERNS.test(&text, None);
});

fn cleaned(pieces: &[&[u8]]) -> String {
    let mut stream = CleanStream::new(encoding_for("utf-8").unwrap());
    let mut text: String = pieces.iter().map(|piece| stream.feed(piece)).collect();
    text.push_str(&stream.finish());
    text
}
