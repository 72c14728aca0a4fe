//! Documents with program configurations: never panics, and they are read as they were written.
#![no_main]

use ccd_protocol::program::ProgramConfig;
use ccd_session::program::{fault, refuse_secrets, unknown_fields};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(document) = serde_json::from_slice(bytes) else {
        return;
    };
    unknown_fields(&document);
    let Ok(mut config) = serde_json::from_value::<ProgramConfig>(document) else {
        return;
    };
    let _ = refuse_secrets(&config);
    fault(&config);
    config.typical_timeout = None; // the reader of JSON may differ in the last bit of a fraction
    let text = serde_json::to_string(&config).unwrap();
    assert_eq!(
        serde_json::from_str::<ProgramConfig>(&text).unwrap(),
        config
    );
});
