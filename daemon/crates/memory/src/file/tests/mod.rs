//! The file there and back: the cases of the fixtures, of the seed, and generated ones.

pub(crate) mod generated;
mod seed;

use super::{parse, write};
use ccd_protocol::memory::SessionMemory;

/// Writes and reads; the lists that the file groups are compared in the file's order.
fn assert_lossless(memory: &SessionMemory) {
    let mut expected = memory.clone();
    expected.blockers.sort_by_key(|blocker| blocker.priority);
    expected.next_steps.sort_by_key(|step| step.priority);
    let text = write(memory, &Default::default(), &Default::default());
    let parsed = parse(&text);
    assert_eq!(parsed.memory, expected, "{text}");
    assert_eq!(parsed.warnings, Vec::<String>::new(), "{text}");
}

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
