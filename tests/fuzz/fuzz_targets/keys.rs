//! Names of keys, and pastes: never panics, and a paste never ends early.
#![no_main]

use ccd_screen::Modes;
use ccd_session::keys::{encode, fault, paste};
use libfuzzer_sys::fuzz_target;

const END: &[u8] = b"\x1b[201~";

fuzz_target!(|bytes: &[u8]| {
    if let Ok(name) = std::str::from_utf8(bytes) {
        let modes = Modes::default();
        assert_eq!(encode(name, &modes).is_err(), fault(name).is_some());
    }
    let modes = Modes {
        bracketed_paste: true,
        ..Modes::default()
    };
    let pasted = paste(bytes, &modes);
    let ends = pasted.windows(END.len()).filter(|window| *window == END);
    assert_eq!(ends.count(), 1, "{pasted:?}");
});
