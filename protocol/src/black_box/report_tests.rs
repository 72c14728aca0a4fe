//! Tests that results keep the seed's names and forms.

use super::*;
use serde_json::json;

#[test]
fn a_report_comes_back_with_the_details_of_the_seed() {
    let json = json!({
        "id": "0b87dd6c-8a5b-4c2e-9f0e-1d2c3b4a5f60",
        "program": "mock",
        "args": ["-i"],
        "started_at": "2025-09-23T12:34:56.789Z",
        "completed_at": "2025-09-23T12:35:01.000Z",
        "seed": 42,
        "results": [
            {
                "id": "0b87dd6c-8a5b-4c2e-9f0e-1d2c3b4a5f61",
                "program": "mock",
                "timestamp": "2025-09-23T12:34:57.000Z",
                "test_type": "startup",
                "passed": true,
                "details": { "started": true, "has_output": true, "has_errors": false, "has_prompt": true,
                    "cpu_percent": 2.5, "memory_mb": 45.2 },
                "error": null,
            },
            {
                "id": "0b87dd6c-8a5b-4c2e-9f0e-1d2c3b4a5f62",
                "program": "mock",
                "timestamp": "2025-09-23T12:34:59.000Z",
                "test_type": "fuzz",
                "passed": false,
                "details": { "findings": [{ "kind": "crash", "input": "%n", "signal": "SIGSEGV" }] },
                "error": "1 finding: crash by SIGSEGV",
            },
        ],
        "summary": { "total": 2, "passed": 1, "failed": 1 },
    });
    let report: TestReport = serde_json::from_value(json.clone()).unwrap();
    assert_eq!(TestSummary::of(&report.results), report.summary);
    assert_eq!(serde_json::to_value(&report).unwrap(), json);
}

#[test]
fn each_type_has_the_name_of_the_seed() {
    let names = [
        "startup",
        "help",
        "invalid_input",
        "exit",
        "resource",
        "concurrent",
        "fuzz",
    ];
    assert_eq!(TestType::ALL.map(TestType::name), names);
    for test_type in TestType::ALL {
        assert_eq!(serde_json::to_value(test_type).unwrap(), test_type.name());
    }
}
