//! `ccctl run --expect --send`: a dialogue conducted by the daemon.

use super::request::{command, exit_of_missing};
use crate::args::{RunArgs, patterns};
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure, caller, tape};
use ccd_protocol::run::{RunOnce, RunOnceParams};
use serde_json::Value;

/// Runs a program with a dialogue of patterns and answers; prints its output at the end.
pub(crate) fn run(args: &RunArgs, context: &mut Context) -> Result<Exit, Failure> {
    if tape::named(&args.tape)?.is_some() {
        return Failure::usage(
            "--expect and --send cannot be combined with tape options; use ccctl new --tapes and ccctl send",
        );
    }
    let (program, words) = command(args)?;
    let params = RunOnceParams {
        program,
        args: words,
        expect: patterns(&args.expect, args.exact),
        send: args.send.clone(),
        contains: args.contains.clone(),
        timeout_ms: args.timeout.unwrap_or_default(),
        cwd: caller::working_directory(args.caller.cwd.as_deref())?,
        env: args.caller.variables(),
        inherited: caller::inherited(args.caller.clean_env)?,
        ..RunOnceParams::default()
    };
    let answer = context.fetch::<RunOnce>(&params)?;
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
