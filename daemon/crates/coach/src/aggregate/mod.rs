//! From events to candidates for rules.
//! [`aggregate`] is a pure function of the events that are not decided yet and of what the ledger already has.

mod assemble;
mod correction;
mod failure;
mod finding;
mod group;
mod known;
mod like_index;
mod outcome;
mod parallel;
mod reminder;
mod timeline;
mod violation;
mod wording;

#[cfg(test)]
mod fixture_tests;
#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod proposal_tests;
#[cfg(test)]
mod stored;

pub(crate) use known::{KnownCandidate, KnownGroup};
pub(crate) use outcome::{Aggregation, Proposal, Sighting};
pub(crate) use wording::sentence_case;

use crate::event::{Event, Success};
use crate::scope::{Indicators, RuleFile};
use std::collections::BTreeMap;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Input<'a> {
    /// Every event that is not decided: new ones, and those that earlier runs left pending. In any order.
    pub(crate) events: &'a [Event],
    /// Successes of about the same time. One that was given before changes nothing.
    pub(crate) successes: &'a [Success],
    /// Every candidate of the ledger, whatever its status.
    pub(crate) known: &'a [KnownCandidate],
    /// The time of the run, RFC 3339: events that are older than 30 days and still pending are expired.
    pub(crate) now: &'a str,
}

#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) min_evidence_count: usize,
    pub(crate) promotion_threshold_repos: usize,
    pub(crate) indicators: Indicators,
    pub(crate) global_rules: RuleFile,
    /// The rules of a project's file by `repo_id`.
    pub(crate) project_rules: BTreeMap<String, RuleFile>,
}

#[cfg(test)]
impl Default for Settings {
    fn default() -> Self {
        Self {
            min_evidence_count: 2,
            promotion_threshold_repos: 2,
            indicators: Indicators::default(),
            global_rules: RuleFile::default(),
            project_rules: BTreeMap::new(),
        }
    }
}

/// Returns what the events add to the ledger.
/// Events are taken in the order of their time, one by one, so the candidates do not depend on how events are divided into
/// runs, as long as pending events are given again and the ledger of the run before is given as `known`. (Counts do: see
/// [`Proposal::count`].) Which evidence makes a candidate, by kind of signal:
///
/// - a failed command with a remedy in the built-in table, or one that succeeded afterwards in another form: 1
/// - a process violation, a repetition (it stands for three messages), a correction that is to hold from now on: 1
/// - a correction: `min_evidence_count`, in two sessions
/// - a request to write no code yet: 3, in two sessions
/// - anything else: `min_evidence_count`
/// - the tone of a message: never
///
/// Evidence that waits for more counts for 30 days.
pub(crate) fn aggregate(input: &Input<'_>, settings: &Settings) -> Aggregation {
    assemble::assemble(&timeline::Timeline::run(input, settings))
}
