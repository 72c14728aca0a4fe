//! `ccctl exec get`.

use super::run::failure_of;
use crate::args::Given;
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure, pager, render};
use serde_json::json;

/// Shows a run as a page, or its diff or output.
pub(super) fn get(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let params = json!({"request_id": args.at("request_id")});
    let answer = context.fetch("exec.get", &params)?;
    let result = &answer.value;
    if context.global.json {
        context.write_line(answer.json.get())?;
    } else if args.has("diff") {
        pager::page(context, |out| {
            render::patch(result.text("diff"), out).map_err(Failure::Output)
        })?;
    } else if args.has("stdout") {
        context.write_bytes(result.text("stdout").as_bytes())?;
    } else {
        let page = render::execution(result, failure_of(result).as_deref());
        context.print_page("exec.get", &page, None)?;
    }
    Ok(Exit::Done)
}
