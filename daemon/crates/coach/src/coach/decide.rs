//! Decisions on candidates: approve, reject, edit, promote, undo.

use super::CoachError;
use super::owner::{Coach, Databases};
use super::rule::{PROMOTE, Rule, moved};
use crate::aggregate::sentence_case;
use crate::ledger::{
    CandidateLookup, CandidateRow, Change, DecisionRow, decisions, decisions_on, find,
};
use crate::place::{Plan, Written, restore, write};
use crate::scope::{Rules, guess, promotion_eligible};
use ccd_protocol::coach::{
    Candidate, CandidateStatus, CandidateWords, CoachApproveParams, CoachApproveReply,
    CoachEditParams, CoachPromoteParams, CoachPromoteReply, CoachRejectParams, CoachUndoReply,
    Decided, Promotion, Scope,
};
use ccd_repository::commit_file;
use ccd_store::blocking;
use std::path::{Path, PathBuf};

/// Most characters of a title, a trigger and an action.
const MAX_TITLE: usize = 200;
const MAX_PART: usize = 1000;

const APPROVE: &str = "approve";
const REJECT: &str = "reject";
const EDIT: &str = "edit";

impl Coach {
    /// Writes a candidate to its file; with `diff` only returns what would be written. On an error, nothing is changed.
    pub async fn approve(
        &self,
        params: CoachApproveParams,
    ) -> Result<CoachApproveReply, CoachError> {
        let databases = self.with_candidate(&params.id).await?;
        let _deciding = self.deciding.lock().await;
        let what = "it cannot be approved; undo the last decision first";
        let old = self.pending(databases, &params.id, what).await?;
        let mut row = old.clone();
        if let Some(words) = &params.edit {
            apply_words(&mut row, words)?;
        }
        let scope = params.scope.unwrap_or(row.scope_guess);
        let cwd = params.cwd.as_deref();
        let root = self.root_of(databases, &row, scope, cwd).await?;
        let plan = self.plan(&row, scope, &root).await?;
        if params.diff {
            row = old;
        } else {
            row.status = CandidateStatus::Approved;
            row.current_scope = scope;
            let branch = params.branch.as_deref();
            self.write_approved(databases, &old, &row, &plan, branch)
                .await?;
        }
        Ok(CoachApproveReply {
            candidate: self.shown_candidate(databases, &row).await?,
            file: plan.path.display().to_string(),
            diff: plan.diff,
            warnings: plan.warnings,
        })
    }

    async fn write_approved(
        &self,
        databases: &Databases,
        old: &CandidateRow,
        row: &CandidateRow,
        plan: &Plan,
        branch: Option<&str>,
    ) -> Result<(), CoachError> {
        let mut changes = moved(old, row);
        if let Some(branch) = branch {
            let reason = Some(commit(plan, branch, &row.title).await?);
            let decision = self.decision(databases, old, row, APPROVE, reason, Some(plan));
            changes.push(Change::Decision(Box::new(DecisionRow {
                file_before: None,
                file_after: None,
                ..decision.await?
            })));
            databases.change(changes).await?;
        } else {
            let rule = Rule {
                old,
                row,
                decision: APPROVE,
                reason: None,
                changes,
                plan,
            };
            self.write_rule(databases, rule).await?;
        }
        Ok(self.write_mirror(databases).await?)
    }

    /// Rejects a candidate: it is not proposed again. On an error, nothing is changed.
    pub async fn reject(&self, params: CoachRejectParams) -> Result<Decided, CoachError> {
        let databases = self.with_candidate(&params.id).await?;
        let _deciding = self.deciding.lock().await;
        let what = "it cannot be rejected; undo the last decision first";
        let old = self.pending(databases, &params.id, what).await?;
        let mut row = old.clone();
        row.status = CandidateStatus::Rejected;
        row.rejected_at_count = row.count;
        self.decided(databases, &old, &row, REJECT, params.reason)
            .await
    }

    /// Changes the words of a candidate. On an error, nothing is changed.
    pub async fn edit(&self, params: CoachEditParams) -> Result<Decided, CoachError> {
        let databases = self.with_candidate(&params.id).await?;
        let _deciding = self.deciding.lock().await;
        let what = "its words cannot be changed; undo the last decision first";
        let old = self.pending(databases, &params.id, what).await?;
        let mut row = old.clone();
        apply_words(&mut row, &params.edit)?;
        self.guess_scope(&mut row).await;
        if row == old {
            return Err(CoachError::invalid("the edit changes nothing"));
        }
        if row.fingerprint != old.fingerprint
            && let CandidateLookup::One(other) = find(&databases.ledger, &row.fingerprint).await?
        {
            if other.status != CandidateStatus::Pending {
                let what = "it has these words already";
                return Err(self.state(databases, &other, what).await);
            }
            row.merge(*other);
        }
        self.decided(databases, &old, &row, EDIT, None).await
    }

    /// Writes a candidate to the user's own rules. On an error, nothing is changed.
    pub async fn promote(
        &self,
        params: CoachPromoteParams,
    ) -> Result<CoachPromoteReply, CoachError> {
        let databases = self.with_candidate(&params.id).await?;
        let _deciding = self.deciding.lock().await;
        let old = self.row(databases, &params.id).await?;
        if !matches!(
            old.status,
            CandidateStatus::Pending | CandidateStatus::Approved
        ) {
            let what = "it cannot be promoted; undo the last decision first";
            return Err(self.state(databases, &old, what).await);
        }
        let threshold = self.config().await.promotion_threshold_repos;
        let reason = promotion_reason(old.repositories(), threshold, params.force)?;
        let plan = self.plan(&old, Scope::Global, Path::new("/")).await?;
        let mut row = old.clone();
        row.status = CandidateStatus::Promoted;
        row.current_scope = Scope::Global;
        let promotion = promotion(old.current_scope, &row, &reason);
        row.promoted_at = Some(promotion.promoted_at.clone());
        let rule = Rule {
            old: &old,
            row: &row,
            decision: PROMOTE,
            reason: Some(reason),
            changes: vec![
                Change::Put(vec![row.clone()]),
                Change::Promotion(promotion.clone()),
            ],
            plan: &plan,
        };
        self.write_rule(databases, rule).await?;
        if old.status == CandidateStatus::Approved {
            self.take_from_project(databases, &row, &plan.path).await?;
        }
        self.write_mirror(databases).await?;
        Ok(CoachPromoteReply {
            candidate: self.shown_candidate(databases, &row).await?,
            promotion,
            file: plan.path.display().to_string(),
            diff: plan.diff,
        })
    }

    /// Takes a rule that is everybody's now out of the file of the project in which it was approved, unless it was edited there.
    async fn take_from_project(
        &self,
        databases: &Databases,
        row: &CandidateRow,
        written_to: &Path,
    ) -> Result<(), CoachError> {
        let mut all = decisions(&databases.ledger, &row.fingerprint)
            .await?
            .into_iter();
        let approved = all.rfind(|one| one.state == "done" && one.decision == APPROVE);
        if let Some(approved) = approved
            && approved.file.as_deref().map(Path::new) != Some(written_to)
            && let Err(error) = self.take_out(databases, &approved).await
        {
            tracing::warn!(%error, "a promoted rule stays in its project as well");
        }
        Ok(())
    }

    /// Takes what a decision wrote out of its file, and returns the file if it was there. One on a branch has changed no file here.
    async fn take_out(
        &self,
        databases: &Databases,
        decision: &DecisionRow,
    ) -> Result<Option<String>, CoachError> {
        let Some(path) = decision.file.as_ref().map(PathBuf::from) else {
            return Ok(None);
        };
        let mut all = decisions_on(&databases.ledger, &path).await?;
        all.retain(|one| one.file_after.is_some());
        let Some(target) = all.iter().position(|one| one.id == decision.id) else {
            return Ok(None);
        };
        let made = decision.made_folder.as_ref().map(PathBuf::from);
        let written = all.into_iter().map(|one| Written {
            before: one.file_before,
            after: one.file_after.unwrap_or_default(),
            block: one.block.unwrap_or_default(),
            is_in_force: one.state == "done",
        });
        let written: Vec<Written> = written.collect();
        let restored = move || restore(&path, &written, target, made.as_deref());
        let had_rule = blocking(restored).await?;
        Ok(decision.file.clone().filter(|_| had_rule))
    }

    /// Puts a rule back that [`Self::take_from_project`] took.
    async fn put_back(&self, databases: &Databases, row: &CandidateRow) -> Result<(), CoachError> {
        let root = self.root_of(databases, row, row.current_scope, None).await;
        let Ok(root) = root else {
            return Ok(()); // the project is gone
        };
        let plan = self.plan(row, row.current_scope, &root).await?;
        blocking(move || write(&plan.path, plan.before.as_deref(), &plan.after)).await?;
        Ok(())
    }

    /// Undoes the last decision on a candidate. An error if the file was edited since; nothing is changed then. The files come
    /// first: after a kill of the daemon, the decision is still there, and can be undone again.
    pub async fn undo(&self, id: &str) -> Result<CoachUndoReply, CoachError> {
        let databases = self.with_candidate(id).await?;
        let _deciding = self.deciding.lock().await;
        let now = self.row(databases, id).await?;
        let all = decisions(&databases.ledger, &now.fingerprint).await?;
        let Some(last) = all.into_iter().rfind(|one| one.state == "done") else {
            let what = format!("no decision on {id} can be undone");
            return Err(CoachError::Refused(what));
        };
        let unread = || {
            CoachError::invalid(
                "the decision was recorded by another version of ccd, and cannot be read",
            )
        };
        let before = last.before().ok_or_else(unread)?;
        let restored = self.take_out(databases, &last).await?;
        let row = undone(&now, before);
        if last.decision == PROMOTE && row.status == CandidateStatus::Approved {
            self.put_back(databases, &row).await?;
        }
        let mut changes = moved(&now, &row);
        if last.decision == PROMOTE {
            let mut promotion = promotion(Scope::Global, &row, "undo");
            promotion.to_scope = row.current_scope;
            changes.push(Change::Promotion(promotion));
        }
        if !row.is_in_force() {
            changes.push(Change::DeleteGuard(row.fingerprint.clone()));
        }
        changes.push(Change::DecisionState(last.id, "undone"));
        databases.change(changes).await?;
        self.use_guards(databases).await?;
        self.write_mirror(databases).await?;
        let candidate = self.shown_candidate(databases, &row).await?;
        Ok(CoachUndoReply {
            candidate,
            restored,
            undone: super::list::decision(last),
        })
    }

    /// Returns the candidate that `id` names, if it waits for a decision; otherwise the error says that `what`.
    async fn pending(
        &self,
        databases: &Databases,
        id: &str,
        what: &'static str,
    ) -> Result<CandidateRow, CoachError> {
        let row = self.row(databases, id).await?;
        match row.status {
            CandidateStatus::Pending => Ok(row),
            _ => Err(self.state(databases, &row, what).await),
        }
    }

    /// Guesses the scope again, by the new words alone.
    async fn guess_scope(&self, row: &mut CandidateRow) {
        let config = self.config().await;
        let words = [&*row.trigger_condition, &row.action, &row.title];
        let threshold = config.promotion_threshold_repos;
        let is_eligible = promotion_eligible(row.repositories(), threshold);
        row.scope_guess = guess(words, is_eligible, Rules::default(), &config.indicators);
    }

    /// Stores a decision that writes no file.
    async fn decided(
        &self,
        databases: &Databases,
        old: &CandidateRow,
        row: &CandidateRow,
        what: &str,
        reason: Option<String>,
    ) -> Result<Decided, CoachError> {
        let decision = self.decision(databases, old, row, what, reason, None);
        let mut changes = moved(old, row);
        changes.push(Change::Decision(Box::new(decision.await?)));
        databases.change(changes).await?;
        self.write_mirror(databases).await?;
        let candidate = self.shown_candidate(databases, row).await?;
        Ok(Decided { candidate })
    }
}

/// Returns why a candidate may be promoted that was seen in `seen_in` projects.
fn promotion_reason(
    seen_in: usize,
    threshold: usize,
    force: Option<String>,
) -> Result<String, CoachError> {
    let is_given = force
        .as_ref()
        .is_some_and(|reason| !reason.trim().is_empty());
    if seen_in < threshold && !is_given {
        return Err(CoachError::Refused(format!(
            "it was seen in {seen_in} of {threshold} projects (promotion_threshold_repos); --force REASON promotes it all the same"
        )));
    }
    Ok(force.unwrap_or_else(|| format!("seen in {seen_in} projects")))
}

fn promotion(from_scope: Scope, row: &CandidateRow, reason: &str) -> Promotion {
    Promotion {
        id: format!("{:08x}", rand::random::<u32>()),
        fingerprint: row.fingerprint.clone(),
        from_scope,
        to_scope: Scope::Global,
        reason: reason.to_owned(),
        promoted_at: ccd_base::clock::now(),
    }
}

/// Returns a candidate as it was before a decision. What was counted since stays.
fn undone(now: &CandidateRow, before: CandidateRow) -> CandidateRow {
    let (mut row, before) = (now.clone(), before.candidate);
    row.candidate = Candidate {
        status: before.status,
        current_scope: before.current_scope,
        promoted_at: before.promoted_at,
        title: before.title,
        trigger_condition: before.trigger_condition,
        action: before.action,
        candidate_type: before.candidate_type,
        mention: before.mention,
        scope_guess: before.scope_guess,
        ..row.candidate
    };
    row.identify();
    row
}

async fn commit(plan: &Plan, branch: &str, title: &str) -> Result<String, CoachError> {
    let (plan, name, title) = (plan.clone(), branch.to_owned(), title.to_owned());
    let commit = blocking(move || {
        let path = plan.path.strip_prefix(&plan.root).unwrap_or(&plan.path);
        commit_file(&plan.root, &name, path, &plan.after, &format!("{title}\n"))
    });
    Ok(format!("branch {branch}, commit {}", commit.await?))
}

/// Replaces words, and checks that they can be written to a file.
fn apply_words(row: &mut CandidateRow, words: &CandidateWords) -> Result<(), CoachError> {
    let own = &mut row.candidate;
    let (title, trigger, action) = (&mut own.title, &mut own.trigger_condition, &mut own.action);
    let parts = [
        ("title", &words.title, title, MAX_TITLE),
        (
            "trigger_condition",
            &words.trigger_condition,
            trigger,
            MAX_PART,
        ),
        ("action", &words.action, action, MAX_PART),
    ];
    for (name, new, old, max) in parts {
        let Some(new) = new else { continue };
        let new = new.trim();
        let wrong = |what: String| Err(CoachError::invalid(format!("{name}: {what}")));
        if new.is_empty() || new.chars().count() > max {
            return wrong(format!("must have 1 to {max} characters"));
        }
        if new.chars().any(char::is_control) || new.contains("<!--") || new.contains("-->") {
            return wrong("must be one line without control characters and comment marks".into());
        }
        *old = new.to_owned();
    }
    // The title is what is written.
    if words.action.is_some() && words.title.is_none() {
        row.title = sentence_case(&row.action).chars().take(MAX_TITLE).collect();
    }
    if let Some(kind) = words.candidate_type {
        row.candidate_type = kind;
    }
    row.identify();
    Ok(())
}
