//! What an aggregation adds to the ledger.

use super::known::{KnownCandidate, KnownGroup, Status};
use super::wording::Wording;
use crate::fingerprint::Fingerprint;
use crate::scope::Scope;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Aggregation {
    /// New candidates, sorted by fingerprint.
    pub proposals: Vec<Proposal>,
    /// Candidates of the ledger that were seen again, sorted by fingerprint.
    pub sightings: Vec<Sighting>,
    /// Ids of events that became evidence, or that can never become any. Sorted.
    pub decided: Vec<String>,
    /// Ids of events that waited for 30 days in vain. Sorted; none of them is in `decided`.
    pub expired: Vec<String>,
    pub pending: usize,
}

/// A new candidate: a row of `candidates`, and its groups.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    pub fingerprint: Fingerprint,
    pub normalized_text: String,
    #[serde(flatten)]
    pub wording: Wording,
    pub scope_guess: Scope,
    /// Sorted.
    pub repo_ids: Vec<String>,
    /// Sorted. Two clones of a repository have two ids and one key.
    pub repo_keys: Vec<String>,
    /// Whether `repo_keys` reaches `promotion_threshold_repos`.
    pub promotion_eligible: bool,
    /// Oldest first.
    pub evidence: Vec<Evidence>,
    pub confidence: f64,
    /// Always 1: what it takes to make a candidate is one sighting of it, however many events that were. Each event of a
    /// later run adds one ([`Sighting::count_added`]).
    pub count: u64,
    pub first_seen: String,
    pub last_seen: String,
    pub groups: Vec<KnownGroup>,
}

/// New evidence for a candidate of the ledger. Its status stays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sighting {
    pub fingerprint: Fingerprint,
    pub count_added: u64,
    /// New evidence, oldest first.
    pub evidence: Vec<Evidence>,
    /// Repositories of the new evidence, sorted.
    pub repo_ids: Vec<String>,
    pub repo_keys: Vec<String>,
    /// The confidence with the new evidence; the ledger keeps the higher one.
    pub confidence: f64,
    pub last_seen: String,
    /// Rows of `ccd_groups` that are new or changed.
    pub groups: Vec<KnownGroup>,
    /// Whether a rejected candidate has now been seen in a third repository or five more times: worth a word, no proposal.
    pub mention: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Evidence {
    pub timestamp: String,
    pub event_id: String,
    /// At most 200 characters.
    pub quote: String,
    #[serde(default)]
    pub session_id: String,
    #[serde(default)]
    pub repo_id: String,
}

impl From<&Proposal> for KnownCandidate {
    /// Returns what the ledger has once a proposal is stored.
    fn from(proposal: &Proposal) -> Self {
        Self {
            fingerprint: proposal.fingerprint.clone(),
            status: Status::Pending,
            count: proposal.count,
            rejected_at_count: 0,
            last_seen: proposal.last_seen.clone(),
            repo_keys: proposal.repo_keys.clone(),
            evidence_ids: ids(&proposal.evidence),
            groups: proposal.groups.clone(),
        }
    }
}

impl KnownCandidate {
    /// Adds what a sighting adds to the ledger.
    pub fn add(&mut self, sighting: &Sighting) {
        self.count = self.count.saturating_add(sighting.count_added);
        if sighting.last_seen > self.last_seen {
            self.last_seen.clone_from(&sighting.last_seen);
        }
        self.repo_keys.extend(sighting.repo_keys.iter().cloned());
        self.repo_keys.sort();
        self.repo_keys.dedup();
        self.evidence_ids.extend(ids(&sighting.evidence));
        for row in &sighting.groups {
            self.groups
                .retain(|old| (old.kind, &old.key) != (row.kind, &row.key));
            self.groups.push(row.clone());
        }
    }
}

fn ids(evidence: &[Evidence]) -> Vec<String> {
    evidence
        .iter()
        .map(|piece| piece.event_id.clone())
        .collect()
}

impl Evidence {
    /// Returns the pieces, oldest first, each event once.
    #[must_use]
    pub fn in_order(mut pieces: Vec<Self>) -> Vec<Self> {
        pieces.sort();
        pieces.dedup_by(|right, left| right.event_id == left.event_id);
        pieces
    }
}
