//! The reader of configurations: never panics, and says what is wrong in bounded words.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for remark in ccd::fuzzing::configuration(bytes) {
        assert!(remark.len() < 2000, "{remark}");
    }
});
