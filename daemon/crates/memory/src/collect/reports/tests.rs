//! Samples of each kind of report, and where they are looked for.

use super::{CutOff, of_output, read, reports};
use crate::collect::COLLECT_LIMIT;
use crate::collect::facts::{Finding, Sourced, SuiteFacts};
use crate::collect::paths::known;
use crate::collect::project::Project;
use ccd_protocol::memory::{TestFailure, TestStatus};
use std::fs;
use std::path::Path;
use std::time::Instant;

/// A report, `FRAMEWORK PASSED/FAILED`, and its failures as `FILE:LINE NAME: MESSAGE`.
struct Sample {
    path: &'static str,
    text: String,
    counts: &'static str,
    failures: Vec<&'static str>,
}

fn samples() -> impl Iterator<Item = Sample> {
    let samples = include_str!("../../../tests/fixtures/reports.txt");
    samples.split("\n@@ ").skip(1).map(|sample| {
        let (head, rest) = sample.split_once('\n').unwrap();
        let (path, counts) = head.split_once(" = ").unwrap();
        let mut parts = rest.trim_end().split("\n@");
        Sample {
            path,
            text: parts.next().unwrap().replace('␛', "\u{1b}"),
            counts,
            failures: parts.map(|failure| failure[1..].trim_end()).collect(),
        }
    })
}

/// Returns a project that has some of the files that the samples name.
fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in [
        ("go.mod", "module ex.com/gg\n"),
        ("a_test.go", ""),
        ("src/a.test.js", ""),
    ] {
        crate::collect::tests::write(folder.path(), path, text);
    }
    folder
}

fn as_text(one: &TestFailure) -> String {
    let line = one.line.map_or_else(String::new, |line| format!(":{line}"));
    let message = one.message.as_deref().unwrap_or_default();
    let text = format!("{}{line} {}: {message}", one.file, one.test_name);
    text.trim_end().to_owned()
}

#[test]
fn each_kind_of_report_is_read() {
    let folder = project();
    for sample in samples() {
        let path = sample.path;
        let found = read(folder.path(), Path::new(""), Path::new(path), &sample.text);
        let found = found.unwrap().unwrap_or_else(|| panic!("{path}"));
        if path == "go-subtests.jsonl" {
            let start = found.last_run.as_deref();
            assert_eq!(start, Some("2026-03-02T09:15:00Z"));
        }
        let suite = found.suite;
        let counts = format!("{} {}/{}", suite.framework, suite.passed, suite.failed);
        assert_eq!(counts, sample.counts, "{path}");
        let failures: Vec<String> = suite.failures.iter().map(as_text).collect();
        assert_eq!(failures, sample.failures, "{path}");
        let is_failed = suite.failed > 0 || !failures.is_empty();
        assert_eq!(suite.status == TestStatus::Failed, is_failed, "{path}");
    }
}

#[test]
fn a_report_that_is_cut_off_anywhere_is_read_or_not_but_nothing_fails() {
    let folder = project();
    for Sample { path, text, .. } in samples() {
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
        "ok then\nnot ok at all\n",
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

fn found_in(root: &Path) -> Finding<Vec<Sourced<SuiteFacts>>> {
    let deadline = Instant::now() + COLLECT_LIMIT * 50;
    reports(&Project::find(root, deadline).unwrap(), None).unwrap()
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
        let found = found_in(root);
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
    let found = found_in(folder.path());
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
