//! Documents with chains: never panics, and they are read as they were written.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Some(chain) = ccd::fuzzing::chain(bytes) {
        let text = serde_json::to_string(&chain).unwrap();
        assert_eq!(ccd::fuzzing::chain(text.as_bytes()), Some(chain));
    }
});
