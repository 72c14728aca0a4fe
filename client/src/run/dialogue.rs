//! `ccctl run --expect --send`: a dialogue conducted by the daemon.

use super::request::{command, exit_of_missing};
use crate::args::Given;
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure, caller, tape};
use ccd_protocol::Method as _;
use ccd_protocol::run::RunOnce;
use serde_json::{Value, json};

/// Runs a program with a dialogue of patterns and answers; prints its output at the end.
pub(crate) fn run(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    if tape::named(args)?.is_some() {
        return Failure::usage(
            "--expect and --send cannot be combined with tape options; use ccctl new --tapes and ccctl send",
        );
    }
    let (program, words) = command(args)?;
    let mut params = caller::values(args, "send contains")?;
    params["program"] = program.into();
    params["args"] = words.into();
    params["expect"] = json!(args.patterns("expect"));
    let answer = context.fetch(RunOnce::NAME, &params)?;
    let reply = &answer.value;
    context.warn_of(reply);
    context.print_output(&answer, true)?;
    if reply.has("truncated") {
        context.note("run: the output was too long and was truncated");
    }
    if reply.has("timed_out") {
        context.note("run: timed out");
        return Ok(Exit::TimedOut);
    }
    let missing = reply.list("missing").iter().filter_map(Value::as_str);
    let missing: Vec<String> = missing.map(str::to_owned).collect();
    Ok(exit_of_missing(&missing, context).unwrap_or_else(|| Exit::of_end(reply)))
}
