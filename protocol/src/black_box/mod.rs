//! Black-box tests: how a program behaves under inputs that it may not expect.

mod report;
#[cfg(test)]
mod report_tests;
mod result;

pub use report::{TestReport, TestSummary};
pub use result::{TestResult, TestType};
