//! The golden cases of `tests/fixtures/signals.json`, compared as its header says.

use super::Detector;
use crate::patterns::{PatternGroup, PatternSet};
use crate::payload::Payload;
use crate::signal::Signal;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

fn golden() -> Value {
    serde_json::from_str(include_str!("../../tests/fixtures/signals.json")).unwrap()
}

fn payload(value: &Value) -> Payload {
    Payload::parse(value.to_string().as_bytes()).unwrap()
}

/// Gives the detector what came before in the session.
fn replay(detector: &mut Detector, history: &Value) {
    let empty = Vec::new();
    for message in history["messages"].as_array().unwrap_or(&empty) {
        detector.detect(&payload(
            &json!({"hook_event_name": "UserPromptSubmit", "prompt": message}),
        ));
    }
    for call in history["tool_calls"].as_array().unwrap_or(&empty) {
        let code = call["exit_code"].as_i64().unwrap();
        let stderr = call["stderr"].as_str().unwrap();
        let mut value = json!({"tool_name": "Bash", "tool_input": {"command": call["command"]}});
        if code == 0 {
            value["hook_event_name"] = "PostToolUse".into();
            value["tool_response"] = json!({"stdout": "", "stderr": stderr});
        } else {
            value["hook_event_name"] = "PostToolUseFailure".into();
            value["error"] = format!("Exit code {code}\n{stderr}").into();
        }
        detector.detect(&payload(&value));
    }
    for _ in 0..history["turn_tool_outputs"].as_u64().unwrap_or(0) {
        detector.detect(&payload(
            &json!({"hook_event_name": "PostToolUse", "tool_name": "Read"}),
        ));
    }
}

/// The pattern strings of `matches`, in whatever form they are.
fn spellings(matches: &Value) -> BTreeSet<String> {
    let spelling = |entry: &Value| {
        entry["pattern"]
            .as_str()
            .or(entry.as_str())
            .unwrap()
            .to_owned()
    };
    matches.as_array().unwrap().iter().map(spelling).collect()
}

fn check(case: &Value, expected: &Value, signal: &Signal) {
    let id = &case["id"];
    let mut got = serde_json::to_value(signal).unwrap();
    for (key, want) in expected.as_object().unwrap() {
        let near = |value: f64| (want.as_f64().unwrap() - value).abs() < 0.005;
        match key.as_str() {
            "confidence" => assert!(
                near(signal.confidence),
                "{id}: {} is not {want}",
                signal.confidence
            ),
            "confidence_min" => assert!(
                signal.confidence >= want.as_f64().unwrap(),
                "{id}: {}",
                signal.confidence
            ),
            "confidence_max" => assert!(
                signal.confidence <= want.as_f64().unwrap(),
                "{id}: {}",
                signal.confidence
            ),
            "matches" => {
                assert_eq!(spellings(&got["matches"]), spellings(want), "{id}");
                if want[0].is_object() {
                    assert_eq!(&got["matches"], want, "{id}");
                }
            }
            "violations" => {
                for violation in got["violations"].as_array_mut().unwrap() {
                    violation
                        .as_object_mut()
                        .unwrap()
                        .retain(|name, _| name == "kind" || name == "pattern");
                }
                assert_eq!(&got["violations"], want, "{id}");
            }
            _ => assert_eq!(got.get(key), Some(want), "{id}: {key}"),
        }
    }
}

#[test]
fn every_golden_case_is_right() {
    let patterns = Arc::new(PatternSet::built_in());
    let mut wrong = Vec::new();
    for case in golden()["cases"].as_array().unwrap() {
        let mut detector = Detector::new(Arc::clone(&patterns));
        replay(&mut detector, &case["history"]);
        let signals = detector.detect(&payload(&case["hook"])).signals;
        let expected = case["expected_signals"].as_array().unwrap();
        let types: Vec<Value> = signals
            .iter()
            .map(|signal| json!(signal.signal_type))
            .collect();
        let wanted: Vec<Value> = expected
            .iter()
            .map(|signal| signal["signal_type"].clone())
            .collect();
        if types != wanted {
            wrong.push(format!(
                "{}: {} {:?} instead of {wanted:?}",
                case["id"], case["hook"], signals
            ));
            continue;
        }
        for (expected, signal) in expected.iter().zip(&signals) {
            check(case, expected, signal);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_built_in_lists_are_spelled_as_in_the_golden_cases() {
    for (name, patterns) in golden()["patterns"].as_object().unwrap() {
        let group = PatternGroup::from_name(name).unwrap();
        assert_eq!(json!(group.built_in()), *patterns, "{name}");
    }
}
