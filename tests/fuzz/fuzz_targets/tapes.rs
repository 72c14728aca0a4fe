//! The reader of tapes: never panics, and reads what the writer has written as the same tape.
#![no_main]

use ccd_tape::format::{comments, outline, read, validate, write};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    validate(bytes, true);
    if let Ok(text) = std::str::from_utf8(bytes) {
        comments(text);
    }
    match read(bytes) {
        Ok(tape) => {
            outline(bytes).expect("a tape that can be read has an outline");
            let text = write(&tape);
            assert_eq!(read(text.as_bytes()).as_ref(), Ok(&tape), "{text}");
        }
        Err(error) => assert_eq!(outline(bytes).unwrap_err(), error),
    }
});
