//! The import of asciicasts: never panics, and what is exported again can be imported.
#![no_main]

use ccd_tape::format::{read, write};
use ccd_tape::tools::asciicast::{CastFacts, CastVersion, export, import};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let facts = CastFacts {
        program: Some("p".into()),
        now: "2026-01-02T03:04:05Z".into(),
        ..CastFacts::default()
    };
    let Ok(found) = import(bytes, facts.clone()) else {
        return;
    };
    let text = write(&found.tape);
    assert_eq!(read(text.as_bytes()).as_ref(), Ok(&found.tape), "{text}");
    for version in [CastVersion::V2, CastVersion::V3] {
        let cast = export(&found.tape, version);
        import(cast.text.as_bytes(), facts.clone()).expect("an exported tape can be imported");
    }
});
