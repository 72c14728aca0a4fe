//! Reports: counts, and whether rules are followed.

use super::CoachError;
use super::arguments::{MAX_LIST_LEN, check_time};
use super::owner::{Coach, Databases};
use crate::ledger::{Page, evidence_times, page};
use crate::record::{by_day, projects};
use crate::report::{empty_weeks, monday_of, recurrence};
use ccd_protocol::coach::{
    CandidateStatus, CoachReportParams, CoachReportReply, Effect, ProjectCount, RuleReport,
    SignalType, TypeCount, WeekCount,
};
use std::collections::BTreeMap;

/// Days that a report is about, unless the caller says otherwise.
const REPORT_DAYS: f64 = 84.0;

const DAY_S: f64 = 86_400.0;

impl Coach {
    /// Counts events by type, project and week, and the recurrences of approved rules.
    pub async fn report(&self, params: CoachReportParams) -> Result<CoachReportReply, CoachError> {
        let Some(databases) = self.existing().await? else {
            return Ok(CoachReportReply::default());
        };
        let since = match params.since {
            Some(since) => {
                check_time("since", &since)?;
                since
            }
            None => ccd_base::clock::seconds_ago(REPORT_DAYS * DAY_S),
        };
        let days = by_day(&databases.events, &since).await?;
        let (mut types, mut by_repo) = (BTreeMap::new(), BTreeMap::new());
        let mut weeks = empty_weeks(&since, &ccd_base::clock::now()).unwrap_or_default();
        for (day, signal_type, repo_id, count) in days {
            let count = count.unsigned_abs();
            if let Some(signal_type) = signal_type.as_deref().and_then(SignalType::named) {
                *types.entry(signal_type).or_insert(0) += count;
            }
            *by_repo.entry(repo_id.unwrap_or_default()).or_insert(0) += count;
            if let Some(week) = monday_of(&day) {
                *weeks.entry(week).or_insert(0) += count;
            }
        }
        let known = projects(&databases.events).await?;
        let mut by_type: Vec<TypeCount> = types
            .into_iter()
            .map(|(signal_type, count)| TypeCount { signal_type, count })
            .collect();
        by_type.sort_by_key(|one| std::cmp::Reverse(one.count));
        let project = |(repo_id, count): (String, u64)| ProjectCount {
            project: known.get(&repo_id).map(|root| root.display().to_string()),
            repo_id,
            count,
        };
        let mut by_project: Vec<ProjectCount> = by_repo.into_iter().map(project).collect();
        by_project.sort_by_key(|one| std::cmp::Reverse(one.count));
        Ok(CoachReportReply {
            since,
            by_type,
            by_project,
            weeks: week_counts(weeks),
            rules: self.rule_reports(databases).await?,
        })
    }

    async fn rule_reports(&self, databases: &Databases) -> Result<Vec<RuleReport>, CoachError> {
        let mut reports = Vec::new();
        for status in [CandidateStatus::Approved, CandidateStatus::Promoted] {
            let which = Page::with_status(status, MAX_LIST_LEN);
            let rows = page(&databases.ledger, which).await?;
            for candidate in self.shown_candidates(databases, rows).await? {
                let Some(effect) = candidate.effect else {
                    continue;
                };
                let times = evidence_times(&databases.ledger, &candidate.fingerprint).await?;
                let seen = recurrence(&effect.since, &ccd_base::clock::now(), &times);
                reports.push(RuleReport {
                    id: candidate.id,
                    title: candidate.title,
                    status,
                    effect,
                    weeks: week_counts(seen.map(|seen| seen.weeks).unwrap_or_default()),
                    guarded: candidate.guarded,
                });
            }
        }
        reports.sort_by(|a, b| b.effect.since.cmp(&a.effect.since));
        Ok(reports)
    }
}

fn week_counts(weeks: BTreeMap<String, u64>) -> Vec<WeekCount> {
    let weeks = weeks.into_iter();
    weeks
        .map(|(week, count)| WeekCount { week, count })
        .collect()
}

pub(super) fn shown_effect(since: &str, times: &[String]) -> Option<Effect> {
    let seen = recurrence(since, &ccd_base::clock::now(), times)?;
    Some(Effect {
        since: since.to_owned(),
        before: seen.before,
        after: seen.after,
        days_before: seen.days_before,
        days_after: seen.days_after,
    })
}
