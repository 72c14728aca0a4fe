//! The report of a run of tests.

use super::result::TestResult;
use serde::{Deserialize, Serialize};

/// All results of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TestReport {
    /// A UUID.
    pub id: String,
    pub program: String,
    #[serde(default)]
    pub args: Vec<String>,
    pub started_at: String,
    pub completed_at: String,
    /// Seed of the random inputs: as long as the commands of the program are the same, the same seed sends the same inputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    pub results: Vec<TestResult>,
    pub summary: TestSummary,
}

/// How many tests passed and failed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TestSummary {
    pub total: u32,
    pub passed: u32,
    pub failed: u32,
}

impl TestSummary {
    /// Counts results.
    #[must_use]
    pub fn of(results: &[TestResult]) -> Self {
        let count = |passed: bool| {
            results
                .iter()
                .filter(|result| result.passed == passed)
                .count()
        };
        let [passed, failed] =
            [true, false].map(|passed| u32::try_from(count(passed)).unwrap_or(u32::MAX));
        Self {
            total: passed.saturating_add(failed),
            passed,
            failed,
        }
    }
}
