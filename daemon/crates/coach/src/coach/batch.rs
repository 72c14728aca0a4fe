//! From recorded events to candidates.

use super::CoachError;
use super::owner::{Coach, Databases};
use crate::aggregate::{
    self, Aggregation, Input, KnownCandidate, KnownGroup, Proposal, Settings, Sighting,
};
use crate::event::{Event, Success};
use crate::json_rows::json;
use crate::ledger::{
    CandidateRow, Change, EvidenceList, all, evidence_ids, kept, known, state_of, union,
    with_fingerprints, write_mirror,
};
use crate::record::{EventWrite, pending, projects, successes};
use crate::scope::RuleFile;
use ccd_protocol::coach::{Candidate, CandidateStatus, CoachAggregateReply, Evidence, Scope};
use ccd_repository::distrust;
use ccd_store::{StoreError, own_file};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

const MAX_EVENTS: u32 = 200_000;

/// How far back a success may be that followed a failure: as long as events wait.
const SUCCESSES_S: f64 = 30.0 * 86_400.0;

/// The state under which the ids of events are kept that the ledger has counted, as JSON, until they are marked.
const DECIDING: &str = "deciding";

/// Its value after that.
const NONE: &str = "[]";

/// The state with the time of the last new candidate.
pub(super) const LAST_PROPOSAL: &str = "last_proposal";

/// The state with the hash of the mirror as it was written.
pub(super) const MIRROR_HASH: &str = "mirror_hash";

/// Most bytes of a rule file that is compared with.
const MAX_RULES_BYTES: u64 = 1 << 20;

impl Coach {
    /// Turns all events that wait into candidates, as far as there is enough evidence; those of all payloads that have
    /// been taken so far.
    pub async fn aggregate(&self) -> Result<CoachAggregateReply, CoachError> {
        self.settle().await?;
        if self.existing().await?.is_none() {
            return Ok(CoachAggregateReply::default());
        }
        self.run_batch().await
    }

    pub(super) async fn run_batch(&self) -> Result<CoachAggregateReply, CoachError> {
        let start = Instant::now();
        let databases = self.databases().await?;
        let _deciding = self.deciding.lock().await;
        finish(databases).await?;
        let events = pending(&databases.events, MAX_EVENTS).await?;
        let since = ccd_base::clock::seconds_ago(SUCCESSES_S);
        let given = events.len();
        let batch = Batch {
            events,
            successes: successes(&databases.events, &since).await?,
            known: known(&databases.ledger).await?,
            settings: self.aggregation_settings(databases).await?,
            now: ccd_base::clock::now(),
        };
        let (mut batch, mut result) = batch.run().await;
        if batch.note_counted(databases, &result).await? {
            (batch, result) = batch.run().await;
        }
        // It is large, and its thousands of texts are freed on another thread meanwhile.
        tokio::task::spawn_blocking(move || drop(batch));
        let new = result.proposals.iter();
        let new: Vec<String> = new.map(|one| one.fingerprint.to_string()).collect();
        let seen_again = result.sightings.len() as u64;
        let processed = self.store_result(databases, result).await?;
        let new = with_fingerprints(&databases.ledger, &new).await?;
        let candidates = self.shown_candidates(databases, new).await?;
        Ok(CoachAggregateReply {
            candidates,
            seen_again,
            processed: processed as u64,
            pending: given.saturating_sub(processed) as u64,
            duration_ms: start.elapsed().as_millis() as u64,
        })
    }

    /// Stores candidates and evidence, then marks the events. A kill in between is finished by the next batch.
    async fn store_result(
        &self,
        databases: &Databases,
        result: Aggregation,
    ) -> Result<usize, CoachError> {
        let mut rows = Vec::new();
        if !result.sightings.is_empty() {
            rows = all(&databases.ledger).await?;
        }
        let has_proposals = !result.proposals.is_empty();
        let (mut changes, decided, json) = ccd_store::blocking(move || {
            let ids = result.decided.into_iter().chain(result.expired);
            let ids: Vec<String> = ids.collect();
            let json = json(&ids);
            let decided = ids.len();
            let changes = changes(result.proposals, result.sightings, rows);
            (changes, decided, json)
        })
        .await;
        if decided == 0 && changes.is_empty() {
            return Ok(0);
        }
        changes.push(Change::State(DECIDING, json));
        if has_proposals {
            changes.push(Change::State(LAST_PROPOSAL, ccd_base::clock::now()));
        }
        databases.change(changes).await?;
        let (marked, mirrored) = tokio::join!(finish(databases), self.write_mirror(databases));
        marked?;
        mirrored?;
        Ok(decided)
    }

    async fn aggregation_settings(&self, databases: &Databases) -> Result<Settings, CoachError> {
        let config = self.config().await;
        let projects = projects(&databases.events).await?;
        let project_rules = projects.into_iter().map(|(id, root)| {
            let rules =
                ["CLAUDE.md", ".claude/CLAUDE.md", "AGENTS.md"].map(|name| rules_in(&root, name));
            (id, RuleFile::parse(&rules.join("\n")))
        });
        Ok(Settings {
            min_evidence_count: config.min_evidence_count,
            promotion_threshold_repos: config.promotion_threshold_repos,
            indicators: config.indicators.clone(),
            global_rules: RuleFile::parse(&rules_in(&self.paths.claude, "CLAUDE.md")),
            project_rules: project_rules.collect(),
        })
    }

    /// Writes `candidates.json`. If that fails, the ledger holds all the same.
    pub(super) async fn write_mirror(&self, databases: &Databases) -> Result<(), StoreError> {
        let rows = all(&databases.ledger).await?;
        let last_proposal = state_of(&databases.ledger, LAST_PROPOSAL).await?;
        let mirror = self.paths.mirror();
        let write = move || write_mirror(&mirror, &rows, last_proposal);
        match ccd_store::blocking(write).await {
            Ok(hash) => {
                databases
                    .change(vec![Change::State(MIRROR_HASH, hash)])
                    .await
            }
            Err(error) => {
                tracing::warn!(%error, path = %self.paths.mirror().display(), "the mirror of the ledger could not be written");
                Ok(())
            }
        }
    }
}

async fn finish(databases: &Databases) -> Result<(), StoreError> {
    let deciding = state_of(&databases.ledger, DECIDING).await?;
    let Some(ids) = deciding.filter(|ids| ids != NONE) else {
        return Ok(());
    };
    databases.events.commit(EventWrite::Processed(ids)).await?;
    let done = Change::State(DECIDING, NONE.to_owned());
    databases.change(vec![done]).await
}

struct Batch {
    events: Vec<Event>,
    successes: Vec<Success>,
    known: Vec<KnownCandidate>,
    settings: Settings,
    now: String,
}

impl Batch {
    async fn run(self) -> (Self, Aggregation) {
        ccd_store::blocking(move || {
            let input = Input {
                events: &self.events,
                successes: &self.successes,
                known: &self.known,
                now: &self.now,
            };
            let result = aggregate::aggregate(&input, &self.settings);
            (self, result)
        })
        .await
    }

    /// Tells the candidates which events of a result they have counted before, as those of a restored database. Returns
    /// whether there are any.
    async fn note_counted(
        &mut self,
        databases: &Databases,
        result: &Aggregation,
    ) -> Result<bool, StoreError> {
        let sightings = result.sightings.iter();
        let fingerprints: Vec<&str> = sightings.map(|one| one.fingerprint.as_str()).collect();
        let evidence = result.sightings.iter().flat_map(|one| &one.evidence);
        let ids: Vec<&str> = evidence.map(|piece| piece.event_id.as_str()).collect();
        if ids.is_empty() {
            return Ok(false);
        }
        let mut counted = evidence_ids(&databases.ledger, &fingerprints, &ids).await?;
        let has_counted = !counted.is_empty();
        for candidate in &mut self.known {
            let ids = counted.remove(candidate.fingerprint.as_str());
            candidate.evidence_ids = ids.unwrap_or_default();
        }
        Ok(has_counted)
    }
}

/// Returns what the ledger takes from a result; `rows` are its candidates, if any was seen again.
fn changes(
    proposals: Vec<Proposal>,
    sightings: Vec<Sighting>,
    rows: Vec<CandidateRow>,
) -> Vec<Change> {
    let mut taken = Taken::default();
    for proposal in proposals {
        taken.propose(proposal);
    }
    let rows = rows.into_iter();
    let mut rows: BTreeMap<String, CandidateRow> =
        rows.map(|row| (row.fingerprint.clone(), row)).collect();
    for sighting in sightings {
        if let Some(row) = rows.get_mut(sighting.fingerprint.as_str()) {
            taken.see_again(row, sighting);
        }
    }
    let mut changes = Vec::new();
    if !taken.rows.is_empty() {
        changes.push(Change::Put(taken.rows));
        changes.push(Change::Groups(taken.groups));
        changes.push(Change::Evidence(taken.lists));
    }
    changes
}

/// Rows for the ledger.
#[derive(Default)]
struct Taken {
    rows: Vec<CandidateRow>,
    groups: Vec<(String, KnownGroup)>,
    lists: Vec<EvidenceList>,
}

impl Taken {
    fn propose(&mut self, proposal: Proposal) {
        let fingerprint = proposal.fingerprint.to_string();
        self.support(&fingerprint, &proposal.evidence, proposal.groups);
        let candidate = Candidate {
            id: String::new(),
            fingerprint,
            normalized_text: proposal.normalized_text,
            title: proposal.wording.title,
            candidate_type: proposal.wording.candidate_type,
            trigger_condition: proposal.wording.trigger,
            action: proposal.wording.action,
            current_scope: Scope::Project,
            repo_ids: proposal.repo_ids,
            evidence: kept(proposal.evidence),
            confidence: proposal.confidence,
            count: proposal.count,
            status: CandidateStatus::Pending,
            first_seen: proposal.first_seen,
            last_seen: proposal.last_seen,
            promoted_at: None,
            scope_guess: proposal.scope_guess,
            eligible: false,
            mention: false,
            applied_to: None,
            effect: None,
            guarded: false,
        };
        self.rows.push(CandidateRow {
            candidate,
            repo_keys: proposal.repo_keys,
            rejected_at_count: 0,
        });
    }

    fn see_again(&mut self, row: &mut CandidateRow, sighting: Sighting) {
        row.count += sighting.count_added;
        row.confidence = row.confidence.max(sighting.confidence);
        row.last_seen = std::mem::take(&mut row.last_seen).max(sighting.last_seen);
        row.mention |= sighting.mention;
        union(&mut row.repo_ids, sighting.repo_ids);
        union(&mut row.repo_keys, sighting.repo_keys);
        self.support(&row.fingerprint, &sighting.evidence, sighting.groups);
        row.evidence.extend(sighting.evidence);
        row.evidence = kept(std::mem::take(&mut row.evidence));
        self.rows.push(row.clone());
    }

    /// Adds what belongs to a candidate.
    fn support(&mut self, candidate: &str, evidence: &[Evidence], groups: Vec<KnownGroup>) {
        self.lists.extend(EvidenceList::new(candidate, evidence));
        let groups = groups.into_iter();
        let groups = groups.map(|group| (candidate.to_owned(), group));
        self.groups.extend(groups);
    }
}

/// Returns a rule file of a project; empty if there is none, it could be somebody else's, or it is huge.
fn rules_in(project: &Path, name: &str) -> String {
    let path = project.join(name);
    if distrust(project, &path).is_some() {
        return String::new(); // who approves a rule for it gets the reason
    }
    let rules = own_file::document(&path, MAX_RULES_BYTES).unwrap_or_default();
    String::from_utf8(rules).unwrap_or_default()
}
