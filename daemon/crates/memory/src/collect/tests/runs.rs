//! Runs of tests: where their reports and outputs are, and which belong together.

use super::{memory, with};
use ccd_protocol::memory::TestFailure;

fn place(failure: &TestFailure) -> (&str, Option<u64>, &str) {
    (&failure.file, failure.line, &failure.test_name)
}

#[test]
fn reports_are_found_where_the_settings_put_them() {
    let report = r#"<testsuite name="pytest"><testcase name="a"/><testcase name="b"/></testsuite>"#;
    let settings = r#"
pyproject.toml: [tool.pytest.ini_options] addopts = "-q --junitxml=out/tests.xml" => out/tests.xml
tox.ini: [pytest] addopts = --junit-xml out/all.xml => out/all.xml
playwright.config.ts: reporter: [['junit', { outputFile: 'out/e2e-junit.xml' }]] => out/e2e-junit.xml
vitest.config.ts: outputFile: { junit: './out/unit.xml' } => out/unit.xml
package.json: {"jest-junit": {"outputName": "ci/j.xml"}} => ci/j.xml
setup.cfg:  => test-results/run-1/a.xml
pom.xml: <project/> => core/target/surefire-reports/TEST-a.xml
settings.gradle:  => app/build/test-results/test/TEST-a.xml
x:  => report.xml"#;
    for line in settings.trim().lines() {
        let (settings, place) = line.split_once(" => ").unwrap();
        let settings = settings.split_once(": ").unwrap();
        let folder = with(&[
            settings,
            ("core/pom.xml", "<project/>"),
            ("app/build.gradle", ""),
            (place, report),
        ]);
        let tests = memory(folder.path()).test_results;
        assert_eq!(tests.unit.passed + tests.e2e.passed, 2, "{line}");
    }
}

#[test]
fn saved_output_in_the_project_itself_is_found_by_its_name() {
    let output = "========= 1 failed, 3 passed in 0.12s =========\n";
    for (name, failed) in [
        ("pytest.log", 1),
        ("cargo-test.log", 1),
        ("go-test.txt", 1),
        ("my-tests.txt", 1),
        ("Test.LOG", 1),
        ("notes.txt", 0),
        // Without a manifest it is no package.
        ("packages/x/.turbo/turbo-test.log", 0),
    ] {
        let found = memory(with(&[(name, output)]).path());
        assert_eq!(found.test_results.unit.failed, failed, "{name}");
    }
}

#[test]
fn packages_that_were_tested_together_are_one_run() {
    let passed = "<testsuite><testcase name=\"a\"/></testsuite>";
    let failed = "<testsuite><testcase name=\"a\"/><testcase name=\"b\" file=\"src/b.ts\"><failure message=\"no\"/></testcase></testsuite>";
    let folder = with(&[
        ("packages/one/package.json", "{}"),
        ("packages/one/junit.xml", passed),
        ("packages/two/package.json", "{}"),
        ("packages/two/junit.xml", failed),
        ("packages/two/src/b.ts", ""),
        ("frontend/package.json", "{}"),
        ("frontend/junit.xml", passed),
        ("not-a-package/junit.xml", passed),
    ]);
    let unit = memory(folder.path()).test_results.unit;
    assert_eq!((unit.passed, unit.failed), (3, 1));
    let expected = ("packages/two/src/b.ts", None, "b");
    assert_eq!(place(&unit.failures[0]), expected);
}

#[test]
fn what_playwright_keeps_of_a_failed_test_names_it() {
    let run = r#"{"status": "failed", "failedTests": ["a-1"]}"#;
    let context = "# Instructions\n\n- Following Playwright test failed.\n\n# Test info\n\n- Name: lamp.spec.ts >> lamp >> shines\n- Location: tests/lamp.spec.ts:3:1\n\n# Error details\n\n```\nError: no light\n\nExpected: 3\n```\n";
    let folder = with(&[
        ("test-results/.last-run.json", run),
        ("test-results/lamp-shines/error-context.md", context),
        ("test-results/lamp-shines-retry1/error-context.md", context),
    ]);
    let failures = memory(folder.path()).test_results.e2e.failures;
    let [whole, shines] = &*failures else {
        panic!("{failures:?}");
    };
    let said = [whole, shines].map(|one| one.message.as_deref().unwrap());
    assert_eq!(said, ["1 test of the last run failed", "Error: no light"]);
    assert_eq!(place(whole), ("", None, "the whole run"));
    let expected = ("tests/lamp.spec.ts", Some(3), "lamp › shines");
    assert_eq!(place(shines), expected);
}

#[test]
fn a_class_of_java_is_a_file_of_its_module() {
    let report = r#"<testsuite><testcase name="a" classname="org.lamp.ATest"><failure message="no">at org.lamp.ATest.a(ATest.java:7)</failure></testcase></testsuite>"#;
    let file = "core/src/test/java/org/lamp/ATest.java";
    let folder = with(&[
        ("core/pom.xml", "<project/>"),
        (file, ""),
        (
            "core/target/surefire-reports/TEST-org.lamp.ATest.xml",
            report,
        ),
    ]);
    let failures = memory(folder.path()).test_results.unit.failures;
    assert_eq!(place(&failures[0]), (file, Some(7), "a"));
}
