//! Documents with chains: never panics, and they are read as they were written.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Some(mut chain) = ccd::fuzzing::chain(bytes) {
        chain.timeout = None; // the reader of JSON may differ in the last bit of a fraction
        let text = serde_json::to_string(&chain).unwrap();
        assert_eq!(ccd::fuzzing::chain(text.as_bytes()), Some(chain));
    }
});
