//! `test.*`.

use super::investigate::{cleanup, delete, get, list, shown};
use super::{Failure, Module, RpcResult};
use crate::daemon::Daemon;
use crate::discover::test;
use crate::test_page::{PageError, pictures};
use ccd_discover::reports::Saved;
use ccd_discover::test_pages::{junit, page};
use ccd_protocol::black_box::{
    TestCleanup, TestDelete, TestFormat, TestGet, TestGetParams, TestGetReply, TestList,
    TestListReply, TestReport, TestReportSummary, TestRun,
};
use ccd_store::blocking;
use std::collections::BTreeMap;

pub(super) fn register(module: &mut Module) {
    module.add::<TestRun, _, _>(async |daemon, peer, params| test(&daemon, &peer, params).await);
    module.add::<TestList, _, Failure>(async |daemon, _, params| {
        let listed = list(&daemon.test_reports, params).await?;
        Ok(TestListReply {
            reports: listed.reports.into_iter().map(summary).collect(),
            warnings: listed.warnings,
        })
    });
    module.add::<TestGet, _, _>(async |daemon, _, params| written(&daemon, params).await);
    module.add::<TestDelete, _, _>(async |daemon, _, params| {
        delete(&daemon.test_reports, params.report).await
    });
    module.add::<TestCleanup, _, _>(async |daemon, _, params| {
        cleanup(&daemon.test_reports, params).await
    });
}

async fn written(daemon: &Daemon, params: TestGetParams) -> RpcResult<TestGetReply> {
    let report = get(&daemon.test_reports, params.report).await?.report;
    let format = params.format;
    let pictures = match format {
        TestFormat::Html => pictures(daemon, &report).await,
        TestFormat::Json | TestFormat::Junit => BTreeMap::new(),
    };
    let written = blocking(move || {
        let text = match format {
            TestFormat::Json => None,
            TestFormat::Junit => Some(junit(&report).map_err(PageError::Junit)?),
            TestFormat::Html => Some(page(&report, &pictures)),
        };
        Ok::<_, PageError>(TestGetReply { report, text })
    });
    Ok(written.await?)
}

fn summary(saved: Saved<TestReport>) -> TestReportSummary {
    let report = saved.report;
    let failed = report.results.iter().filter(|result| !result.passed);
    TestReportSummary {
        failed: failed.map(|result| result.test_type).collect(),
        id: report.id,
        program: report.program,
        args: report.args,
        started_at: report.started_at,
        completed_at: report.completed_at,
        summary: report.summary,
        path: shown(&saved.path),
        bytes: saved.bytes,
    }
}
