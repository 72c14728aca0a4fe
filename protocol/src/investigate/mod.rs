//! Investigations: options, commands, prompts and states of a program, found by running it.

mod diff;
mod finding;
mod records;
mod report;
#[cfg(test)]
mod report_tests;
mod run;
mod state;

use crate::method::{JobStarted, methods};
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
    InvestigationProgress, InvestigationResult,
};
pub use state::{OutputSample, ProgramState};

methods! {
    InvestigateRun = "investigate.run" (InvestigateRunParams) -> JobStarted, "Starts a job that finds out what a program offers: its help, commands, prompts, states and ways to end it. The report is stored in `investigations/` in the base directory, even if the job is cancelled. The job's progress is an InvestigationProgress and its result an InvestigationResult; a cancelled or failed job has one too, unless its report could not be written or the daemon stopped.";
    InvestigateProbe = "investigate.probe" (InvestigateProbeParams) -> InvestigateProbeReply, "Starts a program briefly and returns whether it waits for input, and its prompt, version and help options. Obeys the configuration key `safe_mode`; never uses bubblewrap.";
    InvestigateLearn = "investigate.learn" (InvestigateLearnParams) -> InvestigationReport, "Makes and stores a report of what was typed in a session.";
    InvestigateMap = "investigate.map" (InvestigateMapParams) -> InvestigateMapReply, "Returns the states of a report and the commands that lead from one to another.", Large;
    InvestigateList = "investigate.list" (ReportListParams) -> InvestigateListReply, "Lists the reports of investigations, newest first.", Large;
    InvestigateGet = "investigate.get" (ReportParams) -> InvestigationReport, "Returns a report.", Large;
    InvestigateDiff = "investigate.diff" (InvestigateDiffParams) -> InvestigationDiff, "Compares two reports.", Large;
    InvestigateDelete = "investigate.delete" (ReportParams) -> ReportDeleteReply, "Deletes a report.";
    InvestigateCleanup = "investigate.cleanup" (ReportCleanupParams) -> ReportCleanupReply, "Deletes old reports of investigations.";
}
