//! Samples of each kind of report, and where they are looked for.

use super::files::known;
use super::{CutOff, of_output, read, reports};
use crate::collect::COLLECT_LIMIT;
use ccd_protocol::memory::{TestFailure, TestSuite};
use std::fs;
use std::path::Path;
use std::time::Instant;

/// Path, text, `framework passed/failed`, and failures as `file:line name: message`.
type Row = (
    &'static str,
    &'static str,
    &'static str,
    &'static [&'static str],
);

const SAMPLES: &[Row] = &[
    (
        "nextest.txt",
        "        FAIL [   0.004s] (1/4) lamp b::c\nthread 'b::c' (7) panicked at src/lib.rs:9:5:\nno\n     TIMEOUT [ 60.000s] (2/4) lamp d\n     Summary [   1.2s] 4 tests run: 2 passed (1 slow), 1 failed, 1 timed out, 3 skipped\n        FAIL [   0.004s] (1/4) lamp b::c\n",
        "cargo-nextest 2/2",
        &["src/lib.rs:9 b::c: no", " d: "],
    ),
    (
        "cargo-test.txt",
        "test a ... FAILED\nthread 'a' panicked at src/lib.rs:3:1:\none\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\ntest b - should panic ... FAILED\ntest result: FAILED. 2 passed; 1 failed; 0 ignored\n",
        "cargo test 3/2",
        &["src/lib.rs:3 a: one", " b: "],
    ),
    (
        "pytest-x.txt",
        "tests/test_a.py:7: AssertionError\nFAILED tests/test_a.py::test_x - assert 1 == 2\n!!!!!!!! stopping after 1 failures !!!!!!!!\n=== 1 failed, 2 passed, 1 warning in 0.10s ===\n",
        "pytest 2/1",
        &["tests/test_a.py:7 test_x: assert 1 == 2"],
    ),
    (
        "pytest-none.txt",
        "=== no tests ran in 0.01s ===\n",
        "pytest 0/0",
        &[],
    ),
    (
        "jest.txt",
        "FAIL src/a.test.js\n  ● lamp › shines\n\nTest Suites: 1 failed, 1 total\nTests:       1 failed, 2 passed, 3 total\n",
        "Jest 2/1",
        &[" lamp › shines: "],
    ),
    (
        "vitest.txt",
        " FAIL  src/a.spec.ts > lamp > shines\nError: no\n ❯ src/a.spec.ts:12:5\n FAIL  src/b.spec.ts > c\nError: d\n Tests  2 failed | 19 passed (21)\n",
        "Vitest 19/2",
        &[
            "src/a.spec.ts:12 lamp > shines: Error: no",
            "src/b.spec.ts c: Error: d",
        ],
    ),
    (
        "pytest-lines.txt",
        "_____ test_x _____\n\ntests/test_a.py:3: AssertionError\n_____ TestB.test_y _____\n\ntests/test_a.py:9: ValueError\nFAILED tests/test_a.py::test_x - no\nFAILED tests/test_a.py::TestB::test_y - ValueError\n=== 2 failed in 0.10s ===\n",
        "pytest 0/2",
        &[
            "tests/test_a.py:3 test_x: no",
            "tests/test_a.py:9 TestB::test_y: ValueError",
        ],
    ),
    (
        "pytest-crash.txt",
        "collected 2 items\n\ntests/test_a.py .Fatal Python error: Aborted\n\nCurrent thread 0x1\n",
        "pytest 0/0",
        &[" the whole run: Fatal Python error: Aborted"],
    ),
    (
        "vitest-load.txt",
        " FAIL  src/broken.test.js [ src/broken.test.js ]\nError: no\n\n Test Files  1 failed | 1 passed (2)\n      Tests  2 passed (2)\n",
        "Vitest 2/0",
        &[" the whole run: 1 failed"],
    ),
    (
        "jest-load.txt",
        "FAIL ./b.test.js\n  ● Test suite failed to run\n\n    Cannot find module\n\nTest Suites: 1 failed, 1 passed, 2 total\nTests:       1 passed, 1 total\n",
        "Jest 1/0",
        &[" the whole run: 1 failed", " Test suite failed to run: "],
    ),
    (
        "playwright-flaky.txt",
        "  1) tests/a.spec.ts:3:1 › adds ─────\n\n    Error: two\n\n  1 flaky\n    tests/a.spec.ts:3:1 › adds ─────\n  1 passed (4.1s)\n",
        "Playwright 1/0",
        &[],
    ),
    (
        "doc-test.txt",
        "test src/lib.rs - add (line 5) ... FAILED\ntest result: FAILED. 0 passed; 1 failed; 0 ignored\n",
        "cargo test 0/1",
        &[" src/lib.rs - add (line 5): "],
    ),
    (
        "playwright.txt",
        "  1) [chromium] › tests/lamp.spec.ts:2:31 › lamp › shines ────────\n\n    Error: no\n\n  2) tests/lamp.spec.ts:3:1 › adds ─────\n\n    Error: two\n        at /tmp/pw/tests/lamp.spec.ts:3:40\n\n  2 failed\n    tests/lamp.spec.ts:3:1 › adds ─────\n  1 skipped\n  4 passed (4.1s)\n",
        "Playwright 4/2",
        &[
            "tests/lamp.spec.ts:2 lamp › shines: Error: no",
            "tests/lamp.spec.ts:3 adds: Error: two",
        ],
    ),
    (
        "go-panic.txt",
        "--- PASS: TestA (0.00s)\npanic: boom\n\ngoroutine 1 [running]:\n\t/go/src/p.go:3 +0x1\nexit status 2\nFAIL\tex/p\t0.01s\nok  \tex/q\t0.01s\n",
        "go test 1/1",
        &["ex/p ex/p: panic: boom"],
    ),
    (
        "go-quiet.txt",
        "ok  \tex/p\t0.01s\nok  \tex/q\t(cached)\n?   \tex/r\t[no test files]\n",
        "go test, passed packages 2/0",
        &[],
    ),
    (
        "go.jsonl",
        "{\"Time\":\"2026-03-02T09:15:00Z\",\"Action\":\"fail\",\"Package\":\"ex/p\",\"Test\":\"TestA\"}\n{\"Action\":\"fail\",\"Package\":\"ex/p\"}\n{\"Action\":\"output\",\"Package\":\"ex/q\",\"Output\":\"no database\\n\"}\n{\"Action\":\"fail\",\"Package\":\"ex/q\"}\n",
        "go test 0/2",
        &["ex/p TestA: ", "ex/q ex/q: no database"],
    ),
    (
        "results.tap",
        "TAP version 13\nnot ok 1 - a\n  ---\n  error: |-\n    Expected 3\n  at: src/a.js:7:1\n  ...\nok 2 # SKIP x\nok\n1..3\n",
        "TAP 1/1",
        &["src/a.js:7 a: Expected 3"],
    ),
    (
        "secret.tap",
        "TAP version 13\nnot ok 1 - a\n  ---\n  message: pragma rekey='p4jDMn8b9uvu6jug'\n  ...\n1..1\n",
        "TAP 0/1",
        &[" a: pragma rekey='***'"],
    ),
    (
        "counts.xml",
        "<testsuite tests=\"3\" failures=\"1\"><testcase name=\"a\"/><testcase name=\"b\"/></testsuite>",
        "JUnit 2/0",
        &[" the whole run: the report has 2 of 3 tests and 0 of 1 failures"],
    ),
    (
        "surefire.xml",
        "<testsuite><testcase name=\"a\" classname=\"org.lamp.ATest\"><failure message=\"no\">at org.junit.Assert.fail(Assert.java:89)\nat org.lamp.ATest.a(ATest.java:7)</failure></testcase></testsuite>",
        "JUnit 0/1",
        &["ATest.java:7 a: no"],
    ),
    (
        "junit.xml",
        "<testsuites><testsuite name=\"x\"><testsuite name=\"y\"><testcase name=\"a\" classname=\"A\"><system-out>b.py:1</system-out><failure><![CDATA[x && y &lt;]]> at a.py:3</failure></testcase><testcase name=\"b\"><skipped/></testcase></testsuite><testcase name=\"c\" file=\"c.py\" line=\"4\"><error message=\"&quot;no&quot;\">d.py:1</error><error message=\"again\"/></testcase><testcase name=\"d\" classname=\"D\"><failure/></testcase><testcase name=\"e\"></testcase></testsuite></testsuites>",
        "JUnit 1/3",
        &[
            "a.py:3 a: x && y &lt; at a.py:3",
            "c.py:4 c: \"no\"",
            "D d: ",
        ],
    ),
    (
        "vitest.json",
        r#"{"numTotalTests": 2, "numPassedTests": 1, "numFailedTests": 1, "testResults": [{"name": "src/a.ts", "status": "failed", "assertionResults": [{"status": "failed", "title": "b", "failureMessages": ["no\n at src/a.ts:5:1"]}]}, {"name": "src/c.ts", "status": "failed", "message": "cannot load\nsrc/c.ts:2:1", "assertionResults": []}]}"#,
        "Vitest 1/2",
        &["src/a.ts:5 b: no", "src/c.ts:2 src/c.ts: cannot load"],
    ),
    (
        "playwright.json",
        r#"{"config": {"rootDir": "/elsewhere/e2e"}, "suites": [{"title": "a.ts", "file": "a.ts", "suites": [{"title": "lamp", "file": "a.ts", "specs": [{"title": "shines", "file": "a.ts", "line": 3, "tests": [{"status": "unexpected", "results": [{"error": {"message": "late"}}]}]}, {"title": "b", "tests": [{"status": "expected"}]}]}]}], "stats": {"expected": 1, "flaky": 1, "unexpected": 1}}"#,
        "Playwright 2/1",
        &["a.ts:3 lamp › shines: late"],
    ),
    (
        ".last-run.json",
        r#"{"status": "interrupted", "failedTests": []}"#,
        "Playwright 0/0",
        &[" the whole run: the last run failed"],
    ),
];

fn as_text(suite: &TestSuite) -> (String, Vec<String>) {
    let one = |one: &TestFailure| {
        let line = one.line.map_or_else(String::new, |line| format!(":{line}"));
        let message = one.message.as_deref().unwrap_or_default();
        format!("{}{line} {}: {message}", one.file, one.test_name)
    };
    let counts = format!("{} {}/{}", suite.framework, suite.passed, suite.failed);
    (counts, suite.failures.iter().map(one).collect())
}

#[test]
fn each_kind_of_report_is_read() {
    let folder = tempfile::tempdir().unwrap();
    for (path, text, counts, failures) in SAMPLES {
        let found = read(folder.path(), Path::new(""), Path::new(path), text);
        let found = found.unwrap().unwrap_or_else(|| panic!("{path}"));
        let (found_counts, found_failures) = as_text(&found.suite);
        assert_eq!(found_counts, *counts, "{path}");
        assert_eq!(found_failures, *failures, "{path}");
    }
}

#[test]
fn a_report_that_is_cut_off_anywhere_is_read_or_not_but_nothing_fails() {
    let folder = tempfile::tempdir().unwrap();
    for (path, text, ..) in SAMPLES {
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            let found = read(folder.path(), Path::new(""), Path::new(path), &text[..end]);
            let is_whole_only = path.ends_with(".xml") || path.ends_with(".json");
            assert!(
                !is_whole_only || !matches!(found, Ok(Some(_))),
                "{path} {end}"
            );
        }
    }
    let broken = "<testsuites><testsuite></testsuites>";
    let found = read(folder.path(), Path::new(""), Path::new("a.xml"), broken);
    assert!(matches!(found, Err(CutOff)));
}

#[test]
fn other_texts_are_no_reports() {
    let folder = tempfile::tempdir().unwrap();
    for text in [
        "",
        "ok\n",
        "# a\n- [ ] b: 3 passed\n!!! Warning !!!\n",
        "FAIL is a word\n--- a line ---\n",
        "{\"level\": 30, \"msg\": \"x\"}\n{\"level\": 30}\n",
        "{\"stats\": {\"suites\": 1}}",
        "{\"status\": \"passed\", \"failedTests\": []}",
        "<coverage><line number=\"1\"/></coverage>",
    ] {
        assert!(of_output(folder.path(), text).is_none(), "{text}");
    }
}

#[test]
fn reports_are_found_in_each_directory_of_the_table() {
    let report = "<testsuite><testcase name=\"a\"/></testsuite>";
    for directory in known("reports").chain(known("run")) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let directory = root.join(directory.replace('*', "one"));
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join("x.xml"), report).unwrap();
        let found = reports(root, None, Instant::now() + COLLECT_LIMIT * 50).unwrap();
        assert_eq!(found.value.len(), 1, "{directory:?}");
        assert_eq!(found.value[0].value.suite.passed, 1, "{directory:?}");
    }
}

#[test]
fn a_linked_directory_of_reports_is_not_read() {
    let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(
        outside.path().join("a.xml"),
        "<testsuite><testcase name=\"a\"/></testsuite>",
    )
    .unwrap();
    for link in ["coverage", "target"] {
        std::os::unix::fs::symlink(outside.path(), folder.path().join(link)).unwrap();
    }
    let found = reports(folder.path(), None, Instant::now() + COLLECT_LIMIT * 50).unwrap();
    assert!(found.value.is_empty() && found.left_out.is_empty());
}

#[test]
fn a_report_of_thousands_of_failures_keeps_hundreds_and_counts_all() {
    let all = 5_000;
    let cases = |case: &dyn Fn(usize) -> String| (1..=all).map(case).collect::<String>();
    let junit = cases(&|number| {
        format!("<testcase name=\"t{number}\"><failure message=\"no\"/></testcase>\n")
    });
    let tap = cases(&|number| format!("not ok {number} - t{number}\n"));
    let go = cases(&|number| {
        format!("{{\"Action\":\"fail\",\"Package\":\"p\",\"Test\":\"T{number}\"}}\n")
    });
    for (path, text) in [
        (
            "junit.xml",
            format!("<testsuite name=\"a\">\n{junit}</testsuite>\n"),
        ),
        ("test.tap", format!("TAP version 13\n1..{all}\n{tap}")),
        ("test.json", go),
    ] {
        let (root, path) = (Path::new(""), Path::new(path));
        let suite = read(root, root, path, &text).unwrap().unwrap().suite;
        assert_eq!(
            (suite.failed, suite.failures.len()),
            (all as u64, 200),
            "{path:?}"
        );
    }
}
