//! Decisions on candidates: approve, reject, edit, promote, guard, undo.

use super::CoachError;
use super::owner::{Coach, Databases};
use crate::command;
use crate::ledger::{
    CandidateRow, Change, DecisionRow, Found, LedgerWrite, decisions, decisions_in, evidence_of,
    find, guards, promotions,
};
use crate::place::{Plan, Words, plan, restore, write};
use crate::record::{contexts_of, projects};
use ccd_protocol::coach::{
    CandidateStatus, CandidateType, CandidateWords, CoachApproveParams, CoachApproveReply,
    CoachEditParams, CoachGuardParams, CoachGuardReply, CoachPromoteParams, CoachPromoteReply,
    CoachRejectParams, CoachUndoReply, Decided, Guard, Promotion, Scope,
};
use ccd_repository::commit_file;
use ccd_store::{StoreError, blocking};
use std::path::{Path, PathBuf};

/// Most characters of a title, a trigger and an action.
const MAX_TITLE: usize = 200;
const MAX_PART: usize = 1000;

const APPROVE: &str = "approve";
const REJECT: &str = "reject";
const EDIT: &str = "edit";
const PROMOTE: &str = "promote";

impl Coach {
    /// Writes a candidate to its file; with `diff` only returns what would be written.
    ///
    /// # Errors
    ///
    /// [`CoachError`]; nothing is changed then.
    pub async fn approve(
        &self,
        params: CoachApproveParams,
    ) -> Result<CoachApproveReply, CoachError> {
        let databases = self.databases()?;
        let _deciding = self.deciding.lock().await;
        let old = self.row(databases, &params.id).await?;
        if old.status != CandidateStatus::Pending {
            return Err(self
                .state(
                    databases,
                    &old,
                    "it cannot be approved; undo the last decision first",
                )
                .await);
        }
        let mut row = old.clone();
        if let Some(words) = &params.edit {
            apply_words(&mut row, words)?;
        }
        let scope = params.scope.unwrap_or(row.scope_guess);
        let root = self.root_of(databases, &row, params.cwd.as_deref()).await?;
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
            self.write_rule(databases, &old, &row, APPROVE, None, changes, &plan)
                .await?;
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

    /// Rejects a candidate: it is not proposed again.
    ///
    /// # Errors
    ///
    /// [`CoachError`]; nothing is changed then.
    pub async fn reject(&self, params: CoachRejectParams) -> Result<Decided, CoachError> {
        let databases = self.databases()?;
        let _deciding = self.deciding.lock().await;
        let old = self.row(databases, &params.id).await?;
        if old.status != CandidateStatus::Pending {
            return Err(self
                .state(
                    databases,
                    &old,
                    "it cannot be rejected; undo the last decision first",
                )
                .await);
        }
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

    /// Changes the words of a candidate.
    ///
    /// # Errors
    ///
    /// [`CoachError`]; nothing is changed then.
    pub async fn edit(&self, params: CoachEditParams) -> Result<Decided, CoachError> {
        let databases = self.databases()?;
        let _deciding = self.deciding.lock().await;
        let old = self.row(databases, &params.id).await?;
        if old.status != CandidateStatus::Pending {
            return Err(self
                .state(
                    databases,
                    &old,
                    "its words cannot be changed; undo the last decision first",
                )
                .await);
        }
        let mut row = old.clone();
        apply_words(&mut row, &params.edit)?;
        if row == old {
            return Err(CoachError::InvalidArgument(
                "the new words are the old ones".into(),
            ));
        }
        if row.fingerprint != old.fingerprint
            && let Found::One(other) = find(&databases.ledger, &row.fingerprint).await?
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

    /// Writes a candidate to the user's own rules.
    ///
    /// # Errors
    ///
    /// [`CoachError`]; nothing is changed then.
    pub async fn promote(
        &self,
        params: CoachPromoteParams,
    ) -> Result<CoachPromoteReply, CoachError> {
        let databases = self.databases()?;
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
        let threshold = self.config().promotion_threshold_repos;
        let seen_in = old.repositories();
        if seen_in < threshold
            && params
                .force
                .as_deref()
                .is_none_or(|reason| reason.trim().is_empty())
        {
            let what = format!(
                "it was seen in {seen_in} of {threshold} projects (promotion_threshold_repos); give a reason with force to promote it all the same"
            );
            return Err(CoachError::InvalidArgument(what));
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
        self.write_rule(databases, &old, &row, PROMOTE, Some(reason), changes, &plan)
            .await?;
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

    /// Undoes the last decision on a candidate.
    ///
    /// # Errors
    ///
    /// [`CoachError::Place`] if the file was edited since; nothing is changed then.
    pub async fn undo(&self, id: &str) -> Result<CoachUndoReply, CoachError> {
        let databases = self.databases()?;
        let _deciding = self.deciding.lock().await;
        let now = self.row(databases, id).await?;
        let all = decisions(&databases.ledger, &now.fingerprint).await?;
        let Some(last) = all.into_iter().rfind(|decision| decision.state == "done") else {
            return Err(CoachError::InvalidArgument(format!(
                "no decision on {id} can be undone"
            )));
        };
        let before: CandidateRow = serde_json::from_str(&last.candidate_before).map_err(|_| {
            CoachError::InvalidArgument("the decision was made by another version".into())
        })?;
        if let (Some(file), Some(after)) = (last.file.clone(), last.file_after.clone()) {
            let undone = last.clone();
            blocking(move || {
                let made = undone.made_folder.as_deref().map(Path::new);
                let block = undone.block.as_deref().unwrap_or_default();
                restore(
                    Path::new(&file),
                    undone.file_before.as_deref(),
                    &after,
                    block,
                    made,
                )
            })
            .await?;
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
        row.mention = before.mention;
        let mut changes = moved(&now, &row);
        if last.decision == PROMOTE {
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
        self.use_guards(databases).await?;
        self.write_mirror(databases).await?;
        let candidate = self.shown_candidate(databases, &row).await?;
        Ok(CoachUndoReply {
            candidate,
            undone: super::list::decision(last),
        })
    }

    /// Turns a rule into a guard, or removes it.
    ///
    /// # Errors
    ///
    /// [`CoachError`]; nothing is changed then.
    pub async fn guard(&self, params: CoachGuardParams) -> Result<CoachGuardReply, CoachError> {
        let databases = self.databases()?;
        let _deciding = self.deciding.lock().await;
        let row = self.row(databases, &params.id).await?;
        let guard = match params.off {
            true => {
                let fingerprint = row.fingerprint.clone();
                databases
                    .ledger
                    .commit(LedgerWrite(vec![Change::DeleteGuard { fingerprint }]))
                    .await?;
                None
            }
            false => {
                let guard = self.new_guard(databases, &row, params).await?;
                databases
                    .ledger
                    .commit(LedgerWrite(vec![Change::Guard(guard.clone())]))
                    .await?;
                Some(guard)
            }
        };
        self.use_guards(databases).await?;
        let candidate = self.shown_candidate(databases, &row).await?;
        Ok(CoachGuardReply { candidate, guard })
    }

    async fn new_guard(
        &self,
        databases: &Databases,
        row: &CandidateRow,
        params: CoachGuardParams,
    ) -> Result<Guard, CoachError> {
        if !matches!(
            row.status,
            CandidateStatus::Approved | CandidateStatus::Promoted
        ) {
            return Err(self
                .state(databases, row, "it has no guard; approve it first")
                .await);
        }
        let pattern = match params.pattern {
            Some(pattern) => pattern,
            None => derived_pattern(databases, row).await?,
        };
        super::guard::compile(&pattern)
            .map_err(|error| CoachError::InvalidArgument(format!("pattern: {error}")))?;
        let is_everywhere = row.current_scope == Scope::Global;
        Ok(Guard {
            fingerprint: row.fingerprint.clone(),
            tool: params.tool.unwrap_or_else(|| "Bash".into()),
            pattern,
            reason: format!(
                "{}: {} (rule {})",
                row.trigger_condition,
                row.action,
                row.fingerprint.get(..8).unwrap_or_default()
            ),
            repo_ids: (!is_everywhere).then(|| row.repo_ids.clone()),
            created_at: ccd_text::clock::now(),
            hits: 0,
        })
    }

    /// Puts the guards of the ledger in force.
    pub(super) async fn use_guards(&self, databases: &Databases) -> Result<(), StoreError> {
        let guards = guards(&databases.ledger).await?;
        let guards = super::guard::Guards::new(guards);
        *self
            .guards
            .write()
            .unwrap_or_else(std::sync::PoisonError::into_inner) = guards.into();
        Ok(())
    }

    /// Finishes decisions in whose middle the daemon was killed: the file is written, or the decision was never made.
    pub(super) async fn finish_decisions(&self, databases: &Databases) -> Result<(), StoreError> {
        for decision in decisions_in(&databases.ledger, "writing").await? {
            let (Some(file), Some(after)) = (&decision.file, &decision.file_after) else {
                continue;
            };
            let is_written = std::fs::read(file).is_ok_and(|bytes| bytes == *after)
                || write(Path::new(file), decision.file_before.as_deref(), after).is_ok();
            let id = decision.id;
            let changes = match (
                is_written,
                serde_json::from_str::<CandidateRow>(&decision.candidate_before),
            ) {
                (false, Ok(before)) => {
                    let from = decision.fingerprint.clone();
                    let to = before.fingerprint.clone();
                    let mut back =
                        vec![Change::Put(Box::new(before)), Change::DeleteDecision { id }];
                    back.extend((from != to).then_some(Change::Move { from, to }));
                    back
                }
                _ => vec![Change::DecisionState { id, state: "done" }],
            };
            tracing::warn!(
                file,
                is_written,
                "a decision of the coach was interrupted; it was finished or taken back"
            );
            databases.ledger.commit(LedgerWrite(changes)).await?;
        }
        Ok(())
    }

    /// Decides, then writes the file; takes the decision back if the file cannot be written.
    #[expect(
        clippy::too_many_arguments,
        reason = "one decision with all that belongs to it"
    )]
    async fn write_rule(
        &self,
        databases: &Databases,
        old: &CandidateRow,
        row: &CandidateRow,
        what: &str,
        reason: Option<String>,
        mut changes: Vec<Change>,
        plan: &Plan,
    ) -> Result<(), CoachError> {
        let decision = self
            .decision(databases, old, row, what, reason, Some(plan))
            .await?;
        let id = decision.id;
        changes.push(Change::Decision(Box::new(DecisionRow {
            state: "writing".into(),
            ..decision
        })));
        databases.ledger.commit(LedgerWrite(changes)).await?;
        let (path, before, after) = (plan.path.clone(), plan.before.clone(), plan.after.clone());
        match blocking(move || write(&path, before.as_deref(), &after)).await {
            Ok(made) => {
                let mut done = vec![Change::DecisionState { id, state: "done" }];
                if let Some(made) = made {
                    let folder = made.display().to_string();
                    done.push(Change::MadeFolder { id, folder });
                }
                Ok(databases.ledger.commit(LedgerWrite(done)).await?)
            }
            Err(error) => {
                let mut back = vec![Change::DeleteDecision { id }];
                back.extend(moved(row, old));
                if what == PROMOTE {
                    let made = promotions(&databases.ledger)
                        .await?
                        .into_iter()
                        .find(|one| one.fingerprint == row.fingerprint);
                    back.extend(made.map(|one| Change::DeletePromotion { id: one.id }));
                }
                databases.ledger.commit(LedgerWrite(back)).await?;
                Err(error.into())
            }
        }
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

    async fn decision(
        &self,
        databases: &Databases,
        old: &CandidateRow,
        new: &CandidateRow,
        decision: &str,
        reason: Option<String>,
        plan: Option<&Plan>,
    ) -> Result<DecisionRow, CoachError> {
        Ok(DecisionRow {
            id: crate::ledger::next_decision(&databases.ledger).await?,
            fingerprint: new.fingerprint.clone(),
            at: ccd_text::clock::now(),
            decision: decision.into(),
            reason,
            file: plan.map(|plan| plan.path.display().to_string()),
            file_before: plan.and_then(|plan| plan.before.clone()),
            file_after: plan.map(|plan| plan.after.clone()),
            block: plan.map(|plan| plan.block.clone()),
            candidate_before: serde_json::to_string(old).unwrap_or_default(),
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
        let (places, row, root) = (self.places.clone(), row.clone(), root.to_owned());
        let planned = blocking(move || {
            let words = Words {
                fingerprint: &row.fingerprint,
                kind: row.candidate_type,
                title: &row.title,
                trigger: &row.trigger_condition,
                action: &row.action,
            };
            plan(&places, words, scope, &root)
        });
        Ok(planned.await?)
    }

    /// Returns the candidate that `id` names.
    pub(super) async fn row(
        &self,
        databases: &Databases,
        id: &str,
    ) -> Result<CandidateRow, CoachError> {
        match find(&databases.ledger, id.trim()).await? {
            Found::One(row) => Ok(*row),
            Found::None => Err(CoachError::NotFound(id.to_owned())),
            Found::Several(found) => Err(CoachError::Ambiguous {
                start: id.to_owned(),
                found: found
                    .iter()
                    .map(|one| one.chars().take(12).collect())
                    .collect(),
            }),
        }
    }

    async fn state(
        &self,
        databases: &Databases,
        row: &CandidateRow,
        what: &'static str,
    ) -> CoachError {
        let id = self
            .shown_candidate(databases, row)
            .await
            .map(|candidate| candidate.id);
        CoachError::State {
            id: id.unwrap_or_else(|_| row.fingerprint.clone()),
            status: row.status,
            what,
        }
    }

    /// Returns the directory of the project that a candidate is written to: the caller's, if it was seen there, otherwise
    /// that of its newest evidence.
    pub(super) async fn root_of(
        &self,
        databases: &Databases,
        row: &CandidateRow,
        cwd: Option<&str>,
    ) -> Result<PathBuf, CoachError> {
        if let Some(cwd) = cwd {
            let here = self.projects.of(cwd);
            if row.repo_ids.contains(&here.id) {
                return Ok(here.root);
            }
        }
        let known = projects(&databases.events).await?;
        let evidence = evidence_of(&databases.ledger, &row.fingerprint, 1000).await?;
        let newest = evidence
            .iter()
            .rev()
            .filter_map(|piece| piece.repo_id.as_ref());
        let mut ids = newest.chain(row.repo_ids.iter());
        let found = ids.find_map(|id| known.get(id).filter(|root| root.is_dir()));
        match (found, cwd) {
            (Some(root), _) => Ok(root.clone()),
            (None, Some(cwd)) => Ok(self.projects.of(cwd).root),
            (None, None) => Err(CoachError::InvalidArgument(
                "the project's directory is not known; give cwd".into(),
            )),
        }
    }
}

/// Returns the changes that put `new` in the place of `old`.
fn moved(old: &CandidateRow, new: &CandidateRow) -> Vec<Change> {
    let mut changes = vec![Change::Put(Box::new(new.clone()))];
    if old.fingerprint != new.fingerprint {
        changes.push(Change::Move {
            from: old.fingerprint.clone(),
            to: new.fingerprint.clone(),
        });
    }
    changes
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
    if let Some(kind) = words.candidate_type {
        row.candidate_type = kind;
    }
    row.identify();
    Ok(())
}

/// Returns a pattern for the commands that the rule is about.
async fn derived_pattern(databases: &Databases, row: &CandidateRow) -> Result<String, CoachError> {
    let evidence = evidence_of(&databases.ledger, &row.fingerprint, 100).await?;
    let ids: Vec<&str> = evidence
        .iter()
        .map(|piece| piece.event_id.as_str())
        .collect();
    let mut bases: Vec<String> = Vec::new();
    for context in contexts_of(&databases.events, &ids).await? {
        let in_violation = context["violations"][0]["command"].as_str();
        let line = context["command"]
            .as_str()
            .or(in_violation)
            .unwrap_or_default();
        if let Some(simple) = command::primary(line) {
            let base = match in_violation {
                Some(_) => command::violation_base(&simple),
                None => command::base(&simple),
            };
            bases.push(base);
        }
    }
    bases.sort();
    bases.dedup();
    match bases.as_slice() {
        [base] => {
            let mut words = base.split(' ').map(regex::escape);
            let program = words.next().unwrap_or_default();
            let rest: Vec<String> = words.map(|word| format!(r"\s(?:.*\s)?{word}\b")).collect();
            let squash = (row.candidate_type == CandidateType::Antipattern
                && !base.contains("--squash"))
            .then_some(r"\s(?:.*\s)?--squash\b");
            Ok(format!(
                r"^{program}\b{}{}",
                rest.concat(),
                squash.unwrap_or_default()
            ))
        }
        _ => Err(CoachError::InvalidArgument(
            "its evidence does not name one command; give a pattern".into(),
        )),
    }
}
