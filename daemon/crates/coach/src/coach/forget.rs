//! Deleting what was recorded.

use super::CoachError;
use super::arguments::check_time;
use super::owner::{Coach, Databases};
use crate::ledger::{CandidateRow, Change, all, events_of};
use crate::record::{
    EventWrite, PayloadWrite, Selection, projects, selected_events, selected_payloads,
};
use ccd_protocol::coach::{CandidateStatus, CoachForgetParams, CoachForgetReply};
use ccd_protocol::data::{DataForgetParams, DataPart, DataSelected};
use ccd_store::{blocking, forget_files};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// What is left, one and several.
const RULES: (&str, &str) = (
    "approved rule, with the words it quotes",
    "approved rules, with the words they quote",
);

/// The end of the name of a file in the spool that is no payload.
const INVALID: &str = "invalid";

impl Coach {
    pub async fn forget(&self, params: CoachForgetParams) -> Result<CoachForgetReply, CoachError> {
        let is_empty =
            params.project.is_none() && params.session.is_none() && params.before.is_none();
        if is_empty && !params.all {
            let what = "give a project, a session, a time, or all";
            return Err(CoachError::invalid(what));
        }
        // An unset variable of a script must not select everything that has no session.
        for (name, value) in [("project", &params.project), ("session", &params.session)] {
            if value.as_deref() == Some("") {
                return Err(CoachError::invalid(format!("{name} is empty")));
            }
        }
        if let Some(before) = &params.before {
            check_time("before", before)?;
        }
        let selection = Selection {
            repo_ids: params.project.map(|project| vec![self.repo_id(&project)]),
            session_id: params.session,
            before: params.before,
        };
        self.settle().await?;
        let (payloads, _) = self.forget_payloads(&selection, false).await?;
        let Some(databases) = self.existing().await? else {
            return Ok(CoachForgetReply {
                payloads,
                ..CoachForgetReply::default()
            });
        };
        let _deciding = self.deciding.lock().await;
        let (events, _) = forget_events(databases, &selection, false).await?;
        let mut candidates = 0;
        if params.all && is_empty {
            candidates = self.forget_candidates(databases, &selection, false).await?;
        }
        Ok(CoachForgetReply {
            events,
            payloads,
            candidates,
        })
    }

    pub async fn forget_data(&self, which: &DataForgetParams) -> Result<DataSelected, CoachError> {
        self.settle_for(which).await?;
        let part = DataPart::Coach;
        let Some(databases) = self.existing().await? else {
            return Ok(DataSelected::none(part));
        };
        let selection = self.selection(which).await;
        let _deciding = self.deciding.lock().await;
        let candidates = self.forget_candidates(databases, &selection, which.dry_run);
        let proposals = ("proposal", "proposals");
        let candidates = DataSelected::of(part, candidates.await?, proposals, None);
        let (events, since) = forget_events(databases, &selection, which.dry_run).await?;
        let left = all(&databases.ledger).await?;
        let left = left.iter().filter(|row| row.is_in_force()).count() as u64;
        Ok(DataSelected::of(part, events, ("event", "events"), since)
            .and(candidates)
            .leaving(left, RULES, "ccctl coach undo takes one back"))
    }

    pub async fn forget_hooks(&self, which: &DataForgetParams) -> Result<DataSelected, CoachError> {
        self.settle_for(which).await?;
        let (payloads, since) = self
            .forget_payloads(&self.selection(which).await, which.dry_run)
            .await?;
        let part = DataPart::Hooks;
        let payloads = DataSelected::of(part, payloads, ("payload", "payloads"), since);
        let (spool, which) = (self.paths.spool.clone(), which.clone());
        let invalid = blocking(move || forget_invalid(&spool, &which)).await;
        Ok(payloads.and(invalid))
    }

    pub async fn known_projects(&self) -> Vec<PathBuf> {
        self.projects_by_id().await.into_values().collect()
    }

    async fn projects_by_id(&self) -> BTreeMap<String, PathBuf> {
        match self.existing().await {
            Ok(Some(databases)) => projects(&databases.events).await.unwrap_or_default(),
            _ => BTreeMap::default(),
        }
    }

    /// Selects the repository that the project is in, and those below it.
    async fn selection(&self, which: &DataForgetParams) -> Selection {
        let mut selection = Selection {
            before: which.before.clone(),
            ..Selection::default()
        };
        if let Some(project) = &which.project {
            let known = self.projects_by_id().await.into_iter();
            let below = known.filter(|(_, root)| root.starts_with(project));
            let own = std::iter::once(self.repo_id(project));
            selection.repo_ids = Some(own.chain(below.map(|(id, _)| id)).collect());
        }
        selection
    }

    async fn forget_payloads(
        &self,
        selection: &Selection,
        dry_run: bool,
    ) -> Result<(u64, Option<String>), CoachError> {
        let selected = selected_payloads(&self.store, selection).await?;
        if !dry_run {
            let forget = PayloadWrite::Forget(selection.clone());
            self.store.commit(forget).await?;
            self.store.tidy();
        }
        Ok(selected)
    }

    /// Deletes the candidates that were not approved and of which the selection has some evidence: they quote it. Returns
    /// how many.
    async fn forget_candidates(
        &self,
        databases: &Databases,
        selection: &Selection,
        dry_run: bool,
    ) -> Result<u64, CoachError> {
        let is_selected = |row: &CandidateRow| {
            let is_in = |ids: &Vec<String>| row.repo_ids.iter().any(|seen| ids.contains(seen));
            let is_old = |before: &String| row.first_seen < *before;
            !row.is_in_force()
                && selection.repo_ids.as_ref().is_none_or(is_in)
                && selection.before.as_ref().is_none_or(is_old)
        };
        let mut rows = all(&databases.ledger).await?;
        rows.retain(is_selected);
        let count = rows.len() as u64;
        if count > 0 && !dry_run {
            // Events that are not selected count again, unless the user has rejected what follows from them.
            let is_pending = |row: &&CandidateRow| row.status == CandidateStatus::Pending;
            let pending = rows.iter().filter(is_pending);
            let pending: Vec<&str> = pending.map(|row| row.fingerprint.as_str()).collect();
            let events = events_of(&databases.ledger, &pending).await?;
            databases.events.commit(EventWrite::Waiting(events)).await?;
            let rows = rows.into_iter();
            let deletes = rows.map(|row| Change::Delete(row.candidate.fingerprint));
            databases.change(deletes.collect()).await?;
            databases.tidy();
            self.write_mirror(databases).await?;
        }
        Ok(count)
    }
}

/// Carries out `data.forget` for the files of the spool that are no payloads.
fn forget_invalid(spool: &Path, which: &DataForgetParams) -> DataSelected {
    let entries = fs::read_dir(spool).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let invalid = paths.filter(|path| path.extension().is_some_and(|end| end == INVALID));
    let kind = ("invalid payload", "invalid payloads");
    forget_files(DataPart::Hooks, kind, invalid, which)
}

async fn forget_events(
    databases: &Databases,
    selection: &Selection,
    dry_run: bool,
) -> Result<(u64, Option<String>), CoachError> {
    let selected = selected_events(&databases.events, selection).await?;
    if !dry_run {
        let forget = EventWrite::Forget(selection.clone());
        databases.events.commit(forget).await?;
        databases.tidy();
    }
    Ok(selected)
}
