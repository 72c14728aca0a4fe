//! Redaction: never panics, finds in any pieces what the whole has, and leaves nothing to a second look.
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
        assert_eq!(redact_chunks([whole.concat()], source).count(), 0);
    }
    redact_line(bytes);
    redact(&String::from_utf8_lossy(bytes));
});
