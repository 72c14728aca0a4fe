//! Reports that somebody has edited, or made up, do no harm.

use crate::{baseline, diff, map, test_pages};
use ccd_protocol::black_box::TestReport;
use ccd_protocol::investigate::{InvestigationReport, MapFormat};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Any JSON, with few names, so that the same id is often used twice.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[ab]|(?s).{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map("[ab]|kind|input|tape|known", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// A report of a shape that is accepted, with texts of any content.
fn any_investigation() -> impl Strategy<Value = InvestigationReport> {
    let text = || "[ab]|(?s).{0,8}";
    let transitions = proptest::collection::btree_map(text(), "[a-d]", 0..4);
    let state = ("[a-d]", text(), proptest::option::of(text()), transitions);
    let finding = (text(), proptest::option::of("[a-d]"));
    (
        proptest::collection::vec(state, 0..5),
        proptest::collection::vec(finding, 0..3),
        proptest::option::of("[a-d]"),
        text(),
    )
        .prop_map(|(states, findings, entry, program)| {
            let states: Vec<Value> = states
                .into_iter()
                .map(|(id, name, prompt, transitions)| json!({"id": id, "report_id": "", "name": name, "prompt": prompt, "transitions": transitions}))
                .collect();
            let findings: Vec<Value> = findings
                .into_iter()
                .map(|(message, state)| json!({"kind": "hang", "message": message, "state": state}))
                .collect();
            let report = json!({"id": "r", "program": program, "started_at": "", "completed_at": "", "entry_state_id": entry,
                "safe_mode": true, "states": states, "findings": findings});
            serde_json::from_value(report).unwrap()
        })
}

proptest! {
    #[test]
    fn any_investigation_is_compared_and_drawn(a in any_investigation(), b in any_investigation()) {
        prop_assert!(diff::diff(&a, &a).equal);
        let _ = diff::diff(&a, &b);
        for format in [MapFormat::Json, MapFormat::Dot, MapFormat::Mermaid] {
            let text = map::write(&map::from_report(&a), format);
            // JSON keeps texts as they are.
            let is_shown = format != MapFormat::Json;
            prop_assert!(!is_shown || !text.chars().any(|c| c.is_control() && c != '\n'));
        }
    }

    #[test]
    fn any_details_are_written_and_compared(details in proptest::collection::btree_map("findings|[ab]", any_json(), 0..3)) {
        let details: Map<String, Value> = details.into_iter().collect();
        let mut report: TestReport = serde_json::from_value(json!({
            "id": "", "program": "a", "started_at": "", "completed_at": "", "summary": {"total": 1, "passed": 0, "failed": 1},
            "results": [{"id": "", "program": "a", "timestamp": "", "test_type": "fuzz", "passed": false, "details": details, "error": "x"}],
        })).unwrap();
        prop_assert!(test_pages::junit(&report).is_ok());
        prop_assert!(test_pages::page(&report, &BTreeMap::new()).ends_with("</html>\n"));
        baseline::Baseline::new(report.clone()).apply(&mut report);
        prop_assert!(report.results.len() == 1);
    }
}

#[test]
fn a_report_with_very_many_states_is_drawn_at_once() {
    let states: Vec<Value> = (0..5000)
        .map(|at| json!({"id": at.to_string(), "report_id": "", "name": "x", "prompt": null, "transitions": {"a": (at + 1).to_string(), "b": "0"}}))
        .collect();
    let report = json!({"id": "r", "program": "x", "started_at": "", "completed_at": "", "entry_state_id": "0",
        "safe_mode": true, "states": states});
    let report: InvestigationReport = serde_json::from_value(report).unwrap();
    let start = Instant::now();
    assert!(map::write(&map::from_report(&report), MapFormat::Dot).len() > 100_000);
    assert!(
        start.elapsed() < Duration::from_secs(10),
        "{:?}",
        start.elapsed()
    );
}
