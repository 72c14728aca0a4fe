//! Every case of `tests/fixtures/aggregation.json`.

use super::known::Status;
use super::*;
use crate::fingerprint::Fingerprint;
use serde_json::Value;
use std::collections::BTreeSet;

const FIXTURE: &str = include_str!("../../tests/fixtures/aggregation.json");
const NOW: &str = "2026-03-03T00:00:00Z";

fn case(id: &str) -> Value {
    let fixture: Value = serde_json::from_str(FIXTURE).unwrap();
    let cases = fixture["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 14);
    cases.iter().find(|case| case["id"] == id).unwrap().clone()
}

fn list<T: serde::de::DeserializeOwned>(case: &Value, key: &str) -> Vec<T> {
    case.get(key).map_or_else(Vec::new, |list| {
        serde_json::from_value(list.clone()).unwrap()
    })
}

fn run(id: &str, known: &[KnownCandidate]) -> Aggregation {
    let case = case(id);
    let input = Input {
        events: &list(&case, "events"),
        successes: &list(&case, "successes"),
        known,
        now: NOW,
    };
    aggregate(&input, &Settings::default())
}

/// Returns the ledger after a run.
pub(super) fn ledger(mut known: Vec<KnownCandidate>, result: &Aggregation) -> Vec<KnownCandidate> {
    for sighting in &result.sightings {
        let row = known
            .iter_mut()
            .find(|row| row.fingerprint == sighting.fingerprint);
        row.unwrap().add(sighting);
    }
    known.extend(result.proposals.iter().map(KnownCandidate::from));
    known
}

fn fits(expected: &Value, proposal: &Proposal) -> bool {
    let wire = serde_json::to_value(proposal).unwrap();
    let contains = |key: &str, text: &Value| {
        let text = text.as_str().unwrap();
        match key {
            "trigger_contains" => proposal.wording.trigger.contains(text),
            "action_contains" => proposal.wording.action.contains(text),
            "base_command" => proposal
                .groups
                .iter()
                .any(|group| group.key.ends_with(text)),
            _ => format!("{} {}", proposal.wording.trigger, proposal.wording.action)
                .contains(text.trim_start_matches("the ")),
        }
    };
    expected
        .as_object()
        .unwrap()
        .iter()
        .all(|(key, value)| match key.as_str() {
            "evidence_count" => proposal.evidence.len() as u64 == value.as_u64().unwrap(),
            "evidence_count_min" => proposal.evidence.len() as u64 >= value.as_u64().unwrap(),
            "trigger_contains" | "action_contains" | "base_command" | "about" => {
                contains(key, value)
            }
            _ => &wire[key] == value,
        })
}

#[test]
fn every_case_of_the_fixture_gives_its_candidates() {
    for number in 1..=12 {
        let id = format!("agg-{number:02}");
        let result = run(&id, &[]);
        let case = case(&id);
        let expected = case["expected"].as_array().unwrap();
        assert_eq!(
            result.proposals.len(),
            expected.len(),
            "{id}: {:#?}",
            result.proposals
        );
        for expected in expected {
            let fitting = result
                .proposals
                .iter()
                .filter(|proposal| fits(expected, proposal))
                .count();
            assert_eq!(fitting, 1, "{id}: {expected}\n{:#?}", result.proposals);
        }
        let events = case["events"].as_array().unwrap().len();
        let decided = if case["all_processed"] == true {
            events
        } else {
            0
        };
        assert_eq!(
            (result.decided.len(), result.pending),
            (decided, events - decided),
            "{id}"
        );
        let fingerprints: BTreeSet<&Fingerprint> =
            result.proposals.iter().map(|p| &p.fingerprint).collect();
        assert_eq!(fingerprints.len(), result.proposals.len(), "{id}");
    }
}

#[test]
fn a_rejected_candidate_is_mentioned_in_a_third_repository_and_after_five_more_times() {
    let first = run("agg-01", &[]);
    let mut known = ledger(Vec::new(), &first);
    known[0].status = Status::Rejected;
    known[0].rejected_at_count = 1;
    let event: Event = serde_json::from_value(case("agg-01")["events"][0].clone()).unwrap();
    let in_repository = |id: usize, repo: &str| Event {
        id: format!("later{id}"),
        timestamp: format!("2026-03-02T08:00:{id:02}Z"),
        repo_id: repo.to_owned(),
        ..event.clone()
    };
    let mut mention = |events: &[Event]| {
        let input = Input {
            events,
            successes: &[],
            known: &known,
            now: NOW,
        };
        let result = aggregate(&input, &Settings::default());
        assert_eq!(result.proposals, []);
        known = ledger(std::mem::take(&mut known), &result);
        result.sightings[0].mention
    };
    assert!(!mention(&[in_repository(1, "r2")]));
    assert!(mention(&[in_repository(2, "r3")]));
    assert!(!mention(&[in_repository(3, "r3"), in_repository(4, "r3")]));
    assert!(mention(&[in_repository(5, "r3")]));
    assert!(!mention(&[in_repository(6, "r3")]));
}
