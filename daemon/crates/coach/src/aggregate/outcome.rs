//! What an aggregation adds to the ledger.

use super::known::KnownGroup;
use super::wording::Wording;
use crate::fingerprint::Fingerprint;
use crate::scope::Scope;
use ccd_protocol::coach::Evidence;
use serde::Serialize;

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(crate) struct Aggregation {
    /// New candidates, sorted by fingerprint.
    pub(crate) proposals: Vec<Proposal>,
    /// Candidates of the ledger that were seen again, sorted by fingerprint.
    pub(crate) sightings: Vec<Sighting>,
    /// Ids of events that became evidence, or that can never become any. Sorted.
    pub(crate) decided: Vec<String>,
    /// Ids of events that waited for 30 days in vain. Sorted; none of them is in `decided`.
    pub(crate) expired: Vec<String>,
    pub(crate) pending: usize,
}

/// A new candidate: a row of `candidates`, and its groups.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Proposal {
    pub(crate) fingerprint: Fingerprint,
    pub(crate) normalized_text: String,
    #[serde(flatten)]
    pub(crate) wording: Wording,
    pub(crate) scope_guess: Scope,
    /// Sorted.
    pub(crate) repo_ids: Vec<String>,
    /// Sorted. Two clones of a repository have two ids and one key.
    pub(crate) repo_keys: Vec<String>,
    /// Whether `repo_keys` reaches `promotion_threshold_repos`.
    pub(crate) promotion_eligible: bool,
    /// Oldest first.
    pub(crate) evidence: Vec<Evidence>,
    pub(crate) confidence: f64,
    /// Always 1: what it takes to make a candidate is one sighting of it, however many events that were. Each event of a
    /// later run adds one ([`Sighting::count_added`]).
    pub(crate) count: u64,
    pub(crate) first_seen: String,
    pub(crate) last_seen: String,
    pub(crate) groups: Vec<KnownGroup>,
}

/// New evidence for a candidate of the ledger. Its status stays.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Sighting {
    pub(crate) fingerprint: Fingerprint,
    pub(crate) count_added: u64,
    /// New evidence, oldest first.
    pub(crate) evidence: Vec<Evidence>,
    /// Repositories of the new evidence, sorted.
    pub(crate) repo_ids: Vec<String>,
    pub(crate) repo_keys: Vec<String>,
    /// The confidence with the new evidence; the ledger keeps the higher one.
    pub(crate) confidence: f64,
    pub(crate) last_seen: String,
    /// Rows of `ccd_groups` that are new or changed.
    pub(crate) groups: Vec<KnownGroup>,
    /// Whether a rejected candidate has now been seen in a third repository or five more times: worth a word, no proposal.
    pub(crate) mention: bool,
}
