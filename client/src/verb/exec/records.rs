//! `ccctl exec get`.

use super::run::failure_of;
use crate::args::Given;
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure, pager, render};
use ccd_protocol::exec::{ExecGet, ExecutionParams};

/// Shows a run as a page, or its diff or output.
pub(super) fn get(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let params = ExecutionParams {
        request_id: args.text("request_id").to_owned(),
    };
    let answer = context.call::<ExecGet>(&params)?;
    let result = &answer.value;
    if context.global.json {
        context.write_line(answer.json.get())?;
    } else if args.has("diff") {
        pager::page(context, |out| {
            render::patch(&result.diff, out).map_err(Failure::Output)
        })?;
    } else if args.has("stdout") {
        context.write_bytes(result.stdout.as_bytes())?;
    } else {
        let failure = failure_of(result).filter(|_| result.status.has_ended());
        context.render(|out| render::execution(result, failure.as_deref(), out))?;
    }
    Ok(Exit::Done)
}
