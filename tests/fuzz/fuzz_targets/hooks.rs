//! Payloads of hooks: never panics.
#![no_main]

use ccd_coach::payload::Payload;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(payload) = Payload::parse(bytes) {
        payload.exit_code();
        payload.stderr();
    }
});
