//! Black-box tests: how a program behaves under inputs that it may not expect.

mod records;
mod report;
#[cfg(test)]
mod report_tests;
mod result;

use crate::investigate::{
    ReportCleanupParams, ReportCleanupReply, ReportDeleteReply, ReportListParams, ReportParams,
};
use crate::method::methods;
pub use records::{
    TestFormat, TestGetParams, TestGetReply, TestJobResult, TestLimits, TestListReply,
    TestProgress, TestReportSummary, TestRunParams, TestStarted,
};
pub use report::{TestReport, TestSummary};
pub use result::{TestResult, TestType};

methods! {
    TestRun = "test.run" (TestRunParams) -> TestStarted, "Starts a job that tests a program with inputs that it may not expect. The report is kept in `test-reports/` in the base directory, also if the job is cancelled.";
    TestList = "test.list" (ReportListParams) -> TestListReply, "Lists the reports of tests, newest first.";
    TestGet = "test.get" (TestGetParams) -> TestGetReply, "Returns a report of tests, also as JUnit XML or as a page.";
    TestDelete = "test.delete" (ReportParams) -> ReportDeleteReply, "Deletes a report of tests.";
    TestCleanup = "test.cleanup" (ReportCleanupParams) -> ReportCleanupReply, "Deletes old reports of tests.";
}
