//! Runs of tests: what their reports and outputs say, and where they are.

use super::bad_input::{saved, write};
use ccd_protocol::memory::{TestStatus, TestSuite};

/// A name, a text, and passed, failed, and the message if the whole run failed.
type Row = (&'static str, &'static str, u64, u64, Option<&'static str>);

const RUNS: &[Row] = &[
    (
        "pytest.log",
        "tests/test_a.py .\nINTERNALERROR> Traceback\nINTERNALERROR> ValueError: boom\n\n=== 1 passed in 0.01s ===\n",
        1,
        0,
        Some("ValueError: boom"),
    ),
    (
        "pytest.log",
        "!!!! KeyboardInterrupt !!!!\n/a/b.py:3: KeyboardInterrupt\n=== 2 passed in 0.10s ===\n",
        2,
        0,
        Some("KeyboardInterrupt"),
    ),
    (
        "pytest.log",
        "..F\n1 failed, 2 passed in 0.05s\n",
        2,
        1,
        None,
    ),
    (
        "pytest.log",
        "\u{1b}[31mFAILED\u{1b}[0m tests/test_a.py::\u{1b}[1mtest_x\u{1b}[0m - x\n\u{1b}[31m==== \u{1b}[1m1 failed\u{1b}[0m, \u{1b}[32m3 passed\u{1b}[0m\u{1b}[31m in 0.12s\u{1b}[0m\u{1b}[31m ====\u{1b}[0m\n",
        3,
        1,
        None,
    ),
    (
        "results.tap",
        "1..4\nok 1\nBail out! db\n",
        1,
        0,
        Some("Bail out! db"),
    ),
    (
        "results.tap",
        "1..4\nok 1\nok 2\n",
        2,
        0,
        Some("the plan has 4 tests, and 2 have results"),
    ),
    (
        "go-test.log",
        "--- PASS: TestA (0.00s)\npanic: boom\n\ngoroutine 1 [running]:\nFAIL\tex/p\t0.01s\n",
        1,
        1,
        None,
    ),
    (
        "jest-results.json",
        r#"{"numTotalTests": 1, "numPassedTests": 1, "numFailedTests": 0, "success": false, "testResults": []}"#,
        1,
        0,
        Some("the report says that the run was no success"),
    ),
    (
        "report.xml",
        r#"<testsuite><error message="no database"/><testcase name="a"/></testsuite>"#,
        1,
        0,
        Some("no database"),
    ),
    (
        "cargo-test.log",
        "error[E0308]: mismatched types\nerror: could not compile `x` (lib test) due to 1 previous error\n",
        0,
        0,
        Some("could not compile `x` (lib test) due to 1 previous error"),
    ),
    (
        "cargo-test.log",
        "test result: ok. 3 passed; 0 failed; 0 ignored\nerror: test failed\n  process didn't exit successfully: `/x` (signal: 6, SIGABRT: process abort signal)\n",
        3,
        0,
        Some("signal: 6, SIGABRT: process abort signal"),
    ),
    (
        "cargo-test.log",
        "test result: ok. 3 passed; 0 failed; 0 ignored\n",
        3,
        0,
        None,
    ),
];

fn unit(name: &str, text: &str) -> TestSuite {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), name, text);
    saved(folder.path()).0.test_results.unit
}

#[test]
fn a_run_that_failed_as_a_whole_is_failed() {
    for (name, text, passed, failed, broken) in RUNS {
        let suite = unit(name, text);
        assert_eq!(
            (suite.passed, suite.failed),
            (*passed, *failed),
            "{name}: {text}"
        );
        let is_failed = suite.status == TestStatus::Failed;
        assert_eq!(is_failed, broken.is_some() || *failed > 0, "{name}: {text}");
        let whole = suite
            .failures
            .iter()
            .find(|one| one.test_name == "the whole run");
        let why = whole.and_then(|whole| whole.message.as_deref());
        assert_eq!(why, *broken, "{name}: {text}");
    }
    let folder = tempfile::tempdir().unwrap();
    let report = r#"{"config": {}, "suites": [], "errors": [{"message": "no server"}], "stats": {"expected": 2, "unexpected": 0, "flaky": 0}}"#;
    write(folder.path(), "playwright-report/results.json", report);
    let e2e = saved(folder.path()).0.test_results.e2e;
    assert_eq!(e2e.status, TestStatus::Failed);
    assert_eq!(e2e.failures[0].message.as_deref(), Some("no server"));
}

#[test]
fn failures_of_pytest_may_have_blanks_or_be_of_a_whole_file() {
    let text = "FAILED tests/test_a.py::test_par[a b] - assert 1 == 2\nERROR tests/test_b.py - ImportError: x\nERROR tests/test_c.py\n=== 1 failed, 2 errors in 0.10s ===\n";
    let suite = unit("pytest.log", text);
    let names: Vec<&str> = suite.failures.iter().map(|one| &*one.test_name).collect();
    assert_eq!(
        names,
        ["test_par[a b]", "tests/test_b.py", "tests/test_c.py"]
    );
    assert_eq!(suite.failures[0].message.as_deref(), Some("assert 1 == 2"));
}

#[test]
fn reports_are_found_where_the_settings_put_them() {
    let report = r#"<testsuite name="pytest"><testcase name="a"/><testcase name="b"/></testsuite>"#;
    for (settings, text, place) in [
        (
            "pyproject.toml",
            "[tool.pytest.ini_options]\naddopts = \"-q --junitxml=out/tests.xml\"\n",
            "out/tests.xml",
        ),
        (
            "tox.ini",
            "[pytest]\naddopts = --junit-xml out/all.xml\n",
            "out/all.xml",
        ),
        (
            "playwright.config.ts",
            "reporter: [['junit', { outputFile: 'out/e2e-junit.xml' }]]",
            "out/e2e-junit.xml",
        ),
        (
            "vitest.config.ts",
            "outputFile: { junit: './out/unit.xml' }",
            "out/unit.xml",
        ),
        (
            "package.json",
            r#"{"jest-junit": {"outputName": "ci/j.xml"}}"#,
            "ci/j.xml",
        ),
        ("setup.cfg", "", "test-results/run-1/a.xml"),
        (
            "pom.xml",
            "<project/>",
            "core/target/surefire-reports/TEST-a.xml",
        ),
        (
            "settings.gradle",
            "",
            "app/build/test-results/test/TEST-a.xml",
        ),
        ("x", "", "report.xml"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), settings, text);
        write(folder.path(), "core/pom.xml", "<project/>");
        write(folder.path(), "app/build.gradle", "");
        write(folder.path(), place, report);
        let tests = saved(folder.path()).0.test_results;
        assert_eq!(tests.unit.passed + tests.e2e.passed, 2, "{place}");
    }
}

#[test]
fn packages_that_were_tested_together_are_one_run() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let report =
        |failures: &str| format!("<testsuite><testcase name=\"a\"/>{failures}</testsuite>");
    for (package, failures) in [
        ("packages/one", ""),
        (
            "packages/two",
            "<testcase name=\"b\" file=\"src/b.ts\"><failure message=\"no\"/></testcase>",
        ),
        ("frontend", ""),
    ] {
        write(root, format!("{package}/package.json"), "{}");
        let report = report(failures);
        write(root, format!("{package}/junit.xml"), &report);
    }
    write(root, "packages/two/src/b.ts", "");
    write(root, "not-a-package/junit.xml", &report(""));
    let unit = saved(root).0.test_results.unit;
    assert_eq!((unit.passed, unit.failed), (3, 1));
    let failure = &unit.failures[0];
    assert_eq!(
        (&*failure.test_name, &*failure.file),
        ("b", "packages/two/src/b.ts")
    );
}

#[test]
fn the_last_run_of_playwright_says_that_it_failed() {
    let folder = tempfile::tempdir().unwrap();
    let run = r#"{"status": "failed", "failedTests": ["a-1", "b-2"]}"#;
    write(folder.path(), "test-results/.last-run.json", run);
    let e2e = saved(folder.path()).0.test_results.e2e;
    assert_eq!(e2e.status, TestStatus::Failed);
    let said = e2e.failures[0].message.as_deref();
    assert_eq!(said, Some("2 tests of the last run failed"));
}

#[test]
fn what_playwright_keeps_of_a_failed_test_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let run = r#"{"status": "failed", "failedTests": ["a-1"]}"#;
    write(folder.path(), "test-results/.last-run.json", run);
    let context = "# Instructions\n\n- Following Playwright test failed.\n\n# Test info\n\n- Name: lamp.spec.ts >> lamp >> shines\n- Location: tests/lamp.spec.ts:3:1\n\n# Error details\n\n```\nError: no light\n\nExpected: 3\n```\n";
    for retry in ["", "-retry1"] {
        let path = format!("test-results/lamp-shines{retry}/error-context.md");
        write(folder.path(), path, context);
    }
    let failures = saved(folder.path()).0.test_results.e2e.failures;
    let failures: Vec<_> = failures
        .iter()
        .map(|one| {
            (
                &*one.file,
                one.line,
                &*one.test_name,
                one.message.as_deref(),
            )
        })
        .collect();
    let whole = (
        "",
        None,
        "the whole run",
        Some("1 test of the last run failed"),
    );
    let shines = (
        "tests/lamp.spec.ts",
        Some(3),
        "lamp › shines",
        Some("Error: no light"),
    );
    assert_eq!(failures, [whole, shines]);
}

#[test]
fn a_class_of_java_is_a_file_of_its_module() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let report = r#"<testsuite><testcase name="a" classname="org.lamp.ATest"><failure message="no">at org.lamp.ATest.a(ATest.java:7)</failure></testcase></testsuite>"#;
    write(root, "core/pom.xml", "<project/>");
    write(root, "core/src/test/java/org/lamp/ATest.java", "");
    write(
        root,
        "core/target/surefire-reports/TEST-org.lamp.ATest.xml",
        report,
    );
    let failure = &saved(root).0.test_results.unit.failures[0];
    let place = (&*failure.file, failure.line);
    assert_eq!(place, ("core/src/test/java/org/lamp/ATest.java", Some(7)));
}

#[test]
fn what_vitest_prints_names_its_failures() {
    let text = " FAIL  src/a.spec.ts > lamp > shines\nAssertionError: expected 1 to be 2\n ❯ src/a.spec.ts:12:5\n\n Test Files  1 failed (1)\n      Tests  1 failed | 19 passed (20)\n";
    let suite = unit("packages/x/.turbo/turbo-test.log", text);
    assert_eq!(suite.passed, 0, "without a manifest it is no package");
    let suite = unit("vitest-output.log", text);
    assert_eq!((suite.passed, suite.failed), (19, 1));
    let failure = &suite.failures[0];
    assert_eq!(
        (&*failure.file, &*failure.test_name),
        ("src/a.spec.ts", "lamp > shines")
    );
    assert_eq!(
        failure.message.as_deref(),
        Some("AssertionError: expected 1 to be 2")
    );
}
