//! `roundtrip.json`.

use super::{assert_lossless, write};
use ccd_protocol::memory::SessionMemory;

#[test]
fn every_value_of_the_fixture_comes_back() {
    let fixture = include_str!("../../../tests/fixtures/roundtrip.json");
    let fixture: serde_json::Value = serde_json::from_str(fixture).unwrap();
    let cases = fixture["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 8);
    for case in cases {
        let memory: SessionMemory = serde_json::from_value(case["value"].clone()).unwrap();
        assert_lossless(&memory);
        let again = serde_json::to_value(&memory).unwrap();
        assert_eq!(again, case["value"], "{}", case["id"]);
        if case["id"] == "truncated" {
            let text = write(&memory, &Default::default(), &Default::default());
            assert!(text.contains("... and 15 more failures"), "{text}");
        }
    }
}
