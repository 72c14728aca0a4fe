//! Reports of test runs: where they are, and what each kind says.

mod collector;
mod go;
mod javascript;
mod junit;
mod output;
mod place;
mod tap;

use super::facts::SuiteFacts;
use crate::model::percentage;
use ccd_protocol::memory::{TestFailure, TestStatus};
use regex::Regex;

pub(super) use collector::{ReportCollector, reports};
pub(super) use output::of_output;

fn pattern(pattern: &str) -> Regex {
    #[expect(clippy::unwrap_used, reason = "each is compiled by the tests")]
    Regex::new(pattern).unwrap()
}

/// Stands for the name of a test where the run itself failed.
pub(super) const WHOLE_RUN: &str = "the whole run";

/// Fills in what follows from the counts.
fn finish(mut facts: SuiteFacts) -> SuiteFacts {
    let suite = &mut facts.suite;
    suite.total = suite.passed + suite.failed;
    suite.percentage = percentage(suite.passed, suite.total);
    suite.status = match (suite.failed, suite.total, &facts.broken) {
        (0, 0, None) => TestStatus::NotRun,
        (0, _, None) => TestStatus::Passed,
        _ => TestStatus::Failed,
    };
    if let Some(why) = facts.broken.take() {
        let whole = TestFailure {
            test_name: WHOLE_RUN.to_owned(),
            message: place::message(&why),
            ..TestFailure::default()
        };
        facts.suite.failures.insert(0, whole);
    }
    facts
}
