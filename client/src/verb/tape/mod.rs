//! `ccctl tape`.

mod cast;
mod convert;
mod play;
mod verify;

use crate::args::Given;
use crate::fields::Fields as _;
use crate::render::{filled, text};
use crate::tape::shim;
use crate::{Context, Exit, Failure};
use ccd_protocol::Method as _;
use ccd_protocol::tape::{TapeList, TapePrune, TapeRedact};
use serde_json::{Value, json};

const PAGE_LEN: u64 = 1_000;

pub(crate) fn dispatch(verb: &str, args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    match verb {
        "list" => list(args, context),
        "redact" => redact(args, context),
        "import" => convert::import(args, context),
        "export" => convert::export(args, context),
        "svg" => convert::svg(args, context),
        "play" => play::play(args, context),
        "verify" => verify::verify(args, context),
        "prune" => prune(args, context),
        "shim" => shim(args, context),
        _ => context.carry_out(args),
    }
}

fn print_problems(reply: &Value, context: &Context) {
    let problems = reply.list("problems").iter();
    problems.for_each(|problem| context.remark(&text("tape problem", problem)));
}

fn list(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let is_filtered = args.has("used") || args.has("unused");
    let mut params = json!({
        "root": args.at("root"),
        "used": is_filtered.then_some(args.has("used")),
        "program": args.at("program"),
        "limit": PAGE_LEN,
    });
    let answer = context.fetch(TapeList::NAME, &params)?;
    let mut all = answer.value.clone();
    let mut page_len = all.list("tapes").len();
    while page_len as u64 >= PAGE_LEN {
        let last = all.list("tapes").last();
        params["after"] = last.map(|tape| tape.text("tape_id")).into();
        let page = context.fetch(TapeList::NAME, &params)?.value;
        page_len = page.list("tapes").len();
        if let Some(tapes) = all["tapes"].as_array_mut() {
            tapes.extend_from_slice(page.list("tapes"));
        }
    }
    print_problems(&all, context);
    if context.global.json {
        if params.has("after") {
            context.write_json(&all)?;
        } else {
            context.write_line(answer.json.get())?;
        }
        return Ok(Exit::Done);
    }
    let tapes = all.list("tapes");
    if tapes.is_empty() {
        context.note(&why_none(args, all.text("root"), context)?);
    }
    context.render(|out| out.reply(TapeList::NAME, &all))?;
    Ok(Exit::Done)
}

fn why_none(args: &Given, in_root: &str, context: &Context) -> Result<String, Failure> {
    let params = json!({"root": args.at("root"), "program": args.at("program"), "limit": 1});
    let all = if args.has("used") || args.has("unused") {
        let reply = context.fetch(TapeList::NAME, &params)?.value;
        reply.number("total")
    } else {
        0
    };
    let of = match args.word("program") {
        Some(program) => format!(" of {program}"),
        None => String::new(),
    };
    Ok(match all {
        0 => format!("no tapes{of} in {in_root}; ccctl rec PROGRAM records one"),
        _ if args.has("used") => format!("no tape{of} in {in_root} was ever played"),
        _ => format!("every tape{of} in {in_root} was played"),
    })
}

fn redact(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let answer = context.fetch(TapeRedact::NAME, &args.params())?;
    let reply = &answer.value;
    print_problems(reply, context);
    let page = if reply.has("is_done") {
        TapeRedact::NAME
    } else {
        "tape.redact without doing it"
    };
    context.print_as(page, &answer)?;
    if !reply.has("is_done") && reply.has("tapes") {
        context.remark("nothing was changed; --inplace removes the secrets");
    }
    Ok(Exit::of_success(!reply.has("problems")))
}

fn prune(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let answer = context.fetch(TapePrune::NAME, &args.params())?;
    let reply = &answer.value;
    print_problems(reply, context);
    context.print_as(TapePrune::NAME, &answer)?;
    let done = match (reply.has("is_done"), args.has("unused")) {
        (true, _) => "deleted",
        (false, true) => "would be deleted",
        (false, false) => "never played; --unused deletes them",
    };
    let counts = filled("{tapes:count tape}, {bytes} bytes", reply);
    context.remark(&format!("{counts}, {done}"));
    Ok(Exit::of_success(!reply.has("problems")))
}
