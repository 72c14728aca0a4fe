//! `ccctl investigate PROGRAM`.

use super::{JobEnd, advised, follow_with_line, target};
use crate::args::Given;
use crate::fields::Fields as _;
use crate::verb::chain::{Cancel, Followed};
use crate::{Context, Exit, Failure, render};
use serde_json::Value;

/// Investigates a program and prints the report, also that of an investigation that did not reach its end.
pub(super) fn run(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let mut params = target(args)?;
    params["safe_mode"] = args.has("unsafe").then_some(false).into();
    params["sandbox"] = args.has("sandbox").then_some(true).into();
    params["max_depth"] = args.at("max_depth").clone();
    params["timeout_s"] = args.at("timeout").clone();
    params["tape"] = args.at("tape").clone();
    let (result, exit) = match investigate(&params, context)? {
        Followed::Left(exit) => return Ok(exit),
        Followed::Ended(ended) => ended,
    };
    let report = result.at("report");
    context.print_either(report, |out| {
        render::investigation(report, Some(result.text("path")), out)
    })?;
    exit
}

/// Returns the result, and the exit status for it.
pub(super) fn investigate(params: &Value, context: &Context) -> Result<Followed<JobEnd>, Failure> {
    let cancel = Cancel::listen()?;
    let started = context.fetch("investigate.run", params);
    let started = started.map_err(|failure| {
        let failure = failure.of_verb("investigate");
        advised(failure, "investigate", params.text("program"))
    })?;
    follow_with_line("investigate", &cancel, &started.value, context)
}
