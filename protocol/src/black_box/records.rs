//! Parameters and replies of the methods `test.*`.

use super::report::{TestReport, TestSummary};
use super::result::TestType;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Parameters of `test.run`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TestRunParams {
    /// Program to test; looked up on the caller's PATH if it contains no slash.
    pub program: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Directory in which the program is looked up, absolute. It runs in a directory of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// As in `session.create`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller_env: Option<BTreeMap<String, String>>,
    /// Default: all seven.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<TestType>,
    /// The seed of random inputs. Default: a random one, which the report names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// A report, by id, unique prefix, name of its file, or absolute path: its findings are marked as known, and fail no
    /// test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub limits: TestLimits,
}

/// Limits of a run of tests. Default of each: the configuration key `testing.` with its name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TestLimits {
    /// Peak memory of all processes of the program, in MB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_mb: Option<u64>,
    /// Processor time of all processes, in percent of one processor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_percent: Option<u64>,
    /// Copies that run at the same time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copies: Option<u64>,
    /// Number of random inputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fuzz_inputs: Option<u64>,
    /// Time limit of the whole run in seconds: the configuration key `testing.timeout`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_s: Option<f64>,
}

/// Reply of `test.run`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TestStarted {
    /// Its progress is a TestProgress, its result a TestJobResult, also if the job was cancelled or failed after the program
    /// had been started.
    pub job: String,
}

/// Progress of the job of a run of tests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TestProgress {
    pub test: TestType,
    /// Steps of this test, such as inputs.
    pub done: u64,
    pub of: u64,
    /// Number of findings so far.
    pub findings: u64,
}

/// Result of the job of a run of tests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TestJobResult {
    pub id: String,
    /// The file of the report.
    pub path: String,
    pub report: TestReport,
}

/// Reply of `test.list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TestListReply {
    /// Newest first.
    pub reports: Vec<TestReportSummary>,
    /// Files in the directory of reports that are not reports.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A report of tests, in a few words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// The file of the report, and its size.
    pub path: String,
    pub bytes: u64,
}

/// Parameters of `test.get`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TestGetParams {
    /// Id, a unique prefix of it (at least 4 characters), or the name of the report's file.
    pub report: String,
    #[serde(default, deserialize_with = "crate::spelling::any_case")]
    pub format: TestFormat,
}

/// The form of a report of tests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum TestFormat {
    #[default]
    Json,
    /// JUnit XML, which CI systems read.
    Junit,
    /// One page without other files, with a picture of each finding.
    Html,
}

/// Reply of `test.get`: the report, and in the formats `junit` and `html` also its text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TestGetReply {
    #[serde(flatten)]
    pub report: TestReport,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}
