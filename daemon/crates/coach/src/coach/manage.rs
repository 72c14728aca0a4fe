//! What is recorded, kept and moved to other machines.

use super::CoachError;
use super::owner::Coach;
use crate::ledger::{CandidateRow, Change, all, promotions, short_id};
use crate::record::{EventWrite, PayloadWrite, Selection, mutes};
use ccd_protocol::coach::{
    CoachExportReply, CoachImportParams, CoachImportReply, CoachMuteParams, CoachMuteReply, Mute,
    Promotion,
};
use serde_json::Value;
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
            return Err(CoachError::invalid("give a type, a project, or both"));
        }
        let mute = Mute {
            signal_type: params.signal_type,
            repo_id: params.project.map(|project| self.repo_id(&project)),
            since: ccd_base::clock::now(),
        };
        let change = if params.off {
            EventWrite::Unmute
        } else {
            EventWrite::Mute
        };
        databases.events.commit(change(mute)).await?;
        let mutes = mutes(&databases.events).await?;
        Ok(CoachMuteReply { mutes })
    }

    pub async fn retain(&self) -> Result<(), CoachError> {
        if !self.paths.home.exists() {
            return Ok(());
        }
        let databases = self.databases().await?;
        let settings = self.settings();
        let ago = |seconds: f64| ccd_base::clock::seconds_ago(seconds);
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
        databases.change(vec![retain]).await?;
        databases.tidy();
        Ok(self.write_mirror(databases).await?)
    }

    pub async fn export(&self) -> Result<CoachExportReply, CoachError> {
        let mut reply = CoachExportReply {
            version: 1,
            exported_at: ccd_base::clock::now(),
            candidates: Vec::new(),
            promotions: Vec::new(),
        };
        let Some(databases) = self.existing().await? else {
            return Ok(reply);
        };
        let rows = all(&databases.ledger).await?;
        let fingerprints: Vec<String> = rows.iter().map(|row| row.fingerprint.clone()).collect();
        let id = |row: &CandidateRow| short_id(&row.fingerprint, &fingerprints);
        let candidates = rows.iter().map(|row| row.to_candidate(id(row), usize::MAX));
        reply.candidates = candidates.collect();
        reply.promotions = promotions(&databases.ledger).await?;
        Ok(reply)
    }

    /// Merges the candidates of a document into the ledger. Fingerprints are computed anew; equal ones are merged.
    pub async fn import(&self, params: CoachImportParams) -> Result<CoachImportReply, CoachError> {
        let databases = self.databases().await?;
        let entries = params.document["candidates"].as_array().cloned();
        let missing = || CoachError::invalid("document: has no list \"candidates\"");
        let entries = entries.ok_or_else(missing)?;
        if entries.len() > MAX_IMPORTED {
            let what = format!("document: more than {MAX_IMPORTED} candidates");
            return Err(CoachError::invalid(what));
        }
        let _deciding = self.deciding.lock().await;
        let rows = all(&databases.ledger).await?.into_iter();
        let mut rows: BTreeMap<String, CandidateRow> =
            rows.map(|row| (row.fingerprint.clone(), row)).collect();
        let mut reply = CoachImportReply {
            added: 0,
            merged: 0,
            fingerprints: Vec::new(),
            refused: Vec::new(),
        };
        let mut renamed = BTreeMap::new();
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
            reply.fingerprints.push(row.fingerprint.clone());
            if let Some(known) = rows.get_mut(&row.fingerprint) {
                known.merge(row);
                reply.merged += 1;
            } else {
                rows.insert(row.fingerprint.clone(), row);
                reply.added += 1;
            }
        }
        let changed = reply.fingerprints.iter().filter_map(|one| rows.get(one));
        let put = Change::Put(changed.cloned().collect());
        let known = promotions(&databases.ledger).await?;
        let promotions = new_promotions(&params.document, &known, &renamed);
        let changes = std::iter::once(put).chain(promotions.into_iter().map(Change::Promotion));
        databases.change(changes.collect()).await?;
        self.write_mirror(databases).await?;
        Ok(reply)
    }
}

/// Returns the promotions of a document that are not known, under the new fingerprints of their candidates.
fn new_promotions(
    document: &Value,
    known: &[Promotion],
    renamed: &BTreeMap<String, String>,
) -> Vec<Promotion> {
    let all: Vec<Promotion> =
        serde_json::from_value(document["promotions"].clone()).unwrap_or_default();
    let is_new = |one: &Promotion| known.iter().all(|known| known.id != one.id);
    let new = all.into_iter().filter(is_new);
    let with_fingerprint = |promotion: Promotion| {
        let fingerprint = renamed.get(&promotion.fingerprint)?.clone();
        Some(Promotion {
            fingerprint,
            ..promotion
        })
    };
    new.filter_map(with_fingerprint).collect()
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
    let mut row = CandidateRow::from_json(members).map_err(|error| error.to_string())?;
    let candidate = &mut row.candidate;
    if candidate.trigger_condition.trim().is_empty() || candidate.action.trim().is_empty() {
        return Err("has no trigger_condition or no action".into());
    }
    // Text from elsewhere ends in files, too.
    for text in [
        &mut candidate.title,
        &mut candidate.trigger_condition,
        &mut candidate.action,
    ] {
        let line = text.replace(char::is_control, " ");
        let line = line.replace("<!--", "").replace("-->", "");
        *text = ccd_text::redact::redact(&line).text.into_owned();
    }
    candidate.mention = false;
    row.identify();
    Ok(row)
}
