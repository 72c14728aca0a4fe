//! `ccctl conversation list`, `search` and `stats`.

use crate::args::Given;
use crate::call::is_elsewhere;
use crate::caller::claude_dirs;
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure, render};
use serde_json::Value;
use std::path::Path;

/// The longest that the daemon waits.
const WAIT_MS: u64 = 3_600_000;

pub(super) fn list(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    show(
        "conversation.list",
        "conversations",
        args,
        args.params(),
        context,
    )
}

pub(super) fn search(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let mut params = args.params();
    params["query"] = args.words("query").join(" ").into();
    let status = args.word("status");
    params["status"] = status.map(|status| status.replace('-', "_")).into();
    show("conversation.search", "hits", args, params, context)
}

/// Prints a list, with what it leaves out.
fn show(
    method: &str,
    list: &str,
    args: &Given,
    params: Value,
    context: &mut Context,
) -> Result<Exit, Failure> {
    let params = in_scope(args, params);
    let mut answer = context.fetch(method, &params)?;
    answer.value["shown"] = answer.value.list(list).len().into();
    // Conversations of a project that was removed are still there.
    let project = args.word("project");
    let missing = project.filter(|dir| !is_elsewhere() && !Path::new(dir).is_dir());
    answer.value["missing_project"] = missing.into();
    context.print_given(method, &mut answer, &params)
}

pub(super) fn stats(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let (by, file) = (args.word("by"), args.path("svg"));
    if file.is_some() && context.global.json {
        let text = "--svg and --json cannot be combined; leave one out";
        return Failure::usage(text);
    }
    // An image has a chart, by day unless another group is asked for.
    let by = by.or(file.and(Some("day")));
    let mut params = in_scope(args, args.params());
    params["by"] = by.into();
    let answer = context.fetch("conversation.stats", &params)?;
    note_what_is_missing(&answer.value, context)?;
    let by = by.unwrap_or("day");
    match file {
        Some(file) => {
            let image = render::stats_svg(&answer.value, by);
            context.write_to(file, image.as_bytes())?;
            Ok(Exit::Done)
        }
        None => context.print(&answer, |reply, out| {
            render::conversation_stats(reply, by, out)
        }),
    }
}

/// Says that a reply leaves something out, if it does.
pub(super) fn note_what_is_missing(reply: &Value, context: &mut Context) -> Result<(), Failure> {
    let noted = context.print_page("conversation incomplete", reply, None);
    noted.map(drop)
}

/// Adds to the parameters of a search in which conversations it is.
pub(super) fn in_scope(args: &Given, mut params: Value) -> Value {
    params["claude_dirs"] = claude_dirs().into();
    if args.has("wait_ms") {
        params["wait_ms"] = WAIT_MS.into();
    }
    params
}
