//! JUnit XML.

use super::evidence::findings;
use ccd_protocol::black_box::{TestReport, TestResult};
use ccd_text::clock;
use quick_junit::{NonSuccessKind, Property, Report, TestCase, TestCaseStatus, TestSuite};
use std::time::Duration;

/// Returns a report as JUnit XML: one suite, with a case for each result.
///
/// # Errors
///
/// The message of the XML writer.
pub fn junit(report: &TestReport) -> Result<String, String> {
    let words = std::iter::once(&report.program).chain(&report.args);
    let name: Vec<String> = words.map(|word| ccd_text::shell::quoted(word)).collect();
    let mut suite = TestSuite::new(name.join(" "));
    suite
        .extra
        .insert("timestamp".into(), report.started_at.as_str().into());
    if let Some(time) = between(&report.started_at, &report.completed_at) {
        suite.set_time(time);
    }
    if let Some(seed) = report.seed {
        suite.add_property(Property::new("seed", seed.to_string()));
    }
    suite.add_test_cases(report.results.iter().map(case));
    let mut document = Report::new("ccd");
    document.add_test_suite(suite);
    document.to_string().map_err(|error| error.to_string())
}

fn case(result: &TestResult) -> TestCase {
    let found = findings(result);
    let status = match result.passed {
        true => TestCaseStatus::success(),
        false => {
            let error = result.error.as_deref().unwrap_or("failed");
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message(error).set_type(result.test_type.name());
            let mut lines = vec![error.to_owned()];
            for one in &found {
                lines.push(one.line());
                lines.extend(one.input.iter().map(|input| format!("  input: {input:?}")));
                lines.extend(one.tape.iter().map(|tape| format!("  tape: {tape}")));
            }
            status.set_description(lines.join("\n"));
            status
        }
    };
    let mut case = TestCase::new(result.test_type.name(), status);
    case.set_classname(result.program.as_str());
    if let Some(ms) = result.details.get("duration_ms").and_then(|ms| ms.as_u64()) {
        case.set_time(Duration::from_millis(ms));
    }
    if let Ok(details) = serde_json::to_string_pretty(&result.details) {
        case.set_system_out(details);
    }
    case
}

/// Returns how long after `start` `end` is.
fn between(start: &str, end: &str) -> Option<Duration> {
    let seconds = clock::age_s(start)? - clock::age_s(end)?;
    Duration::try_from_secs_f64(seconds).ok()
}
