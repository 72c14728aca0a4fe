//! A made-up year gives exactly the planted candidates, however it is divided into runs.

use super::{Expected, YEAR_END, Year, year};
use crate::aggregate::{Aggregation, Input, KnownCandidate, Proposal, Settings, aggregate};
use crate::event::Event;
use std::collections::HashSet;
use std::sync::LazyLock;
use std::time::Instant;

/// Compiling the patterns takes longer than most runs.
static SETTINGS: LazyLock<Settings> = LazyLock::new(Settings::default);

fn run(events: &[Event], year: &Year, known: &[KnownCandidate], now: &str) -> Aggregation {
    let input = Input {
        events,
        successes: &year.successes,
        known,
        now,
    };
    aggregate(&input, &SETTINGS)
}

fn check_wording(expected: &Expected, proposal: &Proposal) {
    let text = format!("{} {}", proposal.wording.trigger, proposal.wording.action);
    assert_eq!(
        proposal.wording.candidate_type, expected.candidate_type,
        "{text}"
    );
    for word in &expected.words {
        assert!(
            text.to_lowercase().contains(&word.to_lowercase()),
            "{word:?} is missing in {:?}",
            proposal.wording
        );
    }
}

fn check_all_are_there(seed: u64, year: &Year, proposals: &[Proposal]) {
    let is_missing = |expected: &&Expected| {
        !proposals
            .iter()
            .any(|proposal| planted(year, proposal) == *expected)
    };
    let missing: Vec<_> = year.expected.iter().filter(is_missing).collect();
    assert!(missing.is_empty(), "seed {seed}: {missing:#?}");
    assert_eq!(proposals.len(), year.expected.len(), "seed {seed}");
}

/// Returns the planted candidate that has this evidence.
fn planted<'a>(year: &'a Year, proposal: &Proposal) -> &'a Expected {
    let first = &proposal.evidence[0];
    year.expected
        .iter()
        .find(|expected| expected.event_ids.contains(&first.event_id))
        .unwrap_or_else(|| panic!("from noise: {:?} {first:?}", proposal.wording))
}

#[test]
fn a_year_in_one_run_gives_the_planted_candidates() {
    let year = year(1, 100_000);
    let start = Instant::now();
    let result = run(&year.events, &year, &[], YEAR_END);
    println!(
        "{} events in one run: {:?}",
        year.events.len(),
        start.elapsed()
    );
    for proposal in &result.proposals {
        let expected = planted(&year, proposal);
        check_wording(expected, proposal);
        assert_eq!(
            proposal.evidence.len() as u64,
            expected.event_ids.len() as u64,
            "{:?}",
            proposal.wording
        );
        assert_eq!(
            proposal.repo_keys,
            expected.repo_keys.iter().cloned().collect::<Vec<_>>()
        );
        assert_eq!(proposal.count, 1);
    }
    check_all_are_there(1, &year, &result.proposals);
    let all = result.decided.len() + result.expired.len() + result.pending;
    assert_eq!(all, year.events.len());
}

/// A ledger as the daemon keeps it.
#[derive(Default)]
struct Ledger {
    known: Vec<KnownCandidate>,
    proposals: Vec<Proposal>,
    decided: HashSet<String>,
    /// Evidence of each proposal, with what was seen later.
    evidence_counts: Vec<u64>,
}

impl Ledger {
    fn take(&mut self, result: Aggregation) {
        self.decided.extend(result.decided);
        self.decided.extend(result.expired);
        for sighting in result.sightings {
            let at = self
                .known
                .iter()
                .position(|known| known.fingerprint == sighting.fingerprint)
                .unwrap();
            self.evidence_counts[at] += sighting.count_added;
            self.known[at].add(&sighting);
        }
        for proposal in result.proposals {
            self.evidence_counts.push(proposal.evidence.len() as u64);
            self.known.push(KnownCandidate::from(&proposal));
            self.proposals.push(proposal);
        }
    }
}

#[test]
fn a_year_in_many_runs_gives_the_same_candidates_as_in_one() {
    let rounds = std::env::var("CCD_TEST_ROUNDS")
        .ok()
        .and_then(|text| text.parse().ok());
    for seed in 0..rounds.unwrap_or(1) {
        many_runs_are_like_one(seed, 6_000);
    }
}

fn many_runs_are_like_one(seed: u64, events: usize) {
    let year = year(seed, events);
    let whole = run(&year.events, &year, &[], YEAR_END);
    let mut ledger = Ledger::default();
    let mut pending: Vec<Event> = Vec::new();
    let mut sizes = [1, 7, 40, 3, 110].into_iter().cycle();
    let mut rest = &year.events[..];
    while !rest.is_empty() {
        let (batch, later) = rest.split_at(sizes.next().unwrap_or(1).min(rest.len()));
        rest = later;
        pending.extend_from_slice(batch);
        let now = batch[batch.len() - 1].timestamp.clone();
        // The daemon gives the successes of the last hours; here the end of the run is late enough for them.
        let now_end = format!("{}:59Z", &now[..16]);
        let successes = year
            .successes
            .iter()
            .filter(|success| success.timestamp <= now_end)
            .cloned()
            .collect();
        let so_far = Year {
            events: Vec::new(),
            successes,
            expected: Vec::new(),
        };
        ledger.take(run(&pending, &so_far, &ledger.known, &now));
        pending.retain(|event| !ledger.decided.contains(&event.id));
    }
    ledger.take(run(&pending, &year, &ledger.known, YEAR_END));
    for (proposal, evidence_count) in ledger.proposals.iter().zip(&ledger.evidence_counts) {
        check_wording(planted(&year, proposal), proposal);
        let of_whole = whole
            .proposals
            .iter()
            .find(|other| other.fingerprint == proposal.fingerprint);
        let of_whole =
            of_whole.unwrap_or_else(|| panic!("only in many runs: {:?}", proposal.wording));
        assert_eq!(
            *evidence_count,
            of_whole.evidence.len() as u64,
            "{:?}",
            proposal.wording
        );
    }
    check_all_are_there(seed, &year, &ledger.proposals);
    check_all_are_there(seed, &year, &whole.proposals);
    let before: Vec<u64> = ledger.known.iter().map(|known| known.count).collect();
    let again = run(&year.events, &year, &ledger.known, YEAR_END);
    assert_eq!((again.proposals, again.sightings), (Vec::new(), Vec::new()));
    assert!(before.iter().all(|count| *count >= 1));
}
