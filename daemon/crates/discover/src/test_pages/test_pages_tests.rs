//! Tests of JUnit XML and pages.

use super::*;
use ccd_protocol::black_box::{TestReport, TestResult, TestSummary, TestType};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn result(test_type: TestType, error: Option<&str>, details: Value) -> TestResult {
    TestResult {
        id: test_type.name().to_owned(),
        program: "mock".to_owned(),
        timestamp: "2025-09-23T12:34:57.000Z".to_owned(),
        test_type,
        passed: error.is_none(),
        details: details.as_object().cloned().unwrap_or_default(),
        error: error.map(str::to_owned),
    }
}

fn report(results: Vec<TestResult>) -> TestReport {
    TestReport {
        id: "0b87dd6c-8a5b-4c2e-9f0e-1d2c3b4a5f60".to_owned(),
        program: "mock".to_owned(),
        args: vec!["-i".to_owned(), "a b".to_owned()],
        started_at: "2025-09-23T12:34:56.000Z".to_owned(),
        completed_at: "2025-09-23T12:34:58.500Z".to_owned(),
        seed: Some(42),
        summary: TestSummary::of(&results),
        results,
    }
}

fn mock() -> TestReport {
    report(vec![
        result(
            TestType::Startup,
            None,
            json!({"started": true, "has_prompt": true, "memory_mb": 4.2, "first_output_ms": 3}),
        ),
        result(TestType::Help, None, json!({"forms": ["--help", "help"]})),
        result(
            TestType::Resource,
            Some("memory grew by 200 kB for each input"),
            json!({
                "memory_mb": 83.5, "cpu_percent": 12.0, "growth": {"inputs": 200, "bytes_per_input": 204800},
            }),
        ),
        result(
            TestType::Fuzz,
            Some("2 findings: crash by SIGSEGV"),
            json!({
                "inputs": 1000,
                "findings": [
                    {"kind": "crash", "input": "crash \u{1b}[31m<b>\u{7}", "signal": "SIGSEGV",
                     "message": "ended by SIGSEGV", "tape": "/home/me/tapes/mock/fuzz 1.json5"},
                    {"kind": "hang", "input": "hang", "message": "no answer within 5 s", "known": true},
                    "no object",
                ],
            }),
        ),
    ])
}

#[test]
fn junit_has_a_case_for_each_result_and_a_failure_for_each_that_failed() {
    let xml = junit(&mock()).unwrap();
    for part in [
        r#"<testsuites name="ccd" tests="4" skipped="0" failures="2" errors="0">"#,
        r#"<testsuite name="mock -i &#39;a b&#39;" tests="4""#,
        r#"time="2.500""#,
        r#"timestamp="2025-09-23T12:34:56.000Z""#,
        r#"<testcase name="startup" classname="mock">"#,
        r#"<failure message="2 findings: crash by SIGSEGV" type="fuzz">"#,
        "crash: ended by SIGSEGV",
        "hang: no answer within 5 s (known)",
    ] {
        assert!(xml.contains(part), "{part} in {xml}");
    }
    assert!(!xml.contains('\u{1b}') && !xml.contains('\u{7}'));
}

#[test]
fn a_page_shows_results_findings_and_pictures_and_runs_nothing() {
    let tape = "/home/me/tapes/mock/fuzz 1.json5".to_owned();
    let picture = "data:image/svg+xml;base64,PHN2Zy8+".to_owned();
    let html = page(&mock(), &BTreeMap::from([(tape, picture)]));
    for part in [
        "2 of 4 tests failed",
        "crash \\u{1b}[31m&lt;b&gt;\\u{7}",
        "ccctl tape play &#39;/home/me/tapes/mock/fuzz 1.json5&#39;",
        "ccctl play --tapes /home/me/tapes/mock -- mock -i &#39;a b&#39;",
        "<img src=\"data:image/svg+xml;base64,PHN2Zy8+\"",
        "known from the baseline",
        "<th>memory mb</th><td>83.5</td>",
        "--help, help",
    ] {
        assert!(html.contains(part), "{part} in {html}");
    }
    assert!(!html.contains("<b>") && !html.contains("<script"));
    if let Some(path) = std::env::var_os("CCD_TEST_PAGE") {
        std::fs::write(path, &html).unwrap();
    }
}

proptest! {
    #[test]
    fn any_report_has_a_page_and_junit(
        texts in proptest::collection::vec("(?s).{0,20}", 4),
        finding in proptest::collection::btree_map("kind|message|input|input_b64|signal|tape|known", "(?s).{0,12}", 0..6),
    ) {
        let details = json!({ &*texts[0]: texts[1], "findings": [finding] });
        let mut report = report(vec![result(TestType::Fuzz, Some(&texts[2]), details)]);
        report.program = texts[3].clone();
        let xml = junit(&report).unwrap();
        prop_assert!(xml.ends_with("</testsuites>\n"));
        prop_assert!(!xml.chars().any(|c| c.is_control() && c != '\n' && c != '\t'));
        let html = page(&report, &BTreeMap::new());
        prop_assert!(html.ends_with("</html>\n"));
        prop_assert!(!html.chars().any(|c| c.is_control() && c != '\n' && c != '\t'));
    }
}
