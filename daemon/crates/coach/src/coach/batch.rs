//! From recorded events to candidates.

use super::CoachError;
use super::owner::{Coach, Databases};
use crate::aggregate::{self, Aggregation, Input, KnownCandidate, Proposal, Settings, Sighting};
use crate::ledger::{
    CandidateRow, Change, EvidenceRow, LedgerWrite, all, evidence_ids, kept, known,
    of_fingerprints, state_of, union,
};
use crate::record::{EventWrite, pending, projects, successes};
use crate::scope::RuleFile;
use ccd_protocol::coach::{CandidateStatus, CoachAggregateReply, Evidence, Scope};
use ccd_store::StoreError;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

/// Most events of one batch.
const MAX_EVENTS: u32 = 200_000;

/// From this many events on, the memory of a batch is worth returning.
const LARGE_BATCH: usize = 10_000;

/// How far back a success may be that followed a failure: as long as events wait.
const SUCCESSES_S: f64 = 30.0 * 86_400.0;

/// The state under which the ids of events are kept that the ledger has counted, until they are marked.
const DECIDING: &str = "deciding";

/// The state with the time of the last new candidate.
pub(super) const LAST_PROPOSAL: &str = "last_proposal";

/// The state with the hash of the mirror as it was written.
pub(super) const MIRROR_HASH: &str = "mirror_hash";

/// Most bytes of a rule file that is compared with.
const MAX_RULES_BYTES: u64 = 1 << 20;

impl Coach {
    /// Turns all events that wait into candidates, as far as there is enough evidence; those of all payloads that have
    /// been taken so far.
    ///
    /// # Errors
    ///
    /// [`CoachError`] of the databases.
    pub async fn aggregate(&self) -> Result<CoachAggregateReply, CoachError> {
        self.databases().await?;
        self.settle().await;
        self.run_batch().await
    }

    pub(super) async fn run_batch(&self) -> Result<CoachAggregateReply, CoachError> {
        let start = Instant::now();
        let databases = self.databases().await?;
        let _deciding = self.deciding.lock().await;
        finish(databases).await?;
        let (events, strange) = pending(&databases.events, MAX_EVENTS).await?;
        let since = ccd_text::clock::seconds_ago(SUCCESSES_S);
        let successes = successes(&databases.events, &since).await?;
        let mut known = known(&databases.ledger).await?;
        add_counted(databases, &events, &mut known).await?;
        let settings = self.aggregation_settings(databases).await?;
        let now = ccd_text::clock::now();
        let given = events.len();
        let (result, changes, evidence) = ccd_store::blocking(move || {
            let input = Input {
                events: &events,
                successes: &successes,
                known: &known,
                now: &now,
            };
            let result = aggregate::aggregate(&input, &settings);
            let (mut changes, mut evidence) = (Vec::new(), Vec::new());
            for proposal in &result.proposals {
                propose(proposal, &mut changes, &mut evidence);
            }
            (result, changes, evidence)
        })
        .await;
        let processed = self
            .store_result(databases, &result, changes, evidence, strange)
            .await?;
        let new = result.proposals.iter();
        let new: Vec<String> = new.map(|one| one.fingerprint.to_string()).collect();
        let new = of_fingerprints(&databases.ledger, &new).await?;
        let candidates = self.shown_candidates(databases, new).await?;
        if given >= LARGE_BATCH {
            ccd_store::blocking(give_back_memory).await;
        }
        Ok(CoachAggregateReply {
            candidates,
            seen_again: result.sightings.len() as u64,
            processed: processed as u64,
            pending: (given - (processed.min(given))) as u64,
            duration_ms: start.elapsed().as_millis() as u64,
        })
    }

    /// Stores candidates and evidence, then marks the events. A kill in between is finished by the next batch.
    async fn store_result(
        &self,
        databases: &Databases,
        result: &Aggregation,
        mut changes: Vec<Change>,
        mut evidence: Vec<EvidenceRow>,
        strange: Vec<String>,
    ) -> Result<usize, CoachError> {
        let mut rows: BTreeMap<String, CandidateRow> = match result.sightings.is_empty() {
            true => BTreeMap::new(),
            false => {
                let rows = all(&databases.ledger).await?.into_iter();
                rows.map(|row| (row.fingerprint.clone(), row)).collect()
            }
        };
        for sighting in &result.sightings {
            if let Some(row) = rows.get_mut(sighting.fingerprint.as_str()) {
                see_again(row, sighting, &mut changes, &mut evidence);
            }
        }
        EvidenceRow::sort(&mut evidence);
        if !evidence.is_empty() {
            changes.push(Change::Evidence(evidence));
        }
        let mut ids = result.decided.clone();
        ids.extend(result.expired.iter().cloned());
        ids.extend(strange);
        if ids.is_empty() && changes.is_empty() {
            return Ok(0);
        }
        let json = serde_json::to_string(&ids).unwrap_or_default();
        changes.push(Change::State {
            name: DECIDING,
            value: json,
        });
        if !result.proposals.is_empty() {
            changes.push(Change::State {
                name: LAST_PROPOSAL,
                value: ccd_text::clock::now(),
            });
        }
        databases.ledger.commit(LedgerWrite(changes)).await?;
        finish(databases).await?;
        self.write_mirror(databases).await?;
        Ok(ids.len())
    }

    async fn aggregation_settings(&self, databases: &Databases) -> Result<Settings, CoachError> {
        let config = self.config().await;
        let projects = projects(&databases.events).await?;
        let project_rules = projects.into_iter().map(|(id, root)| {
            let rules = ["CLAUDE.md", ".claude/CLAUDE.md", "AGENTS.md"]
                .map(|name| rules_in(&root.join(name)));
            (id, RuleFile::parse(&rules.join("\n")))
        });
        Ok(Settings {
            min_evidence_count: config.min_evidence_count,
            promotion_threshold_repos: config.promotion_threshold_repos,
            indicators: config.indicators.clone(),
            global_rules: RuleFile::parse(&rules_in(&self.paths.claude.join("CLAUDE.md"))),
            project_rules: project_rules.collect(),
        })
    }

    /// Writes `candidates.json`. If that fails, the ledger holds all the same.
    pub(super) async fn write_mirror(&self, databases: &Databases) -> Result<(), StoreError> {
        let rows = all(&databases.ledger).await?;
        let last_proposal = state_of(&databases.ledger, LAST_PROPOSAL).await?;
        match self.mirror.write(&rows, last_proposal) {
            Ok(hash) => {
                let state = Change::State {
                    name: MIRROR_HASH,
                    value: hash,
                };
                databases.ledger.commit(LedgerWrite(vec![state])).await
            }
            Err(error) => {
                tracing::warn!(%error, path = %self.mirror.path().display(), "the mirror of the ledger could not be written");
                Ok(())
            }
        }
    }
}

/// Returns free memory to the system: the allocator keeps it, half a gigabyte after 100,000 events.
fn give_back_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it takes no pointer, and only touches memory that is free.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Marks the events that the ledger has counted.
async fn finish(databases: &Databases) -> Result<(), StoreError> {
    let deciding = state_of(&databases.ledger, DECIDING).await?;
    let ids: Vec<String> = deciding
        .and_then(|json| serde_json::from_str(&json).ok())
        .unwrap_or_default();
    if ids.is_empty() {
        return Ok(());
    }
    databases.events.commit(EventWrite::Processed(ids)).await?;
    let state = Change::State {
        name: DECIDING,
        value: "[]".to_owned(),
    };
    databases.ledger.commit(LedgerWrite(vec![state])).await
}

/// Tells the candidates which of these events they have counted already.
async fn add_counted(
    databases: &Databases,
    events: &[crate::event::Event],
    known: &mut [KnownCandidate],
) -> Result<(), StoreError> {
    let ids: Vec<&str> = events.iter().map(|event| event.id.as_str()).collect();
    let mut counted = evidence_ids(&databases.ledger, &ids).await?;
    for candidate in known {
        if let Some(ids) = counted.remove(candidate.fingerprint.as_str()) {
            candidate.evidence_ids = ids;
        }
    }
    Ok(())
}

fn propose(proposal: &Proposal, changes: &mut Vec<Change>, rows: &mut Vec<EvidenceRow>) {
    let evidence: Vec<Evidence> = proposal.evidence.iter().map(piece).collect();
    let fingerprint = proposal.fingerprint.to_string();
    rows.extend(
        evidence
            .iter()
            .map(|piece| EvidenceRow::new(&fingerprint, piece)),
    );
    changes.push(Change::Put(Box::new(CandidateRow {
        fingerprint: fingerprint.clone(),
        normalized_text: proposal.normalized_text.clone(),
        title: proposal.wording.title.clone(),
        candidate_type: proposal.wording.candidate_type,
        trigger_condition: proposal.wording.trigger.clone(),
        action: proposal.wording.action.clone(),
        current_scope: Scope::Project,
        repo_ids: proposal.repo_ids.clone(),
        evidence: kept(evidence),
        confidence: proposal.confidence,
        count: proposal.count,
        status: CandidateStatus::Pending,
        first_seen: proposal.first_seen.clone(),
        last_seen: proposal.last_seen.clone(),
        promoted_at: None,
        scope_guess: proposal.scope_guess,
        repo_keys: proposal.repo_keys.clone(),
        rejected_at_count: 0,
        mention: false,
    })));
    changes.push(Change::Groups {
        fingerprint,
        groups: proposal.groups.clone(),
    });
}

fn see_again(
    row: &mut CandidateRow,
    sighting: &Sighting,
    changes: &mut Vec<Change>,
    rows: &mut Vec<EvidenceRow>,
) {
    let evidence: Vec<Evidence> = sighting.evidence.iter().map(piece).collect();
    row.count += sighting.count_added;
    row.confidence = row.confidence.max(sighting.confidence);
    row.last_seen = std::mem::take(&mut row.last_seen).max(sighting.last_seen.clone());
    row.mention |= sighting.mention;
    union(&mut row.repo_ids, sighting.repo_ids.clone());
    union(&mut row.repo_keys, sighting.repo_keys.clone());
    row.evidence = kept([std::mem::take(&mut row.evidence), evidence.clone()].concat());
    let old = row.fingerprint.clone();
    if let Some(better) = &sighting.better {
        (row.title, row.trigger_condition, row.action) = (
            better.title.clone(),
            better.trigger.clone(),
            better.action.clone(),
        );
        row.candidate_type = better.candidate_type;
        row.identify();
    }
    let fingerprint = row.fingerprint.clone();
    rows.extend(
        evidence
            .iter()
            .map(|piece| EvidenceRow::new(&fingerprint, piece)),
    );
    changes.push(Change::Put(Box::new(row.clone())));
    if fingerprint != old {
        changes.push(Change::Move {
            from: old,
            to: fingerprint.clone(),
        });
    }
    changes.push(Change::Groups {
        fingerprint,
        groups: sighting.groups.clone(),
    });
}

fn piece(evidence: &aggregate::Evidence) -> Evidence {
    let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    Evidence {
        event_id: evidence.event_id.clone(),
        quote: evidence.quote.clone(),
        timestamp: evidence.timestamp.clone(),
        session_id: some(&evidence.session_id),
        repo_id: some(&evidence.repo_id),
    }
}

/// Returns a rule file; empty if there is none, or it is huge.
fn rules_in(path: &Path) -> String {
    let is_small = std::fs::metadata(path).is_ok_and(|meta| meta.len() <= MAX_RULES_BYTES);
    match is_small {
        true => std::fs::read_to_string(path).unwrap_or_default(),
        false => String::new(),
    }
}
