//! `ccctl conversation list`, `search` and `stats`.

use crate::args::Given;
use crate::call::is_elsewhere;
use crate::caller::claude_dirs;
use crate::fields::Fields as _;
use crate::render::text;
use crate::{Context, Exit, Failure, caller, render};
use ccd_protocol::Method as _;
use ccd_protocol::conversation::{
    ConversationList, ConversationScope, ConversationSearch, ConversationStats,
    ConversationStatsParams, StatsBy,
};
use serde_json::{Value, json};
use std::path::Path;

/// The longest that the daemon waits.
const WAIT_MS: u64 = 3_600_000;

pub(super) fn list(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let answer = context.fetch(ConversationList::NAME, &params(args))?;
    note_what_is_missing(&answer.value, context);
    let shown = answer.value.list("conversations");
    context.note_if_empty(shown, &nothing("no conversations", args));
    let exit = context.print(&answer, render::conversations)?;
    note_what_is_left_out(shown.len(), answer.value.number("total"), context);
    Ok(exit)
}

/// Returns what to say of an empty list. Conversations of a project that was removed are still there.
fn nothing(what: &str, args: &Given) -> String {
    match args.word("project") {
        Some(project) if !is_elsewhere() && !Path::new(project).is_dir() => format!(
            "nothing found in {project}, which does not exist; without --project, all directories are searched"
        ),
        _ => what.to_owned(),
    }
}

/// Says in a pipe that a list is not whole. On a terminal, it is the last line of the list.
fn note_what_is_left_out(shown: usize, total: u64, context: &Context) {
    if (shown as u64) < total && !context.style.is_terminal {
        context.remark(&format!("{shown} of {total}; -n N shows more"));
    }
}

pub(super) fn search(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let mut params = params(args);
    params["query"] = args.words("query").join(" ").into();
    let status = args.word("status");
    params["status"] = status.map(|status| status.replace('-', "_")).into();
    let answer = context.fetch(ConversationSearch::NAME, &params)?;
    note_what_is_missing(&answer.value, context);
    let hits = answer.value.list("hits");
    context.note_if_empty(hits, &nothing("nothing found", args));
    let exit = context.print(&answer, render::conversation_hits)?;
    note_what_is_left_out(hits.len(), answer.value.number("total"), context);
    Ok(exit)
}

pub(super) fn stats(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let params = ConversationStatsParams {
        scope: scope(args)?,
        by: args.typed("by"),
    };
    match args.path("svg") {
        Some(file) => image(params, file, context),
        None => {
            let answer = context.call::<ConversationStats>(&params)?;
            let reply = &answer.value;
            note_what_is_missing(
                &json!({"indexing": reply.indexing, "unreadable": reply.unreadable}),
                context,
            );
            context.print(&answer, |reply, out| {
                render::conversation_stats(reply, params.by, out)
            })
        }
    }
}

/// Writes the sums as an image, by day unless another group is asked for.
fn image(
    params: ConversationStatsParams,
    file: &Path,
    context: &mut Context,
) -> Result<Exit, Failure> {
    if context.global.json {
        let text = "--svg and --json cannot be combined; leave one out";
        return Failure::usage(text);
    }
    let by = params.by.unwrap_or(StatsBy::Day);
    let params = ConversationStatsParams {
        by: Some(by),
        ..params
    };
    let reply = context.call::<ConversationStats>(&params)?.value;
    note_what_is_missing(
        &json!({"indexing": reply.indexing, "unreadable": reply.unreadable}),
        context,
    );
    context.write_to(file, render::stats_svg(&reply, by).as_bytes())?;
    Ok(Exit::Done)
}

/// Says that a reply leaves something out, if it does.
pub(super) fn note_what_is_missing(reply: &Value, context: &Context) {
    let advice = ["; --wait waits until everything is indexed", ""];
    for (left_out, advice) in ["not indexed", "unreadable"].into_iter().zip(advice) {
        let what = text(left_out, reply);
        if !what.is_empty() {
            context.note(&format!("incomplete: {what}{advice}"));
        }
    }
}

/// What is given, with which conversations it is about.
fn params(args: &Given) -> Value {
    let mut params = args.params();
    params["claude_dirs"] = claude_dirs().into();
    if args.has("wait_ms") {
        params["wait_ms"] = WAIT_MS.into();
    }
    params
}

pub(super) fn scope(args: &Given) -> Result<ConversationScope, Failure> {
    caller::params(&params(args))
}
