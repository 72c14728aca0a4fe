//! Overviews of the coach: `status`, `get`, `ledger`, `report`.

use crate::args::{LedgerArgs, ReportArgs, params};
use crate::{Context, Exit, Failure, caller, render};
use ccd_protocol::NoParams;
use ccd_protocol::coach::{
    CoachGet, CoachGetParams, CoachLedger, CoachLedgerParams, CoachReport, CoachReportParams,
    CoachStatus,
};

pub(super) fn status(context: &mut Context) -> Result<Exit, Failure> {
    context.show::<CoachStatus>(&NoParams {})
}

pub(super) fn get(candidate: &str, context: &mut Context) -> Result<Exit, Failure> {
    let params = CoachGetParams {
        id: candidate.to_owned(),
        cwd: caller::working_directory(None)?,
    };
    context.show::<CoachGet>(&params)
}

pub(super) fn ledger(args: &LedgerArgs, context: &mut Context) -> Result<Exit, Failure> {
    let params = params!(CoachLedgerParams { search, status, limit } of args);
    context.show::<CoachLedger>(&params)
}

pub(super) fn report(args: &ReportArgs, context: &mut Context) -> Result<Exit, Failure> {
    let params = CoachReportParams {
        since: args.since.clone(),
    };
    let answer = context.fetch::<CoachReport>(&params)?;
    context.print(&answer, render::report)
}
