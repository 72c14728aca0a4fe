//! What the ledger has once an aggregation is stored, for tests of several runs.

use super::known::{KnownCandidate, Status};
use super::outcome::{Proposal, Sighting};
use ccd_protocol::coach::Evidence;

impl From<&Proposal> for KnownCandidate {
    /// Returns what the ledger has once a proposal is stored.
    fn from(proposal: &Proposal) -> Self {
        Self {
            fingerprint: proposal.fingerprint.clone(),
            status: Status::Pending,
            count: proposal.count,
            rejected_at_count: 0,
            repo_keys: proposal.repo_keys.clone(),
            evidence_ids: ids(&proposal.evidence),
            groups: proposal.groups.clone(),
        }
    }
}

impl KnownCandidate {
    /// Adds what a sighting adds to the ledger.
    pub(crate) fn add(&mut self, sighting: &Sighting) {
        self.count = self.count.saturating_add(sighting.count_added);
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
