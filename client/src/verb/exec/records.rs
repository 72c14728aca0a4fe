//! `ccctl exec get`.

use crate::args::Given;
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure, pager, render};
use ccd_protocol::Method as _;
use ccd_protocol::exec::ExecGet;
use serde_json::json;

/// Shows a run as a page, or its diff or output.
pub(super) fn get(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let params = json!({"request_id": args.at("request_id")});
    let answer = context.fetch(ExecGet::NAME, &params)?;
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
        let failure = render::text("run failure", result);
        let failure = Some(&*failure).filter(|failure| !failure.is_empty());
        context.render(|out| render::execution(result, failure, out))?;
    }
    Ok(Exit::Done)
}
