//! `investigate.*`.

use super::{Failure, Module, RpcResult, require_age};
use crate::daemon::Daemon;
use crate::discover::{investigate, learn, probe};
use ccd_discover::reports::{Listed, Report, ReportError, Reports, Saved};
use ccd_discover::{diff, map};
use ccd_protocol::data::{DataForgetParams, DataPart, DataSelected};
use ccd_protocol::investigate::{
    InvestigateCleanup, InvestigateDelete, InvestigateDiff, InvestigateGet, InvestigateLearn,
    InvestigateList, InvestigateListReply, InvestigateMap, InvestigateMapReply, InvestigateProbe,
    InvestigateRun, InvestigationReport, InvestigationSummary, ReportCleanupParams,
    ReportCleanupReply, ReportDeleteReply, ReportListParams,
};
use ccd_store::blocking;
use std::path::Path;
use std::sync::Arc;

/// Default and maximum number of reports in a list.
const LIMIT: u64 = 100;
const MAX_LIMIT: u64 = 1000;

pub(super) fn register(module: &mut Module) {
    module.add::<InvestigateRun, _, _>(async |daemon, peer, params| {
        investigate(&daemon, &peer, params).await
    });
    module.add::<InvestigateProbe, _, _>(async |daemon, peer, params| {
        probe(&daemon, &peer, params).await
    });
    module.add::<InvestigateLearn, _, _>(async |daemon, _, params| learn(&daemon, &params).await);
    module.add::<InvestigateMap, _, Failure>(async |daemon, _, params| {
        let report = get(&daemon.investigations, params.report).await?.report;
        let format = params.format;
        let text = blocking(move || map::write(&map::from_report(&report), format)).await;
        Ok(InvestigateMapReply { format, text })
    });
    module.add::<InvestigateList, _, Failure>(async |daemon, _, params| {
        let listed = list(&daemon.investigations, params).await?;
        Ok(InvestigateListReply {
            reports: listed.reports.into_iter().map(summary).collect(),
            warnings: listed.warnings,
        })
    });
    module.add::<InvestigateGet, _, Failure>(async |daemon, _, params| {
        Ok(get(&daemon.investigations, params.report).await?.report)
    });
    module.add::<InvestigateDiff, _, Failure>(async |daemon, _, params| {
        let a = get(&daemon.investigations, params.a).await?.report;
        let b = get(&daemon.investigations, params.b).await?.report;
        Ok(blocking(move || diff::diff(&a, &b)).await)
    });
    module.add::<InvestigateDelete, _, _>(async |daemon, _, params| {
        delete(&daemon.investigations, params.report).await
    });
    module.add::<InvestigateCleanup, _, _>(async |daemon, _, params| {
        cleanup(&daemon.investigations, params).await
    });
}

pub(super) async fn get<R: Report + Send + 'static>(
    reports: &Arc<Reports<R>>,
    which: String,
) -> Result<Saved<R>, ReportError> {
    let reports = Arc::clone(reports);
    blocking(move || reports.get(&which)).await
}

pub(super) async fn list<R: Report + Send + 'static>(
    reports: &Arc<Reports<R>>,
    params: ReportListParams,
) -> Result<Listed<R>, ReportError> {
    let limit = params.limit.unwrap_or(LIMIT).min(MAX_LIMIT);
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let reports = Arc::clone(reports);
    blocking(move || reports.list(params.program.as_deref(), limit)).await
}

pub(super) async fn delete<R: Report + 'static>(
    reports: &Arc<Reports<R>>,
    which: String,
) -> RpcResult<ReportDeleteReply> {
    let reports = Arc::clone(reports);
    let path = blocking(move || reports.delete(&which)).await?;
    Ok(ReportDeleteReply { path: shown(&path) })
}

pub(super) async fn cleanup<R: Report + 'static>(
    reports: &Arc<Reports<R>>,
    params: ReportCleanupParams,
) -> RpcResult<ReportCleanupReply> {
    let age_s = params.older_than_s;
    require_age(age_s)?;
    let reports = Arc::clone(reports);
    let removed = blocking(move || reports.cleanup(age_s, false)).await?;
    Ok(ReportCleanupReply {
        removed: removed.reports,
        bytes: removed.bytes,
        warnings: removed.warnings,
    })
}

pub(super) async fn forget_reports(
    daemon: &Daemon,
    which: &DataForgetParams,
) -> RpcResult<DataSelected> {
    let age_s = which.before.as_deref().and_then(ccd_base::clock::age_s);
    let (age_s, dry_run) = (age_s.unwrap_or(f64::MIN), which.dry_run);
    let investigations = Arc::clone(&daemon.investigations);
    let tests = Arc::clone(&daemon.test_reports);
    let removed = blocking(move || {
        let investigations = investigations.cleanup(age_s, dry_run)?;
        Ok::<_, ReportError>(investigations.and(tests.cleanup(age_s, dry_run)?))
    });
    let removed = removed.await?;
    let kind = ("report", "reports");
    let mut selected = DataSelected::of(DataPart::Reports, removed.reports, kind, removed.oldest);
    // Whatever they are, they belong to no project.
    if which.project.is_none() {
        selected.failed = removed.warnings;
    }
    Ok(selected)
}

pub(super) fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn summary(saved: Saved<InvestigationReport>) -> InvestigationSummary {
    let report = saved.report;
    InvestigationSummary {
        commands: report.commands.len() as u64,
        states: report.states.len() as u64,
        findings: report.findings.len() as u64,
        id: report.id,
        program: report.program,
        args: report.args,
        started_at: report.started_at,
        completed_at: report.completed_at,
        version: report.version,
        interactive: report.interactive,
        end: report.end,
        path: shown(&saved.path),
        bytes: saved.bytes,
    }
}
