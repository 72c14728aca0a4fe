//! `ccctl coach`.

use super::coach_decide::{
    ApproveArgs, CandidateArg, EditArgs, GuardArgs, PromoteArgs, RejectArgs, RuleArgs,
};
use super::coach_records::{
    DetectArgs, EventsArgs, FingerprintArgs, ForgetArgs, ImportArgs, LedgerArgs, MuteArgs,
    ReportArgs,
};
use clap::{Args, Subcommand, ValueHint};
use std::path::PathBuf;

/// Commands for the coach.
#[derive(Debug, Subcommand)]
pub(crate) enum CoachVerb {
    /// Show how many events and candidates there are, and problems with the coach's files
    Status,
    /// Decide on the pending candidates one by one; without a terminal, list them
    Review(ReviewArgs),
    /// Show a candidate: its evidence, its decisions, and the change that approving it would make
    #[command(visible_alias = "show")]
    Get(CandidateArg),
    /// Approve a candidate: write it to the file where the project keeps its rules
    Approve(ApproveArgs),
    /// Write a rule in your own words, with an event as evidence, and approve it
    Rule(RuleArgs),
    /// Reject a candidate, so that it is not proposed again
    Reject(RejectArgs),
    /// Change the words of a pending candidate
    Edit(EditArgs),
    /// Write a candidate to your own rules, which apply to every project
    Promote(PromoteArgs),
    /// Undo the last decision on a candidate, and restore the file that it changed
    Undo(CandidateArg),
    /// List recorded events, newest first
    Events(EventsArgs),
    /// List candidates of every status, and promotions
    Ledger(LedgerArgs),
    /// Count events by type, project and week, and compare the friction before and after each approved rule
    Report(ReportArgs),
    /// List the patterns that identify events and scopes
    Patterns {
        /// Print the patterns of this group, one per line
        group: Option<String>,
    },
    /// Report the signals in hook payloads, without storing anything
    Detect(DetectArgs),
    /// Print the fingerprint of a candidate with these words
    Fingerprint(FingerprintArgs),
    /// Turn recorded events into candidates now
    Aggregate,
    /// Turn an approved rule into a guard that refuses tool calls, or remove the guard
    Guard(GuardArgs),
    /// Stop recording a type of event, a project, or both
    Mute(MuteArgs),
    /// Delete recorded events and hook payloads
    Forget(ForgetArgs),
    /// Print all candidates and promotions as one JSON document
    Export {
        /// Write to this file [default: standard output]
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Merge the candidates of an exported document into the ledger
    Import(ImportArgs),
}

/// Arguments of `coach review`.
#[derive(Debug, Args)]
pub(crate) struct ReviewArgs {
    /// Only candidates seen in this project: a directory in it, or its repository id
    #[arg(long, value_name = "DIR")]
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) project: Option<String>,
    /// At most N candidates, 1 to 1000 [default: 100]
    #[arg(short = 'n', long, value_name = "N")]
    pub(crate) limit: Option<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Noun, parsed};
    use ccd_protocol::coach::{CandidateType, Scope, SignalType};

    fn parse(line: &str) -> Result<CoachVerb, clap::Error> {
        match parsed(&format!("coach {line}"))? {
            Noun::Coach(verb) => Ok(*verb),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn names_are_accepted_in_any_case() {
        for name in ["USER_CORRECTION", "user_correction", "user-correction"] {
            let CoachVerb::Mute(mute) = parse(&format!("mute {name}")).unwrap() else {
                panic!("{name}");
            };
            assert_eq!(mute.signal_type, Some(SignalType::UserCorrection));
        }
        let CoachVerb::Approve(args) = parse("approve 3f --type SKILL --scope Global").unwrap()
        else {
            panic!("approve");
        };
        assert_eq!(args.words.candidate_type, Some(CandidateType::Skill));
        assert_eq!(args.scope, Some(Scope::Global));
        for line in ["get 3f", "show 3f"] {
            assert!(matches!(
                parse(line).unwrap(),
                CoachVerb::Get(CandidateArg { candidate }) if candidate == "3f"
            ));
        }
    }

    #[test]
    fn what_is_deleted_or_muted_is_named_and_nothing_is_contradictory() {
        for (line, right) in [
            ("approve 3f --scope world", false),
            ("forget", false),
            ("forget --yes", false),
            ("forget --all --yes", true),
            ("forget --project . --before 30d", true),
            ("mute", false),
            ("mute --off", false),
            ("mute --project .", true),
            ("approve 3f --diff --branch rules", false),
            ("guard 3f --off --pattern x", false),
        ] {
            assert_eq!(parse(line).is_ok(), right, "{line}");
        }
    }
}
