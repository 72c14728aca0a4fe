//! A made-up year of friction, for tests and measurements: a few matters that come up again among very many that do not.

mod calendar;
mod noise;
mod planted;
mod texts;

#[cfg(test)]
mod year_tests;

use crate::event::{Event, Success};
use crate::fingerprint::CandidateType;
use std::collections::BTreeSet;

#[derive(Debug, Clone)]
pub(crate) struct Year {
    /// In the order of time.
    pub(crate) events: Vec<Event>,
    pub(crate) successes: Vec<Success>,
    pub(crate) expected: Vec<Expected>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Expected {
    pub(crate) candidate_type: CandidateType,
    /// Words that its trigger and action must have together.
    pub(crate) words: Vec<String>,
    /// All of its evidence.
    pub(crate) event_ids: BTreeSet<String>,
    pub(crate) repo_keys: BTreeSet<String>,
}

/// The last moment of the year.
pub(crate) const YEAR_END: &str = "2026-01-01T00:00:00Z";

/// Returns a year of about `events` events, the same for each seed. At least 3000: the planted ones are among them.
#[must_use]
pub(crate) fn year(seed: u64, events: usize) -> Year {
    let mut calendar = calendar::Calendar::new(seed);
    let mut expected = Vec::new();
    planted::plant(&mut calendar, &mut expected);
    noise::fill(&mut calendar, events);
    let calendar::Calendar {
        mut events,
        successes,
        ..
    } = calendar;
    events.sort_by(|left, right| (&left.timestamp, &left.id).cmp(&(&right.timestamp, &right.id)));
    Year {
        events,
        successes,
        expected,
    }
}
