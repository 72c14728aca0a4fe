//! Payloads of hooks: never panics, and every text that is kept is redacted.
#![no_main]

use ccd_coach::payload::Payload;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(mut payload) = Payload::parse(bytes) else {
        return;
    };
    payload.exit_code();
    payload.redact_with(|text| {
        assert!(text.len() <= 2 * bytes.len() + 100, "{text}");
        String::new()
    });
    assert_eq!(payload.stderr(), "");
});
