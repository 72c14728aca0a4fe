//! `ccctl tape`.

mod cast;
mod convert;
mod play;
mod verify;

use crate::args::Given;
use crate::fields::Fields as _;
use crate::tape::shim;
use crate::verb::pages::fetch_all;
use crate::{Context, Exit, Failure};
use serde_json::json;

const PAGE_LEN: u64 = 1_000;

pub(crate) fn dispatch(verb: &str, args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    match verb {
        "list" => list(args, context),
        "import" => convert::import(args, context),
        "export" => convert::export(args, context),
        "svg" => convert::svg(args, context),
        "play" => play::play(args, context),
        "verify" => verify::verify(args, context),
        "shim" => shim(args, context),
        _ => context.carry_out(args),
    }
}

fn list(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let mut params = args.params();
    params["limit"] = PAGE_LEN.into();
    if args.has("used") || args.has("unused") {
        params["used"] = args.has("used").into();
    }
    let mut answer = fetch_all("tape.list", &params, ("tapes", "tape_id", "after"), context)?;
    if !answer.value.has("tapes") && args.has("used") | args.has("unused") {
        let params = json!({"root": args.at("root"), "program": args.at("program"), "limit": 1});
        let all = context.fetch("tape.list", &params)?.value;
        answer.value["others"] = all["total"].clone();
    }
    context.print_given("tape.list", &mut answer, &params)
}
