//! Rows of the ledger.

use crate::fingerprint::{fingerprint, normalized_text};
use ccd_protocol::coach::{Candidate, CandidateStatus, Evidence, Scope};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::ops::{Deref, DerefMut};

/// Digits of a fingerprint that a candidate is known by.
const ID_LEN: usize = 8;

/// A candidate: its rows in `candidates` and `ccd_candidates`. What other tables and rows say about it is empty.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct CandidateRow {
    #[serde(flatten)]
    pub(crate) candidate: Candidate,
    pub(crate) repo_keys: Vec<String>,
    pub(crate) rejected_at_count: u64,
}

impl Deref for CandidateRow {
    type Target = Candidate;

    fn deref(&self) -> &Candidate {
        &self.candidate
    }
}

impl DerefMut for CandidateRow {
    fn deref_mut(&mut self) -> &mut Candidate {
        &mut self.candidate
    }
}

impl CandidateRow {
    pub(crate) fn identify(&mut self) {
        let one = &mut self.candidate;
        let (kind, trigger, action) = (one.candidate_type, &one.trigger_condition, &one.action);
        one.normalized_text = normalized_text(trigger, action);
        one.fingerprint = fingerprint(kind, trigger, action).to_string();
    }

    /// Whether it was approved, for a project or for all.
    pub(crate) fn is_in_force(&self) -> bool {
        matches!(
            self.status,
            CandidateStatus::Approved | CandidateStatus::Promoted
        )
    }

    pub(crate) fn repositories(&self) -> usize {
        match self.repo_keys.len() {
            0 => self.repo_ids.len(), // written by another program
            len => len,
        }
    }

    /// Adds what `other`, which has the same fingerprint, knows.
    pub(crate) fn merge(&mut self, other: Self) {
        // A ledger that comes back counts nothing twice.
        let is_known = |piece: &Evidence| {
            let mut own = self.evidence.iter();
            own.any(|own| own.event_id == piece.event_id)
        };
        let has_news = other.evidence.is_empty() || !other.evidence.iter().all(is_known);
        union(&mut self.repo_keys, other.repo_keys);
        let other = other.candidate;
        union(&mut self.repo_ids, other.repo_ids);
        let both = [std::mem::take(&mut self.evidence), other.evidence].concat();
        self.evidence = kept(both);
        self.count = if has_news {
            self.count + other.count
        } else {
            self.count.max(other.count)
        };
        self.confidence = self.confidence.max(other.confidence);
        if !other.first_seen.is_empty()
            && (self.first_seen.is_empty() || other.first_seen < self.first_seen)
        {
            self.first_seen = other.first_seen;
        }
        self.last_seen = std::mem::take(&mut self.last_seen).max(other.last_seen);
        self.status = stronger(self.status, other.status);
        self.promoted_at = self.promoted_at.take().or(other.promoted_at);
        if self.status == CandidateStatus::Promoted {
            self.current_scope = Scope::Global;
        }
    }

    /// Returns it for a client. `id` is what it is known by.
    pub(crate) fn to_candidate(&self, id: String, threshold: usize) -> Candidate {
        let is_open = matches!(
            self.status,
            CandidateStatus::Pending | CandidateStatus::Approved
        );
        Candidate {
            id,
            eligible: is_open && self.repositories() >= threshold,
            ..self.candidate.clone()
        }
    }

    /// Reads a candidate as this or another program has written it. What it lacks is empty.
    pub(crate) fn from_json(members: Map<String, Value>) -> serde_json::Result<Self> {
        let defaults = json!({
            "id": "", "fingerprint": "", "normalized_text": "", "title": "", "current_scope": "project", "repo_ids": [],
            "evidence": [], "confidence": 0.0, "count": 1, "status": "pending", "first_seen": "", "last_seen": "",
            "scope_guess": "project", "eligible": false, "rejected_at_count": 0,
            "repo_keys": members.get("repo_ids").unwrap_or(&json!([])),
        });
        let mut whole: Map<String, Value> = defaults.as_object().cloned().unwrap_or_default();
        whole.extend(members.into_iter().filter(|(_, value)| !value.is_null()));
        serde_json::from_value(Value::Object(whole))
    }
}

/// The first and the newest pieces of evidence, oldest first, each once.
pub(crate) fn kept(mut evidence: Vec<Evidence>) -> Vec<Evidence> {
    const NEWEST: usize = 20;
    evidence.sort_by(|a, b| (&a.timestamp, &a.event_id).cmp(&(&b.timestamp, &b.event_id)));
    evidence.dedup_by(|a, b| a.event_id == b.event_id);
    let surplus = evidence.len().saturating_sub(NEWEST + 1);
    let first = evidence.len().min(1);
    evidence.drain(first..first + surplus);
    evidence
}

/// Adds the texts of `other`, sorted and each once.
pub(crate) fn union(texts: &mut Vec<String>, other: Vec<String>) {
    texts.extend(other);
    texts.sort_unstable();
    texts.dedup();
}

/// A decision counts for more than none, and a rule that is written somewhere for more than one that was rejected.
fn stronger(one: CandidateStatus, other: CandidateStatus) -> CandidateStatus {
    let rank = |status| match status {
        CandidateStatus::Pending => 0,
        CandidateStatus::Rejected => 1,
        CandidateStatus::Approved => 2,
        CandidateStatus::Promoted => 3,
    };
    if rank(other) > rank(one) { other } else { one }
}

/// Returns what the candidate is known by: the first 8 digits of its fingerprint, more if others share them. `sorted` are
/// all fingerprints in order.
pub(crate) fn short_id(fingerprint: &str, sorted: &[String]) -> String {
    let place = sorted.partition_point(|other| other.as_str() < fingerprint);
    let before = place.checked_sub(1).and_then(|place| sorted.get(place));
    let after = sorted[place.min(sorted.len())..]
        .iter()
        .find(|other| *other != fingerprint);
    let shared = |other: &String| {
        let pairs = other.bytes().zip(fingerprint.bytes());
        pairs.take_while(|(a, b)| a == b).count()
    };
    let longest = before.into_iter().chain(after).map(shared).max();
    let len = longest.map_or(ID_LEN, |shared| ID_LEN.max(shared + 1));
    fingerprint.get(..len).unwrap_or(fingerprint).to_owned()
}

ccd_store::row! {
    #[derive(Debug, Clone, PartialEq)]
    pub(crate) struct DecisionRow {
        pub(crate) id: i64,
        pub(crate) fingerprint: String,
        pub(crate) at: String,
        pub(crate) decision: String,
        pub(crate) reason: Option<String>,
        pub(crate) file: Option<String>,
        pub(crate) file_before: Option<Vec<u8>>,
        pub(crate) file_after: Option<Vec<u8>>,
        pub(crate) block: Option<String>,
        pub(crate) candidate_before: String,
        pub(crate) made_folder: Option<String>,
        pub(crate) state: String,
    }
}

impl DecisionRow {
    /// Returns the candidate as it was before; `None` if another version wrote it.
    pub(crate) fn before(&self) -> Option<CandidateRow> {
        let members = serde_json::from_str(&self.candidate_before).ok()?;
        CandidateRow::from_json(members).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_grow_until_no_other_candidate_shares_them() {
        let sorted = ["0123456789", "0123456799", "0123456ff0", "f000000000"].map(str::to_owned);
        assert_eq!(short_id("0123456789", &sorted), "012345678");
        assert_eq!(short_id("0123456799", &sorted), "012345679");
        assert_eq!(short_id("0123456ff0", &sorted), "0123456f");
        assert_eq!(short_id("f000000000", &sorted), "f0000000");
        assert_eq!(short_id("aaaaaaaaaa", &[]), "aaaaaaaa");
    }

    #[test]
    fn the_first_and_the_newest_pieces_of_evidence_are_kept() {
        let piece = |number: usize| Evidence {
            event_id: number.to_string(),
            quote: String::new(),
            timestamp: format!("{number:03}"),
            session_id: None,
            repo_id: None,
        };
        let all: Vec<_> = (0..50).rev().chain(0..50).map(piece).collect();
        let kept: Vec<_> = kept(all).into_iter().map(|one| one.event_id).collect();
        assert_eq!(kept.len(), 21);
        assert_eq!(
            (kept[0].as_str(), kept[1].as_str(), kept[20].as_str()),
            ("0", "30", "49")
        );
    }
}
