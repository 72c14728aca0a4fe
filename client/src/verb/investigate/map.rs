//! `ccctl investigate map`.

use super::run::investigate;
use super::target_of;
use crate::args::Given;
use crate::call::garbled;
use crate::fields::Fields as _;
use crate::verb::chain::Followed;
use crate::{Context, Exit, Failure, render};
use ccd_protocol::ErrorCode;
use ccd_protocol::investigate::{InvestigateMapParams, MapFormat, ReportListParams};
use serde_json::{Value, json};

/// Prints the map of a report, of the newest one of a program, or of a new one.
pub(crate) fn map(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let wanted = args.text("target");
    if args.has("svg") {
        return Failure::usage(format!(
            "ccctl draws no maps: use ccctl investigate map --dot {wanted} | dot -Tsvg"
        ));
    }
    let report = match report_of(args, context)? {
        Some(report) => report,
        None => {
            let params = target_of(Some(wanted.to_owned()), args.words("args"), args)?;
            match investigate(&params, context)? {
                Followed::Ended((result, _)) => result.text("id").to_owned(),
                Followed::Left(exit) => return Ok(exit),
            }
        }
    };
    let format = match () {
        () if args.has("dot") => MapFormat::Dot,
        () if args.has("mermaid") => MapFormat::Mermaid,
        () => MapFormat::Json,
    };
    let answer = context.fetch("investigate.map", &InvestigateMapParams { report, format })?;
    let text = answer.value.text("text");
    if format != MapFormat::Json || context.global.json {
        context.write_bytes(text.as_bytes())?;
        return if text.ends_with('\n') {
            Ok(Exit::Done)
        } else {
            context.write_bytes(b"\n").map(|()| Exit::Done)
        };
    }
    let map: Value =
        serde_json::from_str(text).map_err(|error| garbled("investigate.map", &error))?;
    context.render(|out| render::state_map(&map, out))?;
    Ok(Exit::Done)
}

/// Returns the id of the report that is meant; `None` if the program has none.
fn report_of(args: &Given, context: &Context) -> Result<Option<String>, Failure> {
    let (target, rest) = (args.text("target"), args.list("args"));
    let params = ReportListParams {
        program: Some(target.to_owned()),
        limit: None,
    };
    let listed = context.fetch("investigate.list", &params)?.value;
    let reports = listed.list("reports").iter();
    let id = |report: &Value| Some(report.text("id").to_owned());
    let mut with_args = reports.filter(|report| report.list("args") == rest);
    let is_complete = |report: &&Value| report.text("end") == "complete";
    let newest = with_args.clone().find(is_complete).or(with_args.next());
    if newest.is_some() || !rest.is_empty() || listed.has("reports") {
        return Ok(newest.and_then(id));
    }
    match context.fetch("investigate.get", &json!({ "report": target })) {
        Ok(answer) => Ok(id(&answer.value)),
        Err(failure) if is_unknown(&failure) => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// True if there is no such report, but not if there are several.
fn is_unknown(failure: &Failure) -> bool {
    failure.refusal().is_some_and(|error| {
        let matches = error.data.as_ref().and_then(|data| data.get("matches"));
        error.known() == Some(ErrorCode::ReportNotFound) && matches.is_none()
    })
}
