//! Investigations: what a program offers, found by asking it.

mod diff;
mod finding;
mod records;
mod report;
#[cfg(test)]
mod report_tests;
mod run;
mod state;

use crate::method::methods;
pub use diff::{Change, InvestigateDiffParams, InvestigationDiff, ListDiff};
pub use finding::{Finding, FindingKind};
pub use records::{
    InvestigateListReply, InvestigateMapParams, InvestigateMapReply, InvestigationSummary,
    MapFormat, MapState, MapTransition, ReportCleanupParams, ReportCleanupReply, ReportDeleteReply,
    ReportListParams, ReportParams, StateMap,
};
pub use report::{
    CommandReport, ErrorMessage, ExitCommand, InvestigationEnd, InvestigationReport, OptionFound,
};
pub use run::{
    InvestigateLearnParams, InvestigateProbeParams, InvestigateProbeReply, InvestigateRunParams,
    InvestigateStarted, InvestigationProgress, InvestigationResult,
};
pub use state::{OutputSample, ProgramState};

methods! {
    InvestigateRun = "investigate.run" (InvestigateRunParams) -> InvestigateStarted, "Starts a job that finds out what a program offers: its help, commands, prompts, states and ways to end it. The report is kept in `investigations/` in the base directory, also if the job is cancelled.";
    InvestigateProbe = "investigate.probe" (InvestigateProbeParams) -> InvestigateProbeReply, "Starts a program for a moment and returns whether it waits for input, its prompt, version and ways to ask for help.";
    InvestigateLearn = "investigate.learn" (InvestigateLearnParams) -> InvestigationReport, "Makes a report of what a person did in a session, and keeps it.";
    InvestigateMap = "investigate.map" (InvestigateMapParams) -> InvestigateMapReply, "Returns the states of a report and the commands that lead from one to another.";
    InvestigateList = "investigate.list" (ReportListParams) -> InvestigateListReply, "Lists the reports of investigations, newest first.";
    InvestigateGet = "investigate.get" (ReportParams) -> InvestigationReport, "Returns a report.";
    InvestigateDiff = "investigate.diff" (InvestigateDiffParams) -> InvestigationDiff, "Compares two reports.";
    InvestigateDelete = "investigate.delete" (ReportParams) -> ReportDeleteReply, "Deletes a report.";
    InvestigateCleanup = "investigate.cleanup" (ReportCleanupParams) -> ReportCleanupReply, "Deletes old reports of investigations.";
}
