//! What decisions are made of: the candidate, the file, and both together.

use super::CoachError;
use super::owner::{Coach, Databases};
use crate::json_rows::json;
use crate::ledger::{
    CandidateLookup, CandidateRow, Change, DecisionRow, decisions_in, evidence_of, find,
    next_decision, promotions,
};
use crate::place::{FILE_BYTES, Plan, Words, plan, write};
use crate::record::projects;
use ccd_protocol::coach::Scope;
use ccd_store::{StoreError, blocking, own_file};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The decision to write a rule to the user's own.
pub(super) const PROMOTE: &str = "promote";

pub(super) struct Rule<'a> {
    pub(super) old: &'a CandidateRow,
    pub(super) row: &'a CandidateRow,
    pub(super) decision: &'static str,
    pub(super) reason: Option<String>,
    pub(super) changes: Vec<Change>,
    pub(super) plan: &'a Plan,
}

impl Coach {
    /// Finishes decisions in whose middle the daemon was killed: the file is written, or the decision was never made.
    pub(super) async fn finish_decisions(&self, databases: &Databases) -> Result<(), StoreError> {
        for decision in decisions_in(&databases.ledger, "writing").await? {
            let (Some(file), Some(after)) = (&decision.file, &decision.file_after) else {
                continue;
            };
            let is_written = own_file::document(Path::new(file), FILE_BYTES)
                .is_ok_and(|bytes| bytes == *after)
                || write(Path::new(file), decision.file_before.as_deref(), after).is_ok();
            let id = decision.id;
            let changes = match decision.before() {
                Some(before) if !is_written => {
                    let from = decision.fingerprint.clone();
                    let to = before.fingerprint.clone();
                    let mut back = vec![Change::Put(vec![before]), Change::DeleteDecision(id)];
                    back.extend((from != to).then_some(Change::Move { from, to }));
                    back
                }
                _ => vec![Change::DecisionState(id, "done")],
            };
            tracing::warn!(
                file,
                is_written,
                "a decision of the coach was interrupted; it was finished or taken back"
            );
            databases.change(changes).await?;
        }
        Ok(())
    }

    /// Decides, then writes the file; takes the decision back if the file cannot be written.
    pub(super) async fn write_rule(
        &self,
        databases: &Databases,
        rule: Rule<'_>,
    ) -> Result<(), CoachError> {
        let Rule {
            old,
            row,
            decision: what,
            reason,
            mut changes,
            plan,
        } = rule;
        let decision = self.decision(databases, old, row, what, reason, Some(plan));
        let decision = decision.await?;
        let id = decision.id;
        changes.push(Change::Decision(Box::new(DecisionRow {
            state: "writing".into(),
            ..decision
        })));
        databases.change(changes).await?;
        let (path, before, after) = (plan.path.clone(), plan.before.clone(), plan.after.clone());
        match blocking(move || write(&path, before.as_deref(), &after)).await {
            Ok(made) => {
                let mut done = vec![Change::DecisionState(id, "done")];
                done.extend(made.map(|made| Change::MadeFolder(id, made.display().to_string())));
                Ok(databases.change(done).await?)
            }
            Err(error) => {
                let mut back = vec![Change::DeleteDecision(id)];
                back.extend(moved(row, old));
                if what == PROMOTE {
                    let mut all = promotions(&databases.ledger).await?.into_iter();
                    let made = all.find(|one| one.fingerprint == row.fingerprint);
                    back.extend(made.map(|one| Change::DeletePromotion(one.id)));
                }
                databases.change(back).await?;
                Err(error.into())
            }
        }
    }

    pub(super) async fn decision(
        &self,
        databases: &Databases,
        old: &CandidateRow,
        new: &CandidateRow,
        decision: &str,
        reason: Option<String>,
        plan: Option<&Plan>,
    ) -> Result<DecisionRow, CoachError> {
        Ok(DecisionRow {
            id: next_decision(&databases.ledger).await?,
            fingerprint: new.fingerprint.clone(),
            at: ccd_base::clock::now(),
            decision: decision.into(),
            reason,
            file: plan.map(|plan| plan.path.display().to_string()),
            file_before: plan.and_then(|plan| plan.before.clone()),
            file_after: plan.map(|plan| plan.after.clone()),
            block: plan.map(|plan| plan.block.clone()),
            candidate_before: json(old),
            made_folder: None,
            state: "done".into(),
        })
    }

    pub(super) async fn plan(
        &self,
        row: &CandidateRow,
        scope: Scope,
        root: &Path,
    ) -> Result<Plan, CoachError> {
        let (claude, row, root) = (self.paths.claude.clone(), row.clone(), root.to_owned());
        let planned = blocking(move || {
            let words = Words {
                fingerprint: &row.fingerprint,
                kind: row.candidate_type,
                title: &row.title,
                trigger: &row.trigger_condition,
                action: &row.action,
            };
            plan(&claude, words, scope, &root)
        });
        Ok(planned.await?)
    }

    pub(super) async fn row(
        &self,
        databases: &Databases,
        id: &str,
    ) -> Result<CandidateRow, CoachError> {
        match find(&databases.ledger, id.trim()).await? {
            CandidateLookup::One(row) => Ok(*row),
            CandidateLookup::None => Err(CoachError::NotFound(id.to_owned())),
            CandidateLookup::Several(found) => {
                let short = |one: &String| one.chars().take(12).collect();
                Err(CoachError::Ambiguous {
                    start: id.to_owned(),
                    found: found.iter().map(short).collect(),
                })
            }
        }
    }

    pub(super) async fn state(
        &self,
        databases: &Databases,
        row: &CandidateRow,
        what: &'static str,
    ) -> CoachError {
        let shown = self.shown_candidate(databases, row).await;
        CoachError::State {
            id: shown.map_or_else(|_| row.fingerprint.clone(), |shown| shown.id),
            status: row.status,
            what,
        }
    }

    /// Returns the directory of the project that a candidate is written to: the caller's, if it was seen there, otherwise the
    /// only one in which it was seen. One that was seen nowhere on this machine was imported, and is written to the caller's.
    pub(super) async fn root_of(
        &self,
        databases: &Databases,
        row: &CandidateRow,
        scope: Scope,
        cwd: Option<&str>,
    ) -> Result<PathBuf, CoachError> {
        if scope == Scope::Global {
            return Ok(PathBuf::from("/"));
        }
        if let Some(cwd) = cwd {
            let here = self.projects.identify(cwd);
            if row.repo_ids.contains(&here.id) {
                return Ok(here.root);
            }
        }
        let known = projects(&databases.events).await?;
        let evidence = evidence_of(&databases.ledger, &row.fingerprint, 1000).await?;
        let seen_in = evidence.iter().filter_map(|piece| piece.repo_id.as_ref());
        let ids = seen_in.chain(row.repo_ids.iter());
        let roots: BTreeSet<&PathBuf> = ids.filter_map(|id| known.get(id)).collect();
        let there: Vec<&PathBuf> = roots.iter().copied().filter(|root| root.is_dir()).collect();
        match (there.as_slice(), cwd) {
            ([root], _) => Ok((*root).clone()),
            // A rule must not end up in a project that has nothing to do with it.
            ([], _) if !roots.is_empty() => Err(CoachError::Refused(format!(
                "the project no longer exists: {}; --scope global writes to your own rules",
                shown(roots.iter().copied())
            ))),
            ([], Some(cwd)) => Ok(self.projects.identify(cwd).root),
            ([], None) => Err(CoachError::invalid(
                "the project's directory is not known; give cwd",
            )),
            (several, _) => Err(CoachError::Refused(format!(
                "it was seen in several projects: {}; approve it in the directory of one, or use --scope global",
                shown(several.iter().copied())
            ))),
        }
    }
}

/// Returns the changes that put `new` in the place of `old`.
pub(super) fn moved(old: &CandidateRow, new: &CandidateRow) -> Vec<Change> {
    let mut changes = vec![Change::Put(vec![new.clone()])];
    if old.fingerprint != new.fingerprint {
        changes.push(Change::Move {
            from: old.fingerprint.clone(),
            to: new.fingerprint.clone(),
        });
    }
    changes
}

fn shown<'a>(roots: impl Iterator<Item = &'a PathBuf>) -> String {
    let roots: Vec<String> = roots.map(|root| root.display().to_string()).collect();
    roots.join(", ")
}
