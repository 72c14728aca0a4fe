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
use ccd_protocol::memory::TestStatus;
use regex::Regex;

pub(super) use collector::{ReportCollector, reports};
pub(super) use output::of_output;

fn pattern(pattern: &str) -> Regex {
    #[expect(clippy::unwrap_used, reason = "each is compiled by the tests")]
    Regex::new(pattern).unwrap()
}

/// Fills in what follows from the counts.
fn finish(mut facts: SuiteFacts) -> SuiteFacts {
    let suite = &mut facts.suite;
    suite.total = suite.passed + suite.failed;
    suite.percentage = percentage(suite.passed, suite.total);
    suite.status = match (suite.failed, suite.total) {
        (0, 0) => TestStatus::NotRun,
        (0, _) => TestStatus::Passed,
        _ => TestStatus::Failed,
    };
    facts
}
