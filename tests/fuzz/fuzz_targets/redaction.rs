//! Redaction: never panics, finds in any pieces what the whole has, and leaves nothing to further looks.
#![no_main]

use ccd_fuzz::pieces;
use ccd_text::redact::{Source, redact, redact_chunks, redact_line};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let [seed, bytes @ ..] = bytes else { return };
    for source in [Source::Output, Source::Typed] {
        let whole = redact_chunks([bytes], source);
        let cut = redact_chunks(pieces(*seed, bytes), source);
        assert_eq!((cut.concat(), cut.count()), (whole.concat(), whole.count()));
        assert!(settles(whole.concat(), source));
    }
    redact_line(bytes);
    redact(&String::from_utf8_lossy(bytes));
});

/// A mask may join what a secret separated. The search is repeated for this, but not without a limit, and a text made for
/// it can need more.
fn settles(mut text: Vec<u8>, source: Source) -> bool {
    (0..16).any(|_| {
        let again = redact_chunks([text.split_off(0)], source);
        text = again.concat();
        again.count() == 0
    })
}
