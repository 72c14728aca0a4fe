//! Findings that are known: a later run of tests reports only what is new.

use crate::reports::{ReportError, Reports};
use crate::test_pages::{ReportedFinding, findings};
use ccd_protocol::black_box::{TestReport, TestResult, TestSummary};
use ccd_protocol::{ErrorCode, Reportable};
use serde_json::Value;
use std::path::Path;

/// The member of a result's details with the error of a test that only failed by what is known.
const KNOWN_ERROR: &str = "known_error";

#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    #[error("the baseline {which:?} cannot be used: {source}")]
    Unreadable { which: String, source: ReportError },
    #[error("the baseline {which:?} is a report of {theirs}, not of {ours}")]
    OtherProgram {
        which: String,
        theirs: String,
        ours: String,
    },
}

impl Reportable for BaselineError {
    fn code(&self) -> ErrorCode {
        ErrorCode::BaselineInvalid
    }

    fn hint(&self) -> Option<&str> {
        Some("ccctl test list shows the reports")
    }
}

/// A report whose findings are known.
#[derive(Debug)]
pub struct Baseline(TestReport);

impl Baseline {
    /// Reads the report with this id, unique prefix, file name or absolute path. Blocks.
    pub fn load(
        reports: &Reports<TestReport>,
        which: &str,
        program: &str,
    ) -> Result<Self, BaselineError> {
        let saved = reports.get_anywhere(which);
        let report = saved.map_err(|source| BaselineError::Unreadable {
            which: which.to_owned(),
            source,
        })?;
        let report = report.report;
        if file_name(&report.program) != file_name(program) {
            return Err(BaselineError::OtherProgram {
                which: which.to_owned(),
                theirs: report.program,
                ours: program.to_owned(),
            });
        }
        Ok(Self::new(report))
    }

    #[must_use]
    pub fn new(report: TestReport) -> Self {
        Self(report)
    }

    /// Marks what is known in `report`: a test with known findings alone has passed. Returns how many are known.
    pub fn apply(&self, report: &mut TestReport) -> u64 {
        let known = report.results.iter_mut().map(|result| self.mark(result));
        let known = known.sum();
        report.summary = TestSummary::of(&report.results);
        known
    }

    fn mark(&self, result: &mut TestResult) -> u64 {
        let same_test = |known: &&TestResult| known.test_type == result.test_type;
        let known_results: Vec<&TestResult> = self.0.results.iter().filter(same_test).collect();
        let known_findings: Vec<ReportedFinding> = known_results
            .iter()
            .flat_map(|known| findings(known))
            .collect();
        let list = result.details.get_mut("findings");
        let list = list.and_then(Value::as_array_mut).into_iter().flatten();
        let (mut known, mut new) = (0, 0);
        for finding in list.filter_map(Value::as_object_mut) {
            let found = ReportedFinding::from_details(finding);
            if known_findings.iter().any(|other| is_same(&found, other)) {
                finding.insert("known".to_owned(), true.into());
                known += 1;
            } else {
                new += 1;
            }
        }
        // A test that fails without a finding, such as one of help, fails by its error.
        let error = |one: &TestResult| one.error.clone().or_else(|| known_error(one));
        let is_known_error = result.error.is_some()
            && known_results
                .iter()
                .any(|other| error(other) == result.error);
        let is_known = match known + new {
            0 => is_known_error,
            _ => new == 0,
        };
        if !result.passed && is_known {
            result.passed = true;
            let error = result.error.take().unwrap_or_default();
            result.details.insert(KNOWN_ERROR.to_owned(), error.into());
        }
        known
    }
}

fn known_error(result: &TestResult) -> Option<String> {
    result.details.get(KNOWN_ERROR)?.as_str().map(str::to_owned)
}

/// The input or the message of the same fault may differ from run to run, but not both.
fn is_same(a: &ReportedFinding, b: &ReportedFinding) -> bool {
    let same = |a: &Option<String>, b: &Option<String>| a.is_some() && a == b;
    a.kind == b.kind
        && (same(&a.message, &b.message)
            || same(&a.input, &b.input)
            || same(&a.input_b64, &b.input_b64))
}

fn file_name(program: &str) -> Option<&std::ffi::OsStr> {
    Path::new(program).file_name()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccd_protocol::black_box::TestType;
    use serde_json::json;

    fn result(test_type: TestType, error: Option<&str>, details: Value) -> TestResult {
        TestResult {
            id: String::new(),
            program: "mock".to_owned(),
            timestamp: String::new(),
            test_type,
            passed: error.is_none(),
            details: details.as_object().cloned().unwrap(),
            error: error.map(str::to_owned),
        }
    }

    fn report(results: Vec<TestResult>) -> TestReport {
        TestReport {
            id: "aaaa1".to_owned(),
            program: "/opt/mock".to_owned(),
            args: Vec::new(),
            started_at: "2025-01-01T00:00:00.000Z".to_owned(),
            completed_at: String::new(),
            seed: None,
            summary: TestSummary::of(&results),
            results,
        }
    }

    fn fuzz(findings: Value) -> TestResult {
        result(
            TestType::Fuzz,
            Some("findings"),
            json!({"findings": findings}),
        )
    }

    #[test]
    fn known_findings_fail_no_test_and_new_ones_do() {
        let crash = json!({"kind": "crash", "input": "boom", "message": "ended by SIGSEGV"});
        let baseline = Baseline::new(report(vec![
            fuzz(json!([crash])),
            result(TestType::Help, Some("no help"), json!({})),
        ]));
        for (finding, is_known) in [
            (
                json!({"kind": "crash", "input": "boom2", "message": "ended by SIGSEGV"}),
                true,
            ),
            (
                json!({"kind": "crash", "input": "boom", "message": "ended by SIGABRT"}),
                true,
            ),
            (
                json!({"kind": "hang", "input": "boom", "message": "ended by SIGSEGV"}),
                false,
            ),
            (
                json!({"kind": "crash", "input": "x", "message": "y"}),
                false,
            ),
            (json!({"kind": "crash"}), false),
        ] {
            let mut now = report(vec![fuzz(json!([finding]))]);
            assert_eq!(baseline.apply(&mut now), u64::from(is_known), "{finding}");
            assert_eq!(now.results[0].passed, is_known, "{finding}");
            assert_eq!(now.summary.passed, u32::from(is_known));
            assert_eq!(findings(&now.results[0])[0].known, is_known);
            assert_eq!(now.results[0].error.is_none(), is_known);
        }
        let mut mixed = report(vec![fuzz(json!([crash, {"kind": "hang"}]))]);
        assert_eq!(baseline.apply(&mut mixed), 1);
        assert!(!mixed.results[0].passed);
        // The same finding in another test is new.
        let mut other = report(vec![result(
            TestType::InvalidInput,
            Some("findings"),
            json!({"findings": [crash]}),
        )]);
        assert_eq!(baseline.apply(&mut other), 0);
        assert!(!other.results[0].passed);
    }

    #[test]
    fn a_known_error_stays_known_over_several_baselines() {
        let first = Baseline::new(report(vec![result(
            TestType::Help,
            Some("no help"),
            json!({}),
        )]));
        let mut second = report(vec![result(TestType::Help, Some("no help"), json!({}))]);
        first.apply(&mut second);
        assert!(second.results[0].passed);
        assert_eq!(second.results[0].details["known_error"], "no help");
        let mut third = report(vec![result(TestType::Help, Some("no help"), json!({}))]);
        Baseline::new(second).apply(&mut third);
        assert!(third.results[0].passed);
        let mut other = report(vec![result(TestType::Help, Some("it hangs"), json!({}))]);
        first.apply(&mut other);
        assert!(!other.results[0].passed);
    }

    #[test]
    fn a_baseline_is_a_report_of_the_same_program_here_or_elsewhere() {
        let base = tempfile::tempdir().unwrap();
        let reports = Reports::<TestReport>::new(base.path());
        let path = reports.save(&report(Vec::new())).unwrap();
        let elsewhere = base.path().join("known.json");
        std::fs::copy(&path, &elsewhere).unwrap();
        for which in ["aaaa1", elsewhere.to_str().unwrap()] {
            assert!(Baseline::load(&reports, which, "mock").is_ok(), "{which}");
            let other = Baseline::load(&reports, which, "bc").unwrap_err();
            assert_eq!(other.code(), ErrorCode::BaselineInvalid);
        }
        std::fs::write(&elsewhere, "{}").unwrap();
        for which in ["bbbb", elsewhere.to_str().unwrap()] {
            assert!(Baseline::load(&reports, which, "mock").is_err(), "{which}");
        }
    }
}
