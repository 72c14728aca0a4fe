//! Parameters and replies of the methods `test.*`.

use super::report::{TestReport, TestSummary};
use super::result::TestType;
use crate::named::named;
use crate::{Limits, Umask};
use serde::{Deserialize, Serialize};
use serde_with::{apply, skip_serializing_none};
use std::collections::BTreeMap;

/// Parameters of `test.run`.
#[apply(_ => #[serde(default, skip_serializing_if = "crate::is_default")])]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TestRunParams {
    /// Program to test; looked up on the caller's PATH if it contains no slash.
    #[serde_with(skip_apply)]
    pub program: String,
    pub args: Vec<String>,
    /// Absolute directory in which `program` and relative paths among `args` are looked up. The program itself runs in an
    /// empty directory, which is deleted afterwards.
    pub cwd: Option<String>,
    pub env: BTreeMap<String, String>,
    /// As in `session.create`.
    pub caller_env: Option<BTreeMap<String, String>>,
    /// As in `session.create`.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub umask: Option<Umask>,
    /// As `limits` in `session.create`.
    pub caller_limits: Limits,
    /// Tests to run. Default: all seven.
    pub types: Vec<TestType>,
    /// Seed of the random inputs. Default: a random one, which the report has.
    pub seed: Option<u64>,
    /// A report of the same program, by id, unique prefix, name of its file, or absolute path. Findings that are also in it
    /// are marked as known, and fail no test.
    pub baseline: Option<String>,
    pub limits: TestLimits,
}

/// Limits of a run of tests. Default of each: the configuration key `testing.` with its name.
#[skip_serializing_none]
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TestLimits {
    /// Peak memory of all processes of the program in MB, above which `resource` fails.
    pub memory_mb: Option<u64>,
    /// Processor time of all processes while nothing is typed, in percent of one processor, above which `resource` fails.
    pub cpu_percent: Option<u64>,
    /// Copies that `concurrent` runs at the same time, at most 32.
    pub copies: Option<u64>,
    /// Number of random inputs of `fuzz`, at most 10,000,000.
    pub fuzz_inputs: Option<u64>,
    /// Time limit of the whole run in seconds (`testing.timeout`). At the limit, tests that have not finished fail, and
    /// those that have not begun are missing from the report.
    pub timeout_s: Option<f64>,
}

/// Progress of the job of a run of tests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TestProgress {
    /// The test that reports its progress; several may run at a time.
    pub test: TestType,
    /// Number of its steps that are done, such as inputs.
    pub done: u64,
    /// Number of all its steps.
    pub of: u64,
    /// Number of its findings so far.
    pub findings: u64,
}

/// Result of the job of a run of tests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TestJobResult {
    /// Id of the report.
    pub id: String,
    /// The file of the report.
    pub path: String,
    pub report: TestReport,
}

/// Reply of `test.list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TestListReply {
    /// Newest first.
    pub reports: Vec<TestReportSummary>,
    /// Files in the directory of reports that are not reports.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Summary of a report of tests.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TestReportSummary {
    pub id: String,
    pub program: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    pub started_at: String,
    pub completed_at: String,
    pub summary: TestSummary,
    /// The tests that failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<TestType>,
    /// The file of the report.
    pub path: String,
    /// Size of the file.
    pub bytes: u64,
}

/// Parameters of `test.get`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TestGetParams {
    /// Id, a unique prefix of it (at least 4 characters), the name of the report's file, or a program, for its newest
    /// report.
    pub report: String,
    /// Default: `json`.
    #[serde(default)]
    pub format: TestFormat,
}

named! {
    /// The format of a report of tests.
    #[derive(Default)]
    TestFormat {
        /// Only the members of the report.
        #[default]
        Json = "json",
        /// JUnit XML, which CI systems read.
        Junit = "junit",
        /// One HTML file with the input and the screen of each finding.
        Html = "html",
    }
}

/// Reply of `test.get`: the report, and in the formats `junit` and `html` also its text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TestGetReply {
    #[serde(flatten)]
    pub report: TestReport,
    /// The report as JUnit XML or HTML; absent if `format` is `json`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}
