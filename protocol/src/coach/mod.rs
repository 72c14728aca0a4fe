//! The coach: friction events from hooks, and the rules that come of them.

mod candidate;
mod decide;
mod event;
mod file;
mod report;
mod try_out;

use crate::method::{NoParams, methods};
pub use candidate::{
    Candidate, CandidateStatus, CandidateType, Effect, Evidence, Promotion, Scope,
};
pub use decide::{
    CandidateWords, CoachApproveParams, CoachApproveReply, CoachEditParams, CoachGetParams,
    CoachGetReply, CoachGuardParams, CoachGuardReply, CoachPromoteParams, CoachPromoteReply,
    CoachRejectParams, CoachReviewParams, CoachReviewReply, CoachUndoParams, CoachUndoReply,
    Decided, Decision, Guard,
};
pub use event::{CoachEvent, CoachEventsParams, CoachEventsReply, EventType, SignalType};
pub use file::{
    CoachExportReply, CoachForgetParams, CoachForgetReply, CoachImportParams, CoachImportReply,
    CoachMuteParams, CoachMuteReply, Mute,
};
pub use report::{
    CoachLedgerParams, CoachLedgerReply, CoachReportParams, CoachReportReply, CoachStatusReply,
    ProjectCount, RuleReport, TypeCount, WeekCount,
};
pub use try_out::{
    CoachAggregateReply, CoachDetectParams, CoachDetectReply, CoachFingerprintParams,
    CoachFingerprintReply, CoachPatternsReply, Detected, PatternGroup, Signal,
};

/// The file in the base directory that says since when the coach records, RFC 3339, or [`NOT_RECORDING`]. Without it, the first
/// hook makes it.
pub const RECORDING_FILE: &str = "coach-recording-since";

/// The user has uninstalled the hooks: those that a running session of Claude Code still has do not start recording again.
pub const NOT_RECORDING: &str = "hooks uninstalled";

methods! {
    CoachStatus = "coach.status" (NoParams) -> CoachStatusReply, "Returns the numbers of events and candidates, and the problems of the coach's files.";
    CoachReview = "coach.review" (CoachReviewParams) -> CoachReviewReply, "Lists the candidates that wait for a decision, those with the most evidence first.", Large;
    CoachGet = "coach.get" (CoachGetParams) -> CoachGetReply, "Returns a candidate, its evidence, its decisions, and the diff that approving it would make.";
    CoachApprove = "coach.approve" (CoachApproveParams) -> CoachApproveReply, "Writes a candidate to the file where the project keeps such rules.";
    CoachReject = "coach.reject" (CoachRejectParams) -> Decided, "Rejects a candidate; it is not proposed again.";
    CoachEdit = "coach.edit" (CoachEditParams) -> Decided, "Changes the words of a candidate that waits for a decision.";
    CoachPromote = "coach.promote" (CoachPromoteParams) -> CoachPromoteReply, "Writes an approved or pending candidate to the user's own rules, which apply to every project.";
    CoachUndo = "coach.undo" (CoachUndoParams) -> CoachUndoReply, "Undoes the last decision on a candidate, and restores the file that it changed.";
    CoachEvents = "coach.events" (CoachEventsParams) -> CoachEventsReply, "Lists recorded events, newest first.", Large;
    CoachLedger = "coach.ledger" (CoachLedgerParams) -> CoachLedgerReply, "Lists candidates of every status, and promotions.", Large;
    CoachReport = "coach.report" (CoachReportParams) -> CoachReportReply, "Counts events by type, project and week, and each approved rule's recurrences before and after its approval.", Large;
    CoachPatterns = "coach.patterns" (NoParams) -> CoachPatternsReply, "Lists the patterns that signals and scopes are recognised by.";
    CoachDetect = "coach.detect" (CoachDetectParams) -> CoachDetectReply, "Returns the signals in hook payloads, each judged in the light of the earlier ones of its session; stores nothing.";
    CoachFingerprint = "coach.fingerprint" (CoachFingerprintParams) -> CoachFingerprintReply, "Returns the fingerprint of a candidate with these words.";
    CoachAggregate = "coach.aggregate" (NoParams) -> CoachAggregateReply, "Turns recorded events into candidates now, instead of at the end of the interval.";
    CoachGuard = "coach.guard" (CoachGuardParams) -> CoachGuardReply, "Turns an approved rule into a guard, which `ccctl hook` enforces before a tool runs; or removes it.";
    CoachMute = "coach.mute" (CoachMuteParams) -> CoachMuteReply, "Stops recording a type of signal, a project, or both; or starts again.";
    CoachForget = "coach.forget" (CoachForgetParams) -> CoachForgetReply, "Deletes recorded events and payloads.";
    CoachExport = "coach.export" (NoParams) -> CoachExportReply, "Returns all candidates and promotions as one document.", Large;
    CoachImport = "coach.import" (CoachImportParams) -> CoachImportReply, "Merges the candidates of a document of `coach.export` into the ledger.";
}
