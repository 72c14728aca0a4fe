//! Lines and texts for tests that differ in nothing else: `tests/fixtures/lines.json`.

use std::collections::BTreeMap;

pub(crate) fn lines(name: &str) -> Vec<String> {
    let fixture = include_str!("../../../../tests/fixtures/lines.json");
    let mut lists: BTreeMap<String, Vec<String>> = serde_json::from_str(fixture).unwrap();
    lists.remove(name).unwrap()
}
