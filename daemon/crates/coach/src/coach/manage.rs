//! What is recorded, kept and moved to other machines.

use super::CoachError;
use super::owner::Coach;
use crate::ledger::{CandidateRow, Change, LedgerWrite, all, promotions};
use crate::record::{EventWrite, PayloadWrite, Selection, mutes};
use ccd_protocol::coach::{
    Candidate, CoachExportReply, CoachImportParams, CoachImportReply, CoachMuteParams,
    CoachMuteReply, Mute, Promotion,
};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Rejected candidates are deleted after this time.
const REJECTED_DAYS: f64 = 90.0;

/// Successes that may teach a remedy are kept as long as events wait.
const SUCCESS_DAYS: f64 = 30.0;

const DAY_S: f64 = 86_400.0;

const MAX_IMPORTED: usize = 100_000;

impl Coach {
    pub async fn mute(&self, params: CoachMuteParams) -> Result<CoachMuteReply, CoachError> {
        let databases = self.databases().await?;
        if params.signal_type.is_none() && params.project.is_none() {
            return Err(CoachError::InvalidArgument(
                "give a type, a project, or both".into(),
            ));
        }
        let mute = Mute {
            signal_type: params.signal_type,
            repo_id: params.project.map(|project| self.repo_id(&project)),
            since: ccd_text::clock::now(),
        };
        let change = if params.off {
            EventWrite::Unmute(mute)
        } else {
            EventWrite::Mute(mute)
        };
        databases.events.commit(change).await?;
        let mutes = mutes(&databases.events).await?;
        Ok(CoachMuteReply { mutes })
    }

    pub async fn retain(&self) -> Result<(), CoachError> {
        if !self.paths.home.exists() {
            return Ok(());
        }
        let databases = self.databases().await?;
        let settings = self.settings();
        let ago = |seconds: f64| ccd_text::clock::seconds_ago(seconds);
        let events = ago(settings.keep_events.as_secs_f64());
        let payloads = Selection {
            before: Some(ago(settings.keep_payloads.as_secs_f64())),
            ..Selection::default()
        };
        self.store.commit(PayloadWrite::Forget(payloads)).await?;
        let retain = EventWrite::Retain {
            events: events.clone(),
            successes: ago(SUCCESS_DAYS * DAY_S),
        };
        databases.events.commit(retain).await?;
        let _deciding = self.deciding.lock().await;
        let retain = Change::Retain {
            rejected: ago(REJECTED_DAYS * DAY_S),
            evidence: events,
        };
        databases.ledger.commit(LedgerWrite(vec![retain])).await?;
        databases.tidy();
        Ok(self.write_mirror(databases).await?)
    }

    pub async fn export(&self) -> Result<CoachExportReply, CoachError> {
        let mut reply = CoachExportReply {
            version: 1,
            exported_at: ccd_text::clock::now(),
            candidates: Vec::new(),
            promotions: Vec::new(),
        };
        let Some(databases) = self.existing().await? else {
            return Ok(reply);
        };
        let rows = all(&databases.ledger).await?;
        let fingerprints: Vec<String> = rows.iter().map(|row| row.fingerprint.clone()).collect();
        let candidates = rows.iter().map(|row| {
            row.to_candidate(
                crate::ledger::short_id(&row.fingerprint, &fingerprints),
                usize::MAX,
            )
        });
        reply.candidates = candidates.collect();
        reply.promotions = promotions(&databases.ledger).await?;
        Ok(reply)
    }

    /// Merges the candidates of a document into the ledger. Fingerprints are computed anew; equal ones are merged.
    pub async fn import(&self, params: CoachImportParams) -> Result<CoachImportReply, CoachError> {
        let databases = self.databases().await?;
        let entries = params.document["candidates"].as_array().cloned();
        let entries = entries.ok_or_else(|| {
            CoachError::InvalidArgument("document: has no list \"candidates\"".into())
        })?;
        if entries.len() > MAX_IMPORTED {
            return Err(CoachError::InvalidArgument(format!(
                "document: more than {MAX_IMPORTED} candidates"
            )));
        }
        let _deciding = self.deciding.lock().await;
        let mut rows: BTreeMap<String, CandidateRow> = all(&databases.ledger)
            .await?
            .into_iter()
            .map(|row| (row.fingerprint.clone(), row))
            .collect();
        let mut reply = CoachImportReply {
            added: 0,
            merged: 0,
            fingerprints: Vec::new(),
            refused: Vec::new(),
        };
        let (mut changed, mut renamed) = (Vec::new(), BTreeMap::new());
        for (number, entry) in entries.into_iter().enumerate() {
            let old = entry["fingerprint"].as_str().unwrap_or_default().to_owned();
            let row = match imported(entry) {
                Ok(row) => row,
                Err(error) => {
                    reply.refused.push(format!("candidates[{number}]: {error}"));
                    continue;
                }
            };
            renamed.insert(old, row.fingerprint.clone());
            changed.push(row.fingerprint.clone());
            match rows.get_mut(&row.fingerprint) {
                Some(known) => {
                    known.merge(row);
                    reply.merged += 1;
                }
                None => {
                    rows.insert(row.fingerprint.clone(), row);
                    reply.added += 1;
                }
            }
        }
        reply.fingerprints.clone_from(&changed);
        let puts = changed
            .iter()
            .filter_map(|fingerprint| rows.get(fingerprint));
        let mut changes: Vec<Change> = puts.map(|row| Change::Put(Box::new(row.clone()))).collect();
        let known: Vec<String> = promotions(&databases.ledger)
            .await?
            .into_iter()
            .map(|one| one.id)
            .collect();
        let new: Vec<Promotion> =
            serde_json::from_value(params.document["promotions"].clone()).unwrap_or_default();
        for promotion in new.into_iter().filter(|one| !known.contains(&one.id)) {
            if let Some(fingerprint) = renamed.get(&promotion.fingerprint) {
                let fingerprint = fingerprint.clone();
                changes.push(Change::Promotion(Promotion {
                    fingerprint,
                    ..promotion
                }));
            }
        }
        databases.ledger.commit(LedgerWrite(changes)).await?;
        self.write_mirror(databases).await?;
        Ok(reply)
    }
}

/// Reads an entry: one of `coach.export`, or a row of the seed's table, whose lists are texts of JSON.
fn imported(entry: Value) -> Result<CandidateRow, String> {
    let Value::Object(mut members) = entry else {
        return Err("must be an object".into());
    };
    for name in ["repo_ids", "evidence"] {
        if let Some(Value::String(json)) = members.get(name) {
            let list = serde_json::from_str(json).map_err(|error| format!("{name}: {error}"))?;
            members.insert(name.into(), list);
        }
    }
    let defaults = serde_json::json!({
        "id": "", "fingerprint": "", "normalized_text": "", "title": "", "current_scope": "project", "repo_ids": [],
        "evidence": [], "confidence": 0.0, "count": 1, "status": "pending", "first_seen": "", "last_seen": "",
        "scope_guess": "project", "eligible": false,
    });
    let mut whole: Map<String, Value> = defaults.as_object().cloned().unwrap_or_default();
    whole.extend(members.into_iter().filter(|(_, value)| !value.is_null()));
    let mut candidate: Candidate =
        serde_json::from_value(Value::Object(whole)).map_err(|error| error.to_string())?;
    if candidate.trigger_condition.trim().is_empty() || candidate.action.trim().is_empty() {
        return Err("has no trigger_condition or no action".into());
    }
    // Text from elsewhere ends in files, too.
    for text in [
        &mut candidate.title,
        &mut candidate.trigger_condition,
        &mut candidate.action,
    ] {
        let line: String = text
            .chars()
            .map(|letter| if letter.is_control() { ' ' } else { letter })
            .collect();
        *text = ccd_text::redact::redact(&line.replace("<!--", "").replace("-->", ""))
            .text
            .into_owned();
    }
    Ok(CandidateRow::of_candidate(candidate))
}
