//! Black-box tests: how a program behaves with unexpected inputs.

mod records;
mod report;
#[cfg(test)]
mod report_tests;
mod result;

use crate::investigate::{
    ReportCleanupParams, ReportCleanupReply, ReportDeleteReply, ReportListParams, ReportParams,
};
use crate::method::{JobStarted, methods};
pub use records::{
    TestFormat, TestGetParams, TestGetReply, TestJobResult, TestLimits, TestListReply,
    TestProgress, TestReportSummary, TestRunParams,
};
pub use report::{TestReport, TestSummary};
pub use result::{TestResult, TestType};

methods! {
    TestRun = "test.run" (TestRunParams) -> JobStarted, "Starts a job that tests a program with unexpected inputs. The report is stored in `test-reports/` in the base directory, even if the job is cancelled. The job's progress is a TestProgress and its result a TestJobResult; a cancelled or failed job has one too, unless its report could not be written or the daemon stopped.";
    TestList = "test.list" (ReportListParams) -> TestListReply, "Lists the reports of tests, newest first.", Large;
    TestGet = "test.get" (TestGetParams) -> TestGetReply, "Returns a report of tests, also as JUnit XML or HTML.", Large;
    TestDelete = "test.delete" (ReportParams) -> ReportDeleteReply, "Deletes a report of tests.";
    TestCleanup = "test.cleanup" (ReportCleanupParams) -> ReportCleanupReply, "Deletes old reports of tests.";
}
