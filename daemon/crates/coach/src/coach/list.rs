//! What the coach shows: candidates, events, counts.

use super::CoachError;
use super::arguments::{MAX_LIST_LEN, check_time, limit};
use super::batch::{LAST_PROPOSAL, MIRROR_HASH};
use super::owner::{Coach, Databases};
use super::received::read;
use super::reports::shown_effect;
use crate::detect::Detector;
use crate::fingerprint::{fingerprint, normalise};
use crate::ledger::{
    CandidateRow, DecisionRow, Page, decisions, evidence_of, evidence_times, fingerprints, guards,
    guards_and_lost, is_edited, page, promotions, short_id, state_of, statuses,
};
use crate::record::{Filter, counts, mutes, page as events_page};
use ccd_protocol::coach::{
    Candidate, CandidateStatus, CoachDetectParams, CoachDetectReply, CoachEventsParams,
    CoachEventsReply, CoachFingerprintParams, CoachFingerprintReply, CoachGetParams, CoachGetReply,
    CoachLedgerParams, CoachLedgerReply, CoachPatternsReply, CoachReviewParams, CoachReviewReply,
    CoachStatusReply, Decision, Detected, Guard, Signal,
};
use ccd_store::blocking;
use std::collections::HashMap;
use std::sync::Arc;

const MAX_PAYLOADS: usize = 10_000;

impl Coach {
    /// Returns the numbers of events and candidates, and what is wrong.
    pub async fn status(&self) -> Result<CoachStatusReply, CoachError> {
        let config = self.config().await;
        let settings = self.settings();
        let may_record = settings.enabled && settings.record != Some(false);
        let mut status = CoachStatusReply {
            enabled: settings.enabled,
            record: settings.record,
            recording_since: self.consent.since().filter(|_| may_record),
            home: self.paths.home.display().to_string(),
            backlog_bytes: self.queues().0,
            problems: config.problems.clone(),
            ..CoachStatusReply::default()
        };
        let Some(databases) = self.existing().await? else {
            return Ok(status);
        };
        let counts = counts(&databases.events).await?;
        let pending = Page::with_status(CandidateStatus::Pending, u32::MAX);
        let pending = page(&databases.ledger, pending).await?.into_iter();
        let threshold = config.promotion_threshold_repos;
        let eligible = pending.filter(|row| row.repositories() >= threshold);
        let written = state_of(&databases.ledger, MIRROR_HASH).await?;
        status.problems.extend(databases.incidents.clone());
        let invalid = self.queues().1;
        if invalid > 0 {
            let unread = format!("{invalid} hook payloads could not be read");
            status.problems.push(unread);
        }
        let (guards, lost) = guards_and_lost(&databases.ledger).await?;
        if lost > 0 {
            let lost = format!("{lost} guards cannot be read, and do not hold");
            status.problems.push(lost);
        }
        Ok(CoachStatusReply {
            pending_events: counts.pending,
            processed_events: counts.processed,
            events_by_type: counts.by_type,
            candidates: statuses(&databases.ledger).await?,
            eligible: eligible.count() as u64,
            last_proposal: state_of(&databases.ledger, LAST_PROPOSAL).await?,
            sizes: [
                ("events".to_owned(), databases.events.size_bytes()),
                ("ledger".to_owned(), databases.ledger.size_bytes()),
            ]
            .into(),
            mirror_edited: written.is_some_and(|hash| is_edited(&self.paths.mirror(), &hash)),
            mutes: mutes(&databases.events).await?,
            guards,
            ..status
        })
    }

    pub async fn review(&self, params: CoachReviewParams) -> Result<CoachReviewReply, CoachError> {
        let Some(databases) = self.existing().await? else {
            return Ok(CoachReviewReply::default());
        };
        let which = Page {
            repo_id: params.project.map(|project| self.repo_id(&project)),
            by_count: true,
            ..Page::with_status(CandidateStatus::Pending, limit(params.limit)?)
        };
        let rows = page(&databases.ledger, which).await?;
        let candidates = self.shown_candidates(databases, rows).await?;
        Ok(CoachReviewReply { candidates })
    }

    pub async fn get(&self, params: CoachGetParams) -> Result<CoachGetReply, CoachError> {
        let databases = self.with_candidate(&params.id).await?;
        let row = self.row(databases, &params.id).await?;
        let candidate = self.shown_candidate(databases, &row).await?;
        let decisions = decisions(&databases.ledger, &row.fingerprint).await?;
        let (mut file, mut diff) = (candidate.applied_to.clone(), String::new());
        if row.status == CandidateStatus::Pending {
            // A diff that cannot be made hides nothing else.
            let (scope, cwd) = (row.scope_guess, params.cwd.as_deref());
            if let Ok(root) = self.root_of(databases, &row, scope, cwd).await
                && let Ok(plan) = self.plan(&row, scope, &root).await
            {
                (file, diff) = (Some(plan.path.display().to_string()), plan.diff);
            }
        }
        Ok(CoachGetReply {
            evidence: evidence_of(&databases.ledger, &row.fingerprint, MAX_LIST_LEN).await?,
            decisions: decisions.into_iter().map(decision).collect(),
            candidate,
            file,
            diff,
        })
    }

    pub async fn events(&self, params: CoachEventsParams) -> Result<CoachEventsReply, CoachError> {
        let Some(databases) = self.existing().await? else {
            return Ok(CoachEventsReply::default());
        };
        if let Some(since) = &params.since {
            check_time("since", since)?;
        }
        let filter = Filter {
            since: params.since,
            signal_type: params.signal_type,
            repo_id: params.project.map(|project| self.repo_id(&project)),
            before: params.before,
            limit: limit(params.limit)?,
        };
        let events = events_page(&databases.events, filter).await?;
        Ok(CoachEventsReply { events })
    }

    pub async fn ledger(&self, params: CoachLedgerParams) -> Result<CoachLedgerReply, CoachError> {
        let Some(databases) = self.existing().await? else {
            return Ok(CoachLedgerReply::default());
        };
        let which = Page {
            status: params.status,
            search: params.search,
            limit: limit(params.limit)?,
            ..Page::default()
        };
        let rows = page(&databases.ledger, which).await?;
        Ok(CoachLedgerReply {
            candidates: self.shown_candidates(databases, rows).await?,
            promotions: promotions(&databases.ledger).await?,
        })
    }

    pub async fn patterns(&self) -> CoachPatternsReply {
        let config = self.config().await;
        CoachPatternsReply {
            groups: config.listed(),
            path: self.paths.config().display().to_string(),
            problems: config.problems.clone(),
        }
    }

    /// Returns the signals of payloads, each in the light of the earlier ones of its session.
    pub async fn detect(&self, params: CoachDetectParams) -> Result<CoachDetectReply, CoachError> {
        if params.payloads.len() > MAX_PAYLOADS {
            let what = format!("payloads: at most {MAX_PAYLOADS}");
            return Err(CoachError::invalid(what));
        }
        let patterns = Arc::clone(&self.config().await.patterns);
        let detected = blocking(move || {
            let mut sessions: HashMap<String, Detector> = HashMap::new();
            let mut results = Vec::with_capacity(params.payloads.len());
            for payload in params.payloads {
                results.push(match read(payload.as_bytes()) {
                    Ok((payload, _)) => {
                        let detector = sessions
                            .entry(payload.session_id.clone())
                            .or_insert_with(|| Detector::new(Arc::clone(&patterns)));
                        let signals = detector.detect(&payload).signals;
                        Detected {
                            signals: signals.into_iter().map(signal).collect(),
                            error: None,
                        }
                    }
                    Err(error) => Detected {
                        signals: Vec::new(),
                        error: Some(error.to_string()),
                    },
                });
            }
            results
        });
        Ok(CoachDetectReply {
            results: detected.await,
        })
    }

    #[must_use]
    pub fn fingerprint(&self, params: &CoachFingerprintParams) -> CoachFingerprintReply {
        let (kind, trigger, action) = (params.candidate_type, &params.trigger, &params.action);
        CoachFingerprintReply {
            normalized_text: crate::fingerprint::normalized_text(trigger, action),
            normalized_trigger: normalise(trigger),
            normalized_action: normalise(action),
            fingerprint: fingerprint(kind, trigger, action).to_string(),
        }
    }

    /// Returns the id of a repository that is given by it, or by a directory in it.
    pub(super) fn repo_id(&self, project: &str) -> String {
        if project.contains('/') {
            self.projects.identify(project).id
        } else {
            project.to_owned()
        }
    }

    pub(super) async fn shown_candidate(
        &self,
        databases: &Databases,
        row: &CandidateRow,
    ) -> Result<Candidate, CoachError> {
        let mut shown = self.shown_candidates(databases, vec![row.clone()]).await?;
        let shown = shown.pop();
        shown.ok_or_else(|| CoachError::NotFound(row.fingerprint.clone()))
    }

    pub(super) async fn shown_candidates(
        &self,
        databases: &Databases,
        rows: Vec<CandidateRow>,
    ) -> Result<Vec<Candidate>, CoachError> {
        let all = fingerprints(&databases.ledger).await?;
        let guards = guards(&databases.ledger).await?;
        let threshold = self.config().await.promotion_threshold_repos;
        let mut shown = Vec::with_capacity(rows.len());
        for row in rows {
            let mut candidate = row.to_candidate(short_id(&row.fingerprint, &all), threshold);
            let is_of_row = |guard: &Guard| guard.fingerprint == row.fingerprint;
            candidate.guarded = guards.iter().any(is_of_row);
            if row.is_in_force() {
                let mut written = decisions(&databases.ledger, &row.fingerprint).await?;
                written.retain(|one| one.state != "undone" && one.file.is_some());
                candidate.applied_to = written.last().and_then(|one| one.file.clone());
                let first = written.into_iter().next();
                if let Some(since) = first.map_or(row.promoted_at.clone(), |one| Some(one.at)) {
                    let times = evidence_times(&databases.ledger, &row.fingerprint).await?;
                    candidate.effect = shown_effect(&since, &times);
                }
            }
            shown.push(candidate);
        }
        Ok(shown)
    }
}

fn signal(signal: crate::signal::Signal) -> Signal {
    Signal {
        signal_type: signal.signal_type,
        event_type: signal.event_type,
        matches: signal.matches,
        confidence: signal.confidence,
        detail: signal.detail,
    }
}

pub(super) fn decision(row: DecisionRow) -> Decision {
    Decision {
        at: row.at,
        decision: row.decision,
        reason: row.reason,
        file: row.file,
        undone: row.state == "undone",
    }
}
