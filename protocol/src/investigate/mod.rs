//! Investigations: what a program offers, found by asking it.

mod finding;
mod report;
#[cfg(test)]
mod report_tests;
mod state;

pub use finding::{Finding, FindingKind};
pub use report::{
    CommandReport, ErrorMessage, ExitCommand, InvestigationEnd, InvestigationReport, OptionFound,
};
pub use state::{OutputSample, ProgramState};
