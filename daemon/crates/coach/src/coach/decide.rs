//! Decisions on candidates: approve, reject, edit, promote, undo.

use super::CoachError;
use super::owner::{Coach, Databases};
use super::rule::{Rule, moved};
use crate::aggregate::sentence_case;
use crate::ledger::{
    CandidateLookup, CandidateRow, Change, DecisionRow, LedgerWrite, decisions, decisions_on, find,
};
use crate::place::{Plan, Written, restore, write};
use crate::scope::{RuleFile, ScopeInput, guess};
use ccd_protocol::coach::{
    CandidateStatus, CandidateWords, CoachApproveParams, CoachApproveReply, CoachEditParams,
    CoachPromoteParams, CoachPromoteReply, CoachRejectParams, CoachUndoReply, Decided, Promotion,
    Scope,
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
pub(super) const PROMOTE: &str = "promote";

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
        let root = self
            .root_of(databases, &row, scope, params.cwd.as_deref())
            .await?;
        let plan = self.plan(&row, scope, &root).await?;
        let (file, diff, warnings) = shown(&plan);
        if params.diff {
            let candidate = self.shown_candidate(databases, &old).await?;
            return Ok(CoachApproveReply {
                candidate,
                file,
                diff,
                warnings,
            });
        }
        row.status = CandidateStatus::Approved;
        row.current_scope = scope;
        let mut changes = moved(&old, &row);
        if let Some(branch) = params.branch {
            let reason = commit(&plan, &branch, &row.title).await?;
            let decision = self
                .decision(databases, &old, &row, APPROVE, Some(reason), Some(&plan))
                .await?;
            changes.push(Change::Decision(Box::new(DecisionRow {
                file_before: None,
                file_after: None,
                ..decision
            })));
            databases.ledger.commit(LedgerWrite(changes)).await?;
        } else {
            let rule = Rule {
                old: &old,
                row: &row,
                decision: APPROVE,
                reason: None,
                changes,
                plan: &plan,
            };
            self.write_rule(databases, rule).await?;
        }
        self.write_mirror(databases).await?;
        let candidate = self.shown_candidate(databases, &row).await?;
        Ok(CoachApproveReply {
            candidate,
            file,
            diff,
            warnings,
        })
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
        let decision = self
            .decision(databases, &old, &row, REJECT, params.reason, None)
            .await?;
        self.decided(
            databases,
            &row,
            vec![
                Change::Put(Box::new(row.clone())),
                Change::Decision(Box::new(decision)),
            ],
        )
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
            return Err(CoachError::InvalidArgument(
                "the new words are the old ones".into(),
            ));
        }
        if row.fingerprint != old.fingerprint
            && let CandidateLookup::One(other) = find(&databases.ledger, &row.fingerprint).await?
        {
            if other.status != CandidateStatus::Pending {
                return Err(self
                    .state(databases, &other, "it has these words already")
                    .await);
            }
            row.merge(*other);
        }
        let decision = self
            .decision(databases, &old, &row, EDIT, None, None)
            .await?;
        let mut changes = moved(&old, &row);
        changes.push(Change::Decision(Box::new(decision)));
        self.decided(databases, &row, changes).await
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
            return Err(self
                .state(
                    databases,
                    &old,
                    "it cannot be promoted; undo the last decision first",
                )
                .await);
        }
        let threshold = self.config().await.promotion_threshold_repos;
        let seen_in = old.repositories();
        if seen_in < threshold
            && params
                .force
                .as_deref()
                .is_none_or(|reason| reason.trim().is_empty())
        {
            let what = format!(
                "it was seen in {seen_in} of {threshold} projects (promotion_threshold_repos); --force REASON promotes it all the same"
            );
            return Err(CoachError::Refused(what));
        }
        let reason = params
            .force
            .unwrap_or_else(|| format!("seen in {seen_in} projects"));
        let plan = self.plan(&old, Scope::Global, Path::new("/")).await?;
        let mut row = old.clone();
        let now = ccd_text::clock::now();
        row.status = CandidateStatus::Promoted;
        row.current_scope = Scope::Global;
        row.promoted_at = Some(now.clone());
        let promotion = Promotion {
            id: format!("{:08x}", rand::random::<u32>()),
            fingerprint: row.fingerprint.clone(),
            from_scope: old.current_scope,
            to_scope: Scope::Global,
            reason: reason.clone(),
            promoted_at: now,
        };
        let changes = vec![
            Change::Put(Box::new(row.clone())),
            Change::Promotion(promotion.clone()),
        ];
        let rule = Rule {
            old: &old,
            row: &row,
            decision: PROMOTE,
            reason: Some(reason),
            changes,
            plan: &plan,
        };
        self.write_rule(databases, rule).await?;
        if old.status == CandidateStatus::Approved {
            self.take_from_project(databases, &row, &plan.path).await?;
        }
        self.write_mirror(databases).await?;
        let (file, diff, _) = shown(&plan);
        let candidate = self.shown_candidate(databases, &row).await?;
        Ok(CoachPromoteReply {
            candidate,
            promotion,
            file,
            diff,
        })
    }

    /// Takes a rule that is everybody's now out of the file of the project in which it was approved, unless it was edited there.
    async fn take_from_project(
        &self,
        databases: &Databases,
        row: &CandidateRow,
        written_to: &Path,
    ) -> Result<(), CoachError> {
        let all = decisions(&databases.ledger, &row.fingerprint).await?;
        let approved = all
            .into_iter()
            .rfind(|decision| decision.state == "done" && decision.decision == APPROVE);
        // One on a branch has changed no file here.
        let Some((approved, file)) = approved
            .filter(|one| one.file_after.is_some())
            .and_then(|one| Some((one.clone(), one.file?)))
        else {
            return Ok(());
        };
        if Path::new(&file) == written_to {
            return Ok(());
        }
        let taken = self.take_out(databases, &approved, Path::new(&file)).await;
        if let Err(error) = taken {
            tracing::warn!(%error, "a promoted rule stays in its project as well");
        }
        Ok(())
    }

    /// Takes what a decision wrote out of its file.
    async fn take_out(
        &self,
        databases: &Databases,
        decision: &DecisionRow,
        file: &Path,
    ) -> Result<(), CoachError> {
        let all = decisions_on(&databases.ledger, file).await?.into_iter();
        let all = all.filter(|one| one.file_after.is_some());
        let all: Vec<DecisionRow> = all.collect();
        let target = all.iter().position(|one| one.id == decision.id);
        let (Some(target), path) = (target, file.to_owned()) else {
            return Ok(());
        };
        let made = decision.made_folder.clone();
        let written = all.into_iter().map(|one| Written {
            before: one.file_before,
            after: one.file_after.unwrap_or_default(),
            block: one.block.unwrap_or_default(),
            is_in_force: one.state == "done",
        });
        let written: Vec<Written> = written.collect();
        let made = made.map(PathBuf::from);
        Ok(blocking(move || restore(&path, &written, target, made.as_deref())).await?)
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

    /// Undoes the last decision on a candidate. An error if the file was edited since; nothing is changed then.
    pub async fn undo(&self, id: &str) -> Result<CoachUndoReply, CoachError> {
        let databases = self.with_candidate(id).await?;
        let _deciding = self.deciding.lock().await;
        let now = self.row(databases, id).await?;
        let all = decisions(&databases.ledger, &now.fingerprint).await?;
        let Some(last) = all.into_iter().rfind(|decision| decision.state == "done") else {
            return Err(CoachError::Refused(format!(
                "no decision on {id} can be undone"
            )));
        };
        let before: CandidateRow = serde_json::from_str(&last.candidate_before).map_err(|_| {
            CoachError::InvalidArgument("the decision was made by another version".into())
        })?;
        if let (Some(file), Some(_)) = (&last.file, &last.file_after) {
            self.take_out(databases, &last, Path::new(file)).await?;
        }
        let mut row = now.clone();
        // What was counted since stays.
        (row.status, row.current_scope, row.promoted_at) = (
            before.status,
            before.current_scope,
            before.promoted_at.clone(),
        );
        (
            row.title,
            row.trigger_condition,
            row.action,
            row.candidate_type,
        ) = (
            before.title,
            before.trigger_condition,
            before.action,
            before.candidate_type,
        );
        row.identify();
        (row.mention, row.scope_guess) = (before.mention, before.scope_guess);
        let mut changes = moved(&now, &row);
        let last_decision = last.decision.clone();
        if last_decision == PROMOTE {
            changes.push(Change::Promotion(Promotion {
                id: format!("{:08x}", rand::random::<u32>()),
                fingerprint: row.fingerprint.clone(),
                from_scope: Scope::Global,
                to_scope: row.current_scope,
                reason: "undo".into(),
                promoted_at: ccd_text::clock::now(),
            }));
        }
        if row.status != CandidateStatus::Approved && row.status != CandidateStatus::Promoted {
            changes.push(Change::DeleteGuard {
                fingerprint: row.fingerprint.clone(),
            });
        }
        changes.push(Change::DecisionState {
            id: last.id,
            state: "undone",
        });
        databases.ledger.commit(LedgerWrite(changes)).await?;
        if last_decision == PROMOTE && row.status == CandidateStatus::Approved {
            self.put_back(databases, &row).await?;
        }
        self.use_guards(databases).await?;
        self.write_mirror(databases).await?;
        let candidate = self.shown_candidate(databases, &row).await?;
        Ok(CoachUndoReply {
            candidate,
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
        let none = RuleFile::default();
        let input = ScopeInput {
            title: &row.title,
            trigger: &row.trigger_condition,
            action: &row.action,
            repositories: row.repositories(),
            promotion_threshold_repos: config.promotion_threshold_repos,
            project_rules: &none,
            global_rules: &none,
        };
        row.scope_guess = guess(&input, &config.indicators);
    }

    async fn decided(
        &self,
        databases: &Databases,
        row: &CandidateRow,
        changes: Vec<Change>,
    ) -> Result<Decided, CoachError> {
        databases.ledger.commit(LedgerWrite(changes)).await?;
        self.write_mirror(databases).await?;
        let candidate = self.shown_candidate(databases, row).await?;
        Ok(Decided { candidate })
    }
}

fn shown(plan: &Plan) -> (String, String, Vec<String>) {
    (
        plan.path.display().to_string(),
        plan.diff.clone(),
        plan.warnings.clone(),
    )
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
    let parts = [
        ("title", &words.title, &mut row.title, MAX_TITLE),
        (
            "trigger_condition",
            &words.trigger_condition,
            &mut row.trigger_condition,
            MAX_PART,
        ),
        ("action", &words.action, &mut row.action, MAX_PART),
    ];
    for (name, new, old, max) in parts {
        let Some(new) = new else { continue };
        let new = new.trim();
        let wrong = |what: String| Err(CoachError::InvalidArgument(format!("{name}: {what}")));
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
